// The requests whose verdicts internal/httpapi/testdata/coercion.json holds: every kind of value for
// every type that the schema takes, as a variable and as a literal, and what else decides
// whether a request is executed.

/** A post's id that is well-formed, and of no post. */
const post = 'cAGTK06PKnw9nk8BI0VniQo';

/** positions are where values of a type may stand, so that none of the right type is refused. */
const positions = {
  Int: (v) => `mutation${v.head} { updatePost(input: {id: "x", expectedVersion: ${v}}) { userErrors { code } } }`,
  String: (v) => `mutation${v.head} { updateUser(input: {bio: ${v}}) { userErrors { code } } }`,
  'String!': (v) => `mutation${v.head} { createPost(input: {title: ${v}, content: "c"}) { userErrors { code } } }`,
  'ID!': (v) => `query${v.head} { node(id: ${v}) { id } }`,
  '[ID!]!': (v) => `query${v.head} { nodes(ids: ${v}) { id } }`,
  'Boolean!': (v) => `query${v.head} { __typename ... @include(if: ${v}) { viewer { id } } }`,
  DateTime: (v) => `query${v.head} { comments(postId: "${post}", createdFrom: ${v}) { totalCount } }`,
  'SortOrder!': (v) => `query${v.head} { comments(postId: "${post}", order: ${v}) { totalCount } }`,
  'CreatePostInput!': (v) => `mutation${v.head} { createPost(input: ${v}) { userErrors { code } } }`,
};

/** inside are positions within a variable's value. */
const inside = {
  'an entry of [ID!]!': ['[ID!]!', (value) => `[${value}]`],
  'a String! of an input': ['CreatePostInput!', (value) => `{"content": "c", "title": ${value}}`],
};

/** values are what a variable may hold, as JSON. */
const values = [
  'null', 'true', 'false', '"text"', '""', '"5"', '"true"',
  '0', '-0', '5', '-1', '2147483647', '2147483648', '-2147483648', '-2147483649', '2147483647.0', '2147483648.0',
  '1.5', '2.0', '2e0', '20e-1', '-0.0', '1e3', '1e21', '1e400', '-1e400', '1e-400', '9007199254740993', '12345678901234567890',
  '[]', '[5]', '["a"]', '["a", "b"]', '[null]', '[["a"]]', '[true]', '[1.5]', '{}', '{"a": 1}', '{"title": "t", "content": "c"}',
  '"NEWEST_FIRST"', '"OLDEST_FIRST"', '"newest_first"', '"2025-03-01T09:30:00Z"', '"2025-03-01T09:30:00.123456+05:30"', '"2025-03-01"', '"2025-02-30T00:00:00Z"', '"2025-03-01T24:00:00Z"',
];

/** literals are what may stand in a document. */
const literals = [
  'null', 'true', '"text"', '""', '"""block"""', '"5"', '0', '-0', '5', '-1', '2147483647', '2147483648', '-2147483649',
  '1.5', '2.0', '2e0', '1e400', '12345678901234567890', '[]', '[5]', '["a"]', '[null]', '[["a"]]', '[{}]', '[1.5]', '{}', '{a: 1}',
  'NEWEST_FIRST', 'newest_first', 'unknown', '"NEWEST_FIRST"', '"2025-03-01T09:30:00Z"', '"2025-03-01"', '{title: "t", content: "c"}',
];

const variable = (type) => Object.assign(() => {}, { toString: () => '$v', head: `($v: ${type})` });
const literal = (text) => ({ toString: () => text, head: '' });

function* ofTypes() {
  for (const [type, position] of Object.entries(positions)) {
    const query = position(variable(type));
    yield { name: `${type}, absent`, query, variables: '{}' };
    for (const value of values) yield { name: `${type}, variable ${value}`, query, variables: `{"v": ${value}}` };
    for (const value of literals) yield { name: `${type}, literal ${value}`, query: position(literal(value)) };
  }
  for (const [name, [type, wrap]] of Object.entries(inside)) {
    const query = positions[type](variable(type));
    for (const value of values) yield { name: `${name}, ${value}`, query, variables: `{"v": ${wrap(value)}}` };
  }
}

