import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { graphql, readFragment, type FragmentType } from '../gql';
import { describe } from '../problems';
import { Byline } from './byline';

export const LikedByPost = graphql(`
  fragment LikedByPost on Post {
    id
    likes(first: 6) {
      totalCount
      edges {
        cursor
        node {
          id
          user {
            id
            ...BylineUser
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const MoreLikes = graphql(`
  query MoreLikes($id: ID!, $after: String) {
    post(id: $id) {
      id
      likes(first: 50, after: $after) {
        totalCount
        edges {
          cursor
          node {
            id
            user {
              id
              ...BylineUser
            }
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

/** LikedBy names who likes a post, the last first, and the rest on request. */
export function LikedBy({ post }: { post: FragmentType<typeof LikedByPost> }) {
  const { id, likes } = readFragment(LikedByPost, post);
  const client = useApolloClient();
  const [error, setError] = useState('');

  async function more() {
    try {
      // To the cache a list is one, whatever its pages: it would answer with those that are there.
      await client.query({ query: MoreLikes, variables: { id, after: likes.pageInfo.endCursor }, fetchPolicy: 'network-only' });
      setError('');
    } catch (failed) {
      setError(describe(failed));
    }
  }

  if (likes.edges.length === 0) return null;
  const others = likes.totalCount - likes.edges.length;
  return (
    <p className="liked-by">
      Liked by{' '}
      {likes.edges.map(({ node }, place) => (
        <span key={node.id}>
          {place > 0 && ', '}
          <Byline user={node.user} />
        </span>
      ))}
      {likes.pageInfo.hasNextPage && others > 0 && (
        <>
          {' and '}
          <button
            type="button"
            className="inline"
            onClick={() => void more()}
          >
            {others} more
          </button>
        </>
      )}
      {error && <span role="alert"> {error}</span>}
    </p>
  );
}
