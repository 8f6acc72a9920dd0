// The schema keeps what clients were promised: it is compared with that of the last release.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { breaking, unannounced } from './changes.js';

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

test('what the schema breaks, the changelog says', () => {
  const silent = unannounced(breaking(read('released.graphqls'), read('../../schema.graphqls')), read('../../CHANGELOG.md'));
  assert.deepEqual(silent, [], 'clients break: add instead, or say each of these sentences under "### Breaking" of CHANGELOG.md, with what clients do');
});

const schema = `
  type Query { post(id: ID!, order: Order = NEWEST): Post  user: User! }
  interface Node { id: ID! }
  type Post implements Node { id: ID!  title: String!  text: String  tags: [String!]! }
  type User implements Node { id: ID! }
  union Author = User | Post
  enum Order { NEWEST OLDEST }
  input Edit { title: String  id: ID! }
  type Mutation { edit(input: Edit!): Post }
  scalar DateTime
`;

/** edited is the schema with one text in place of another, which stands there once. */
function edited(text, other) {
  assert.equal(schema.split(text).length, 2, `${text} stands there once`);
  return schema.replace(text, other);
}

for (const [name, text, other, sentence] of [
  ['a type is removed', 'scalar DateTime', '', 'DateTime was removed.'],
  ['a type is of another kind', 'scalar DateTime', 'enum DateTime { NOW }', 'DateTime changed from a Scalar type to an Enum type.'],
  ['a field is removed', 'text: String ', '', 'Post.text was removed.'],
  ['a field is renamed', 'title: String!  text', 'name: String!  text', 'Post.title was removed.'],
  ['a field has another type', 'text: String ', 'text: Int ', 'Post.text changed type from String to Int.'],
  ['an output may be null', 'title: String!', 'title: String', 'Post.title changed type from String! to String.'],
  ['an entry of a list may be null', '[String!]!', '[String]!', 'Post.tags changed type from [String!]! to [String]!.'],
  ['an interface is gone', 'type User implements Node', 'type User', 'User no longer implements interface Node.'],
  ['a member of a union is gone', '= User | Post', '= User', 'Post was removed from union type Author.'],
  ['a value of an enum is removed', 'NEWEST OLDEST', 'NEWEST', 'OLDEST was removed from enum type Order.'],
  ['an argument is removed', ', order: Order = NEWEST', '', 'Query.post arg order was removed.'],
  ['an argument is required', 'order: Order = NEWEST', 'order: Order!', 'Query.post arg order has changed type from Order to Order!.'],
  ['a default is another', 'order: Order = NEWEST', 'order: Order = OLDEST', 'Query.post arg order has changed defaultValue from NEWEST to OLDEST.'],
  ['a new argument is required', 'user: User!', 'user(id: ID!): User!', 'A required arg id on Query.user was added.'],
  ['a field of an input is removed', 'input Edit { title: String ', 'input Edit {', 'Edit.title was removed.'],
  ['a field of an input is required', 'input Edit { title: String ', 'input Edit { title: String! ', 'Edit.title changed type from String to String!.'],
  ['a new field of an input is required', 'id: ID! }\n  type Mutation', 'id: ID!  text: String! }\n  type Mutation', 'A required field text on input type Edit was added.'],
]) {
  test(`breaking: ${name}`, () => assert.deepEqual(breaking(schema, edited(text, other)), [sentence]));
}

for (const [name, text, other] of [
  ['a type and a field', 'user: User!', 'user: User!  role: Role  } type Role { name: String!'],
  ['an argument that may be absent', 'user: User!', 'user(id: ID): User!'],
  ['a field of an input that may be absent', 'input Edit {', 'input Edit { text: String '],
  ['a value of an enum', 'NEWEST OLDEST', 'NEWEST OLDEST BEST'],
  ['an output that is never null', 'text: String ', 'text: String! '],
  ['an argument that may be null', 'post(id: ID!', 'post(id: ID'],
  ['a description', 'scalar DateTime', '"A time." scalar DateTime'],
]) {
  test(`added freely: ${name}`, () => assert.deepEqual(breaking(schema, edited(text, other)), []));
}

test('a change counts as announced where Unreleased has it under Breaking', () => {
  const change = ['Post.text was removed.'];
  const says = (changelog) => unannounced(change, changelog).length === 0;
  assert.ok(says('# Changelog\n\n## [Unreleased]\n\n### Breaking\n\n- `Post.text` was\n  removed. Ask for `content`.\n\n### Added\n'));
  assert.ok(!says('# Changelog\n\n## [Unreleased]\n\n### Removed\n\n- `Post.text` was removed.\n'));
  assert.ok(!says('# Changelog\n\n## [Unreleased]\n\n### Added\n\n## [1.0]\n\n### Breaking\n\n- `Post.text` was removed.\n'));
});
