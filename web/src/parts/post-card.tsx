import { Link } from 'wouter';
import { graphql, readFragment, type FragmentType } from '../gql';
import { pathOf } from '../paths';
import { Byline } from './byline';
import { LikeButton } from './like-button';
import { When } from './when';

export const PostCardPost = graphql(`
  fragment PostCardPost on Post {
    id
    title
    excerpt
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
      </p>
      <div className="card-text">
        <h2>
          <Link href={path}>{post.title}</Link>
        </h2>
        <p className="excerpt">{plain(post.excerpt)}</p>
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

/** plain takes the commonest marks of Markdown off an excerpt, and says where it was cut. */
function plain(excerpt: string): string {
  const text = excerpt
    .replace(/^[#>\s*+-]+/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_`~]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return excerpt.length < 120 || /[.!?…”"]$/.test(text) ? text : `${text} …`;
}
