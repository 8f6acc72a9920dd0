import { Link } from 'wouter';
import { graphql, readFragment, type FragmentType } from '../gql';
import { pathOf } from '../paths';
import { Byline } from './byline';
import { LikeButton } from './like-button';
import { ReadingTime } from './reading-time';
import { When } from './when';

export const PostCardPost = graphql(`
  fragment PostCardPost on Post {
    id
    title
    summary
    wordCount
    createdAt
    commentCount
    author {
      ...BylineUser
    }
    ...LikeButtonPost
  }
`);

/** PostCard is a post in a list. */
export function PostCard({ post: masked }: { post: FragmentType<typeof PostCardPost> }) {
  const post = readFragment(PostCardPost, masked);
  const path = pathOf('post', post.id);
  return (
    <article className="card">
      <p className="card-meta">
        <Byline user={post.author} />
        <When time={post.createdAt} />
        <ReadingTime words={post.wordCount} />
      </p>
      <div className="card-text">
        <h2 dir="auto">
          <Link href={path}>{post.title}</Link>
        </h2>
        <p className="excerpt" dir="auto">{post.summary}</p>
        <p className="card-counts">
          <LikeButton post={post} />
          <Link href={`${path}#comments`} className="comment-count">
            <span className="count">{post.commentCount}</span> {post.commentCount === 1 ? 'comment' : 'comments'}
            <span className="unseen"> on {post.title}</span>
          </Link>
        </p>
      </div>
    </article>
  );
}
