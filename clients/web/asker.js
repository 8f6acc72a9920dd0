// What others do while a browser looks on: requests of the API, past the browser.
import assert from 'node:assert/strict';

const createPost = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id title } userErrors { message } } }';
const createComment = 'mutation ($input: CreateCommentInput!) { createComment(input: $input) { comment { id } userErrors { message } } }';

/**
 * asker returns functions that ask an API: ask anything, write a post or some, say a comment on one. A token
 * is a subject of the demo.
 */
export function asker(graphql) {
  async function ask(query, variables = {}, token) {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const answer = await fetch(graphql, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
    const { data, errors } = await answer.json();
    assert.equal(errors, undefined);
    return data;
  }
  const write = async (title, content, token = 'alice') => (await ask(createPost, { input: { title, content } }, token)).createPost.post;
  /** writeAll writes posts one after the other in one request, many of them within a millisecond. */
  async function writeAll(titles, token = 'bob') {
    const fields = titles.map((title, at) => `p${at}: createPost(input: { title: ${JSON.stringify(title)}, content: "At once." }) { post { id } }`);
    return ask(`mutation { ${fields.join(' ')} }`, {}, token);
  }
  const say = async (postId, content, token = 'bob') => (await ask(createComment, { input: { postId, content } }, token)).createComment.comment;
  /** joins makes a subject's account, of the same name. */
  const joins = (name) => ask('mutation ($name: String!) { createUser(input: { username: $name }) { user { id } userErrors { message } } }', { name }, name);
  return { ask, write, writeAll, say, joins };
}