const order = (head, value = '$o') => `query(${head}) { comments(postId: "${post}", order: ${value}) { totalCount } }`;
const input = (value) => ({ query: positions['CreatePostInput!'](variable('CreatePostInput!')), variables: `{"v": ${value}}` });
const text = (value) => ({ query: positions['String!'](literal(value)) });
const two = 'query A($n: Int) { ...F } query B($n: Int = 1) { ...F } fragment F on Query { feed(first: $n) { edges { cursor } } }';

/** others are by their names. */
const others = {
  // Input objects
  'an input without a required field': input('{"title": "t"}'),
  'an input with null for a required field': input('{"title": "t", "content": null}'),
  'an input with null for another field': input('{"title": "t", "content": "c", "idempotencyKey": null}'),
  'an input with an unknown field': input('{"title": "t", "content": "c", "tags": []}'),
  'an input with an unknown field that is null': input('{"title": "t", "content": "c", "tags": null}'),
  'an input with __typename': input('{"title": "t", "content": "c", "__typename": "CreatePostInput"}'),
  'an input with a name in another case': input('{"Title": "t", "content": "c"}'),
  'an input with __proto__': input('{"title": "t", "content": "c", "__proto__": {}}'),
  'an input in a list': input('[{"title": "t", "content": "c"}]'),
  'a literal input with a field twice': { query: 'mutation { createPost(input: {title: "t", title: "u", content: "c"}) { userErrors { code } } }' },
  'a literal input with an unknown field': { query: 'mutation { createPost(input: {title: "t", content: "c", tags: []}) { userErrors { code } } }' },
  'a variable in a literal input': { query: 'mutation($t: String!) { createPost(input: {title: $t, content: "c"}) { userErrors { code } } }', variables: '{"t": "t"}' },
  'an absent variable in a literal input': { query: 'mutation($b: String) { updateUser(input: {bio: $b}) { userErrors { code } } }', variables: '{}' },
  'two fields, the second with a wrong variable': {
    query: 'mutation($v: String!) { a: createPost(input: {title: "a", content: "c"}) { userErrors { code } } b: createPost(input: {title: $v, content: "c"}) { userErrors { code } } }',
    variables: '{"v": 1}',
  },

  // Variables
  'a variable that is not of the operation': { query: '{ __typename }', variables: '{"v": [1]}' },
  'no variables': { query: order('$o: SortOrder! = OLDEST_FIRST') },
  'two wrong variables': { query: 'query($a: ID!, $b: ID!) { a: node(id: $a) { id } b: node(id: $b) { id } }', variables: '{"a": 1.5, "b": true}' },
  'a wrong variable that a skipped field has': { query: 'query($a: ID!) { a: node(id: $a) @skip(if: true) { id } b: __typename }', variables: '{"a": 1.5}' },
  'a variable of an output type': { query: 'query($p: Post) { node(id: $p) { id } }', variables: '{}' },
  'a variable of an unknown type': { query: 'query($p: Pots) { node(id: $p) { id } }', variables: '{}' },
  'a variable that is not used': { query: 'query($n: Int) { __typename }', variables: '{}' },
  'a variable that is not declared': { query: '{ node(id: $id) { id } }', variables: '{"id": "x"}' },
  'a variable twice': { query: 'query($id: ID!, $id: ID!) { node(id: $id) { id } }', variables: '{"id": "x"}' },
  'a variable of another type': { query: 'query($id: Int!) { node(id: $id) { id } }', variables: '{"id": 1}' },
  'a String for an ID': { query: 'query($id: String!) { node(id: $id) { id } }', variables: '{"id": "x"}' },
  'a nullable variable for what is not': { query: 'query($id: ID) { node(id: $id) { id } }', variables: '{"id": "x"}' },
  'a list of nullable for one of what is not': { query: 'query($ids: [ID]!) { nodes(ids: $ids) { id } }', variables: '{"ids": ["x"]}' },
  'an entry for a list': { query: 'query($id: ID!) { nodes(ids: $id) { id } }', variables: '{"id": "x"}' },
  'a variable as an entry': { query: 'query($id: ID!) { nodes(ids: ["a", $id]) { id } }', variables: '{"id": "x"}' },
  'a nullable variable as an entry': { query: 'query($id: ID) { nodes(ids: ["a", $id]) { id } }', variables: '{"id": "x"}' },

  // Defaults
  'a default that is null': { query: order('$o: SortOrder = null'), variables: '{}' },
  'a default, absent': { query: order('$o: SortOrder = OLDEST_FIRST'), variables: '{}' },
  'a default, given': { query: order('$o: SortOrder = OLDEST_FIRST'), variables: '{"o": "NEWEST_FIRST"}' },
  'a default of a variable that is not nullable, null': { query: order('$o: SortOrder! = OLDEST_FIRST'), variables: '{"o": null}' },
  'a default of another type': { query: order('$o: SortOrder = 1'), variables: '{}' },
  'a default that is no value of the enum': { query: order('$o: SortOrder = RANDOM'), variables: '{"o": "NEWEST_FIRST"}' },
  'a default Int out of range': { query: 'query($n: Int = 2147483648) { feed(first: $n) { edges { cursor } } }', variables: '{"n": 1}' },
  'a default DateTime that is none': { query: `query($t: DateTime = "soon") { comments(postId: "${post}", createdTo: $t) { totalCount } }`, variables: '{}' },
  'a default ID that is an integer': { query: 'query($id: ID = 12345678901234567890) { node(id: $id) { id } }', variables: '{}' },
  'a default input': { query: 'mutation($v: CreatePostInput! = {title: "t", content: "c"}) { createPost(input: $v) { userErrors { code } } }', variables: '{}' },
  'a default input without a required field': { query: 'mutation($v: CreatePostInput! = {title: "t"}) { createPost(input: $v) { userErrors { code } } }', variables: '{}' },
  'a default entry for a list': { query: 'query($ids: [ID!]! = "x") { nodes(ids: $ids) { id } }', variables: '{}' },

  // Null for what is not nullable, where a default allows the variable
  'null for an argument that has a default': { query: order('$o: SortOrder'), variables: '{"o": null}' },
  'absent for an argument that has a default': { query: order('$o: SortOrder'), variables: '{}' },
  'null for an argument, of a variable that has a default': { query: order('$o: SortOrder = OLDEST_FIRST'), variables: '{"o": null}' },
  'null for an argument, skipped': { query: `query($o: SortOrder = OLDEST_FIRST) { __typename comments(postId: "${post}", order: $o) @skip(if: true) { totalCount } }`, variables: '{"o": null}' },
  'null for an argument, in a fragment that is skipped': { query: `query($o: SortOrder = OLDEST_FIRST) { __typename ...F @include(if: false) } fragment F on Query { comments(postId: "${post}", order: $o) { totalCount } }`, variables: '{"o": null}' },
  'null for @include': { query: 'query($b: Boolean = true) { __typename @include(if: $b) }', variables: '{"b": null}' },
  'null for @skip': { query: 'query($b: Boolean = true) { feed { edges { node { id @skip(if: $b) } } } }', variables: '{"b": null}' },
  'null for @include of a mutation': { query: 'mutation($b: Boolean = true) { createPost(input: {title: "t", content: "c"}) @include(if: $b) { userErrors { code } } }', variables: '{"b": null}' },
  'null for a field of an input': { query: 'mutation($t: String = "t") { createPost(input: {title: $t, content: "c"}) { userErrors { code } } }', variables: '{"t": null}' },
  'null for an entry': { query: 'query($id: ID = "x") { nodes(ids: [$id]) { id } }', variables: '{"id": null}' },
  'absent for an entry that has a default': { query: 'query($id: ID = "x") { nodes(ids: [$id]) { id } }', variables: '{}' },

  // Operations
  'two operations, the first named': { query: two, operationName: 'A', variables: '{}' },
  'two operations, the second named': { query: two, operationName: 'B', variables: '{}' },
  'two operations, none named': { query: two, variables: '{}' },
  'two operations, another named': { query: two, operationName: 'C', variables: '{}' },
  'one operation, another named': { query: 'query A { __typename }', operationName: 'B' },
  'two operations of one name': { query: 'query A { __typename } query A { viewer { id } }', operationName: 'A' },
  'an operation without a name beside another': { query: '{ __typename } query A { viewer { id } }', operationName: 'A' },
  'an empty document': { query: '' },
  'a comment': { query: '# nothing' },
  'a fragment alone': { query: 'fragment F on Query { __typename }' },
  'a type system definition': { query: '{ __typename } type T { a: Int }' },

  // Strings
  'half a surrogate pair': text(String.raw`"\uD83D"`),
  'the other half': text(String.raw`"\uDE00"`),
  'the halves in the wrong order': text(String.raw`"\uDE00\uD83D"`),
  'half a pair in lower case': text(String.raw`"a\ud83da"`),
  'half a pair before another escape': text(String.raw`"\uD83D\u0041"`),
  'half a pair behind a backslash': text(String.raw`"\\uD83D"`),
  'a surrogate pair': text(String.raw`"\uD83D\uDE00"`),
  'a surrogate pair and a half': text(String.raw`"\uD83D\uDE00\uDE00"`),
  'a code point in braces': text(String.raw`"\u{1F600}"`),
  'half a pair in braces': text(String.raw`"\u{D83D}"`),
  'more than a code point in braces': text(String.raw`"\u{110000}"`),
  'half a pair in a block string': text(String.raw`"""\uD83D"""`),
  'half a pair in a comment': { query: '{ __typename } # "\\uD83D"' },
  'an escape that is none': text(String.raw`"\x"`),
  'an escape that is too short': text(String.raw`"\u00"`),
  'a line feed in a string': text('"a\nb"'),

  // Introspection
  'null for an argument of introspection': { query: '{ __type(name: null) { name } }' },
  'null for includeDeprecated': { query: '{ __type(name: "Query") { fields(includeDeprecated: null) { name } } }' },
  'a variable that is null for includeDeprecated': { query: 'query($b: Boolean) { __type(name: "SortOrder") { enumValues(includeDeprecated: $b) { name } } }', variables: '{"b": null}' },
  'a variable for the name of a type': { query: 'query($n: String!) { __type(name: $n) { name } }', variables: '{"n": 1}' },
};

