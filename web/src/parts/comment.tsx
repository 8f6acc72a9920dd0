import { Suspense } from 'react';
import { graphql, readFragment, type FragmentType } from '../gql';
import { lazily } from '../lazily';
import { Boundary } from './boundary';
import { Byline } from './byline';
import { CommentText } from './comment-text';
import { useWriter } from './viewer';
import { When } from './when';

export const CommentComment = graphql(`
  fragment CommentComment on Comment {
    id
    content
    createdAt
    updatedAt
    version
    parentId
    author {
      id
      ...BylineUser
    }
  }
`);

const Written = lazily(() => import('./written'));

type Props = { comment: FragmentType<typeof CommentComment>; postId: string; mayDelete: boolean };

/** Comment is a comment on a post, which writers reply to, and its author may edit. mayDelete: each on the post. */
export function Comment({ comment: masked, postId, mayDelete }: Props) {
  const comment = readFragment(CommentComment, masked);
  const writer = useWriter();
  const own = writer?.id === comment.author.id;
  const text = <CommentText text={comment.content} />;
  const name = `comment-${comment.id}`;
  return (
    <li className="comment" id={name}>
      <p className="comment-meta">
        <Byline user={comment.author} />
        <a href={`#${name}`}>
          <When time={comment.createdAt} />
        </a>
        {comment.updatedAt !== comment.createdAt && <span>edited</span>}
        {comment.parentId && <a href={`#comment-${comment.parentId}`}>a reply</a>}
      </p>
      {writer ? (
        <Boundary>
          <Suspense fallback={text}>
            <Written comment={comment} postId={postId} own={own} mayDelete={own || mayDelete}>
              {text}
            </Written>
          </Suspense>
        </Boundary>
      ) : (
        text
      )}
    </li>
  );
}
