// The errors that a client meets, as docs/clients.md lists them, each with a request that gives it.

/**
 * @typedef {object} Meeting
 * @property {string} code of `extensions` of a GraphQL error, or of an entry of `userErrors`
 * @property {string} when
 * @property {string} does what the client does
 * @property {string} [query] that gives it; USER_ID stands for the id of a user
 * @property {string} [body] in its place: the whole body of the request
 * @property {string} [token] of the subject that asks
 * @property {string[]} [flags] of the server that gives it
 * @property {boolean} [often] it is given after some requests
 */

/** @type {Meeting[]} */
export const errors = [
  { code: 'BAD_REQUEST', when: 'it is no GraphQL request', does: 'correct the program', body: '{"query": 1}' },
  { code: 'GRAPHQL_PARSE_FAILED', when: 'the document is no GraphQL', does: 'correct the program', query: '{ feed' },
  { code: 'GRAPHQL_VALIDATION_FAILED', when: 'the document does not fit the schema', does: 'build with the server’s schema', query: '{ nothing }' },
  { code: 'OPERATION_RESOLUTION_FAILURE', when: 'several operations, and none is named', does: 'send `operationName`', query: 'query A { viewer { id } } query B { viewer { id } }' },
  { code: 'BAD_USER_INPUT', when: 'an argument or a variable is wrong', does: 'correct the program; a cursor of another list: begin at its first page', query: '{ feed(first: 500) { edges { cursor } } }' },
  { code: 'UNAUTHENTICATED', when: 'a write without a token', does: 'sign in', query: 'mutation { deletePost(input: { id: "x" }) { deletedId } }' },
  { code: 'UNAUTHENTICATED', when: 'a bad or expired token: HTTP 401, also for what needs none', does: 'get a new token, and ask once more; else drop it, and read without', query: '{ feed { edges { cursor } } }', token: 'not one token' },
  { code: 'FORBIDDEN', when: 'the document is not a trusted one', does: 'deploy the manifest before the client', query: '{ __typename }', flags: ['--trusted-documents', 'apollo/gql/persisted-documents.json', '--trusted-documents-only'] },
  { code: 'PERSISTED_QUERY_NOT_FOUND', when: 'the server does not know the hash', does: 'send the text with it; clients do so by themselves', body: `{"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "${'0'.repeat(64)}"}}}` },
  { code: 'PERSISTED_QUERY_NOT_SUPPORTED', when: 'the server keeps no queries', does: 'send texts; clients do so by themselves', body: `{"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "${'0'.repeat(64)}"}}}`, flags: ['--limit', 'persisted_queries=0'] },
  { code: 'INTROSPECTION_DISABLED', when: 'the server shows no schema', does: 'take the schema’s file', query: '{ __schema { types { name } } }', flags: ['--no-introspection'] },
  { code: 'QUERY_TOO_COMPLEX', when: 'the operation may read too much', does: 'ask for shorter pages, or in two operations', query: '{ feed(first: 100) { edges { node { comments(first: 100) { edges { node { author { bio } } } } } } } }' },
  { code: 'RATE_LIMITED', when: 'too much work: HTTP 429', does: 'wait for `Retry-After` seconds', query: '{ __typename }', flags: ['--limit', 'work=1'], often: true },
  { code: 'TIMEOUT', when: 'the deadline passed', does: 'ask again; a write with the same `idempotencyKey`', query: '{ feed { edges { cursor } } }', flags: ['--limit', 'deadline=1ns'] },
  { code: 'UNAVAILABLE', when: 'the store is away, or the server is full: HTTP 503 where nothing was answered', does: 'wait for `Retry-After` seconds, then as TIMEOUT' },
  { code: 'INTERNAL_SERVER_ERROR', when: 'the server is at fault', does: 'show `extensions.requestId`, for the operator' },
  { code: 'CURSOR_EXPIRED', when: 'a stream’s `after` is older than the change feed', does: 'fetch the list, subscribe after its `liveCursor`' },
  { code: 'SLOW_CONSUMER', when: 'a stream’s events were not taken', does: 'subscribe after the last `cursor`' },
  { code: 'SHUTTING_DOWN', when: 'the server ends', does: 'subscribe after the last `cursor`; ask again' },
];

/** Entries of `userErrors` in the payload of a mutation. @type {Meeting[]} */
export const userErrors = [
  { code: 'INVALID', when: 'a value breaks a rule', does: 'show `message` at `field`', query: 'mutation { createPost(input: { title: "", content: "x" }) { userErrors { code } } }', token: 'alice' },
  { code: 'TOO_LONG', when: 'a text is too long', does: 'show `message` at `field`', query: `mutation { updateUser(input: { username: "${'a'.repeat(31)}" }) { userErrors { code } } }`, token: 'alice' },
  { code: 'TAKEN', when: 'a name or an address is another account’s', does: 'ask for another; with a null `field` there is an account already', query: 'mutation { createUser(input: { username: "bob" }) { userErrors { code } } }', token: 'nobody' },
  { code: 'NOT_FOUND', when: 'what the id names is gone, or of another type', does: 'take it out of the lists', query: 'mutation { likePost(input: { postId: "USER_ID" }) { userErrors { code } } }', token: 'alice' },
  { code: 'FORBIDDEN', when: 'it is another’s, or the subject has no account', does: 'offer `createUser` where `viewer` is null', query: 'mutation { createPost(input: { title: "x", content: "x" }) { userErrors { code } } }', token: 'nobody' },
  { code: 'VERSION_CONFLICT', when: 'it was edited since it was read', does: 'read it again, show both', query: 'mutation { updateUser(input: { bio: "x", expectedVersion: 99 }) { userErrors { code } } }', token: 'alice' },
  { code: 'SUSPENDED', when: 'the viewer’s account is suspended', does: 'say so, and go on reading' },
];

/** table returns rows of Markdown. */
export const table = (meetings) =>
  ['| code | when | the client |', '|---|---|---|', ...meetings.map((m) => `| \`${m.code}\` | ${m.when} | ${m.does} |`)].join('\n');
