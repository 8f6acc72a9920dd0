import { useMutation } from '@apollo/client/react';
import { useLocation } from 'wouter';
import { graphql, makeFragmentData, readFragment, type FragmentType } from '../gql';
import { insertLike, removeLike } from '../lists';
import { pathOf } from '../paths';
import { useToken } from '../session';
import { toldIfTakenBack } from '../taken-back';

export const LikeButtonPost = graphql(`
  fragment LikeButtonPost on Post {
    id
    likeCount
    viewerHasLiked
  }
`);

const Like = graphql(`
  mutation Like($id: ID!) {
    likePost(input: { postId: $id }) {
      likeEdge {
        cursor
        node {
          id
          user {
            id
            ...BylineUser
          }
        }
      }
      post {
        ...LikeButtonPost
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

const Unlike = graphql(`
  mutation Unlike($id: ID!) {
    unlikePost(input: { postId: $id }) {
      deletedId
      post {
        ...LikeButtonPost
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

/** LikeButton counts at once, and takes it back where the server refuses. */
export function LikeButton({ post: masked }: { post: FragmentType<typeof LikeButtonPost> }) {
  const post = readFragment(LikeButtonPost, masked);
  const token = useToken();
  const [path, navigate] = useLocation();
  const [like] = useMutation(Like);
  const [unlike] = useMutation(Unlike);
  const liked = post.viewerHasLiked === true;

  function toggle() {
    if (!token) {
      return navigate(`${pathOf('signIn')}?to=${encodeURIComponent(path)}`);
    }
    const variables = { id: post.id };
    const then = makeFragmentData({ ...post, viewerHasLiked: !liked, likeCount: post.likeCount + (liked ? -1 : 1) }, LikeButtonPost);
    const answer = { post: { __typename: 'Post' as const, ...then }, userErrors: [] };
    const likeIt = () =>
      like({
        variables,
        optimisticResponse: { __typename: 'Mutation', likePost: { __typename: 'LikePostPayload', likeEdge: null, ...answer } },
        update: (cache, { data }) => data?.likePost.likeEdge && insertLike(cache, post.id, data.likePost.likeEdge),
      });
    const takeBack = () =>
      unlike({
        variables,
        optimisticResponse: { __typename: 'Mutation', unlikePost: { __typename: 'UnlikePostPayload', deletedId: null, ...answer } },
        update: (cache, { data }) => data?.unlikePost.deletedId && removeLike(cache, post.id, data.unlikePost.deletedId),
      });
    return liked
      ? toldIfTakenBack('unlikePost', takeBack().then(({ data }) => data?.unlikePost.userErrors))
      : toldIfTakenBack('likePost', likeIt().then(({ data }) => data?.likePost.userErrors));
  }

  return (
    <button type="button" className="like" aria-pressed={liked} onClick={toggle}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M12 20.3 4.6 13a4.9 4.9 0 0 1 0-7 4.9 4.9 0 0 1 7 0l.4.4.4-.4a4.9 4.9 0 0 1 7 0 4.9 4.9 0 0 1 0 7Z" />
      </svg>
      <span className="unseen">Like, </span>
      <span className="count">{post.likeCount}</span>
      <span className="unseen">{post.likeCount === 1 ? ' like' : ' likes'}</span>
    </button>
  );
}
