import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { lazily } from '../lazily';
import { Boundary } from './boundary';
import CommentForm from './comment-form';
import { OnceAsked } from './confirm';

// What only the authors of a comment and of its post, and moderators, do is loaded when it is done.
const EditComment = lazily(() => import('./edit-comment'));
const DeleteComment = lazily(() => import('./delete-comment'));

type Props = {
  comment: { id: string; content: string; version: number };
  postId: string;
  own: boolean;
  mayDelete: boolean;
  children: ReactNode; // its text
};

/** Written is the text of a comment, with what a writer does about it: reply, edit, delete. */
export default function Written({ comment, postId, own, mayDelete, children }: Props) {
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const [replying, setReplying] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const edited = useRef(false);
  useEffect(() => {
    if (edited.current && !editing) edit.current?.focus();
    edited.current = editing;
  }, [editing]);
  const whose = own ? 'your' : 'this';
  if (editing) {
    return (
      <Boundary>
        <Suspense fallback={children}>
          <EditComment {...comment} done={() => setEditing(false)} />
        </Suspense>
      </Boundary>
    );
  }
  return (
    <>
      {children}
      <p className="comment-actions">
        <button type="button" className="quiet" aria-expanded={replying} onClick={() => setReplying(!replying)}>
          Reply<span className="unseen"> to {whose} comment</span>
        </button>
        {own && (
          <button ref={edit} type="button" className="quiet" onClick={() => setEditing(true)}>
            Edit<span className="unseen"> your comment</span>
          </button>
        )}
        {mayDelete && (
          <button type="button" className="quiet" onClick={() => setAsking(true)}>
            Delete<span className="unseen"> {whose} comment</span>
          </button>
        )}
      </p>
      {replying && <CommentForm postId={postId} parentId={comment.id} done={() => setReplying(false)} />}
      <OnceAsked open={asking} close={() => setAsking(false)}>
        <DeleteComment id={comment.id} open={asking} close={() => setAsking(false)} />
      </OnceAsked>
    </>
  );
}