/** cases are all requests, each with a name of its own. */
export const cases = [...ofTypes(), ...Object.entries(others).map(([name, request]) => ({ name, ...request }))];

const early = 'graphql-js fails when it comes to the field; here the request is refused first, before a mutation may have written';
const digits = 'JSON numbers keep their digits here; JavaScript rounds them and writes large ones with an exponent';
const lacks = 'a document without an operation is told so';

/** deliberate is where the server differs, knowingly, and why. */
export const deliberate = {
  'a default that is null': { verdict: 'variables', because: early },
  'null for an argument that has a default': { verdict: 'variables', because: early },
  'null for an argument, of a variable that has a default': { verdict: 'variables', because: early },
  'null for @include': { verdict: 'variables', because: early },
  'null for @skip': { verdict: 'variables', because: early },
  'null for @include of a mutation': { verdict: 'variables', because: early },
  'null for a field of an input': { verdict: 'variables', because: early },
  'null for an entry': { verdict: 'variables', because: early },
  'an empty document': { verdict: 'operation', because: lacks },
  'a comment': { verdict: 'operation', because: lacks },
  'a fragment alone': { verdict: 'operation', because: lacks },
  'a type system definition': { verdict: 'parse', because: 'a request is read as an executable document, which has no such definitions in its grammar' },
  ...Object.fromEntries(
    [['1e21', '1000000000000000000000'], ['9007199254740993'], ['12345678901234567890']].flatMap(([value, digitsOf = value]) => [
      [`ID!, variable ${value}`, { coerced: { v: digitsOf }, because: digits }],
      [`[ID!]!, variable ${value}`, { coerced: { v: [digitsOf] }, because: digits }],
      [`an entry of [ID!]!, ${value}`, { coerced: { v: [digitsOf] }, because: digits }],
    ]),
  ),
};
