// What the tests of several clients ask of the server beside the client that they are about.
import assert from 'node:assert/strict';

/** asker returns what executes an operation as a subject, and returns its data. */
export const asker =
  ({ graphql }, subject) =>
  async (query, variables) => {
    const response = await fetch(graphql, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(subject && { authorization: `Bearer ${subject}` }) },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await response.json();
    assert.equal(errors, undefined, JSON.stringify(errors));
    return data;
  };

const profile = '{ viewer { username displayName bio email } }';

/**
 * keepsProfile runs an edit of one field of alice's account by a client that has all others unset, and
 * fails where one of them was lost.
 */
export async function keepsProfile(server, edit) {
  const ask = asker(server, 'alice');
  const { viewer: before } = await ask(profile);
  for (const field of ['displayName', 'bio', 'email']) assert.ok(before[field], `${field} is set`);
  await edit('alice_2');
  const { viewer: after } = await ask(profile);
  assert.deepEqual(after, { ...before, username: 'alice_2' });
}
