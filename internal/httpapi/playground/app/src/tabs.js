const someIds = `{
  viewer { id posts(last: 1) { edges { node { id } } } }
  feed(first: 20) { edges { node { id author { id username } } } }
}`;

/**
 * filled returns the saved operations with what only a running server knows. In their variables stand
 * sentences that say where it is found; what is not there, as on an empty blog, stays so.
 *
 * A post is another author's, so that no tab takes away what another one needs: the viewer's own is for
 * the tab that deletes it, and the viewer's name for the one that changes it.
 */
export async function filled(settings, post) {
  const data = await post(settings, someIds).catch(() => undefined);
  const others = (data?.feed?.edges ?? []).map(({ node }) => node).filter(({ author }) => author.id !== data.viewer?.id);
  const known = new Map([
    ['an id from the Feed tab', others[0]?.id],
    ['a username from the Feed tab', others[0]?.author.username],
    ['the id of a post of yours', data?.viewer?.posts.edges[0]?.node.id],
  ]);
  return settings.tabs.map((tab) => ({ ...tab, variables: withKnown(tab.variables, known) }));
}

function withKnown(variables, known) {
  return variables && JSON.stringify(JSON.parse(variables, (_, value) => known.get(value) ?? value), null, 2);
}
