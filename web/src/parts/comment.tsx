import { Suspense, useEffect, useRef, useState } from 'react';
import { graphql, readFragment, type FragmentType } from '../gql';
import { lazily } from '../lazily';
import { Boundary } from './boundary';
import { Byline } from './byline';
import { OnceAsked } from './confirm';
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
    author {
      id
      ...BylineUser
    }
  }
`);

// What only the authors of a comment and of its post, and moderators, do is loaded when it is done.
const EditComment = lazily(() => import('./edit-comment'));
const DeleteComment = lazily(() => import('./delete-comment'));

/** Comment is a comment on a post, whose author may edit it. */
export function Comment({ comment: masked, postAuthorId }: { comment: FragmentType<typeof CommentComment>; postAuthorId: string }) {
  const comment = readFragment(CommentComment, masked);
  const writer = useWriter();
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const edited = useRef(false);
  useEffect(() => {
    if (edited.current && !editing) edit.current?.focus();
    edited.current = editing;
  }, [editing]);
  const own = writer?.id === comment.author.id;
  const mayDelete = own || writer?.id === postAuthorId || writer?.moderator;
  const whose = own ? 'your' : 'this';
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
        {mayDelete && !editing && (
          <span className="comment-actions">
            {own && (
              <button ref={edit} type="button" className="quiet" onClick={() => setEditing(true)}>
                Edit<span className="unseen"> your comment</span>
              </button>
            )}
            <button type="button" className="quiet" onClick={() => setAsking(true)}>
              Delete<span className="unseen"> {whose} comment</span>
            </button>
          </span>
        )}
      </p>
      {editing ? (
        <Boundary>
          <Suspense fallback={text}>
            <EditComment {...comment} done={() => setEditing(false)} />
          </Suspense>
        </Boundary>
      ) : (
        text
      )}
      <OnceAsked open={asking} close={() => setAsking(false)}>
        <DeleteComment id={comment.id} open={asking} close={() => setAsking(false)} />
      </OnceAsked>
    </li>
  );
}
