// The introspection queries that tools send are within the limits: GraphiQL's, GraphQL Code Generator's,
// Relay's and Apollo's are graphql-js' own with more or fewer of its options.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildClientSchema, buildSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';
import { serve } from './harness.js';

const { url, graphql } = await serve('--no-demo');

async function introspect(options) {
  const response = await fetch(graphql, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery(options), operationName: 'IntrospectionQuery' }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data;
}

const everything = { descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true, inputValueDeprecation: true, oneOf: true };

for (const [name, options] of Object.entries({
  'as it is by default': {},
  everything,
  'the least': Object.fromEntries(Object.keys(everything).map((option) => [option, false])),
})) {
  test(`introspection: ${name}`, async () => {
    const { __schema } = await introspect(options);
    assert.equal(__schema.queryType.name, 'Query');
  });
}

test('introspection gives the schema that is served as a text', async () => {
  const served = buildSchema(await (await fetch(`${url}/schema.graphql`)).text());
  const introspected = buildClientSchema(await introspect(everything));
  assert.equal(printSchema(lexicographicSortSchema(introspected)), printSchema(lexicographicSortSchema(served)));
});
