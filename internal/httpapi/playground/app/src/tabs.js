const someIds = `{
  viewer { id posts(last: 1) { edges { node { id } } } }
  feed(first: 20) { edges { node { id author { id username } } } }
}`;

/**
 * known finds what only a running server knows, by the sentences that stand in variables for it.
 *
 * A post is another author's where there is one, so that no tab takes away what another one needs: the viewer's own is
 * for the tab that deletes it, and the viewer's name for the one that changes it.
 */
async function known(settings, post) {
  const data = await post(settings, someIds).catch(() => undefined);
  const all = (data?.feed?.edges ?? []).map(({ node }) => node);
  const [some] = [...all.filter(({ author }) => author.id !== data.viewer?.id), ...all];
  return {
    viewer: data?.viewer,
    values: new Map([
      ['an id from the Feed tab', some?.id],
      ['a username from the Feed tab', some?.author.username],
      ["a user's id from the Feed tab", some?.author.id],
      ['the id of a post of yours', data?.viewer?.posts.edges[0]?.node.id],
    ]),
  };
}

/**
 * filled returns the saved operations with what is known. What is not there, as on an empty blog, is looked for again
 * when they are played. The account that is created is the page's own subject's, where that has none.
 */
export async function filled(settings, post) {
  const { viewer, values } = await known(settings, post);
  const [, subject] = /^Bearer (\w+)$/.exec((settings.headers && JSON.parse(settings.headers).Authorization) || '') ?? [];
  const own = viewer === null && subject && { dana: subject, Dana: subject };
  return settings.tabs.map((tab) => {
    const creates = own && tab.headers && tab.headers !== settings.headers;
    return {
      ...tab,
      ...(creates && { headers: settings.headers, query: tab.query.replace('Bearer dana', `Bearer ${subject}`) }),
      variables: withKnown(tab.variables, creates ? new Map(Object.entries(own)) : values),
    };
  });
}

/** lookedUp returns variables with what has become known since. */
export async function lookedUp(variables, settings, post) {
  const text = JSON.stringify(variables ?? {});
  if (!/from the Feed tab|of a post of yours/.test(text)) return variables;
  return JSON.parse(withKnown(text, (await known(settings, post)).values));
}

function withKnown(variables, values) {
  return variables && JSON.stringify(JSON.parse(variables, (_, value) => values.get(value) ?? value), null, 2);
}
