import { ApolloProvider, useQuery } from '@apollo/client/react';
import { newClient } from './client';
import { graphql } from './gql';

const Newest = graphql(`
  query Newest($after: String) {
    feed(first: 10, after: $after) {
      edges {
        cursor
        node {
          id
          title
          summary
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const { client } = newClient({ url: '/graphql', token: () => 'alice' }); // whom the server is told with --auth dev

function Feed() {
  const { data, error, fetchMore } = useQuery(Newest);
  if (!data) return <p>{error?.message ?? 'Loading'}</p>;
  const { edges, pageInfo } = data.feed;
  return (
    <main>
      {edges.map(({ node }) => (
        <article key={node.id}>
          <h2>{node.title}</h2>
          <p>{node.summary}</p>
        </article>
      ))}
      {pageInfo.hasNextPage && <button onClick={() => fetchMore({ variables: { after: pageInfo.endCursor } })}>More</button>}
    </main>
  );
}

export default function App() {
  return (
    <ApolloProvider client={client}>
      <Feed />
    </ApolloProvider>
  );
}
