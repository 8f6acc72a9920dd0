import { useMutation } from '@apollo/client/react';
import { useState } from 'react';
import { graphql, readFragment, type FragmentType } from '../gql';
import { notify } from '../notice';
import { describe, sentence, type UserError } from '../problems';
import { Byline } from './byline';
import { Confirm } from './confirm';
import { Field, Mistakes } from './field';
import { useViewer } from './viewer';
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

const UpdateComment = graphql(`
  mutation UpdateComment($input: UpdateCommentInput!) {
    updateComment(input: $input) {
      comment {
        ...CommentComment
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

const DeleteComment = graphql(`
  mutation DeleteComment($id: ID!) {
    deleteComment(input: { id: $id }) {
      deletedId
      post {
        id
        commentCount
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

export function Comment({ comment: masked }: { comment: FragmentType<typeof CommentComment> }) {
  const comment = readFragment(CommentComment, masked);
  const viewer = useViewer();
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const [remove] = useMutation(DeleteComment);

  async function deleteIt() {
    try {
      const { data } = await remove({
        variables: { id: comment.id },
        update(cache, { data: answer }) {
          if (answer?.deleteComment.deletedId) cache.evict({ id: cache.identify({ __typename: 'Comment', id: comment.id })! });
        },
      });
      const refused = data?.deleteComment.userErrors[0];
      if (refused) notify(sentence(refused));
    } catch (error) {
      notify(describe(error));
    }
  }

  const own = viewer?.id === comment.author.id;
  return (
    <li className="comment">
      <p className="comment-meta">
        <Byline user={comment.author} />
        <When time={comment.createdAt} />
        {comment.updatedAt !== comment.createdAt && <span>edited</span>}
        {own && !editing && (
          <span className="comment-actions">
            <button type="button" className="quiet" onClick={() => setEditing(true)}>
              Edit<span className="unseen"> your comment</span>
            </button>
            <button type="button" className="quiet" onClick={() => setAsking(true)}>
              Delete<span className="unseen"> your comment</span>
            </button>
          </span>
        )}
      </p>
      {editing ? <Editor {...comment} done={() => setEditing(false)} /> : <p className="comment-text">{comment.content}</p>}
      <Confirm
        open={asking}
        close={() => setAsking(false)}
        title="Delete this comment?"
        text="It will be gone for everybody."
        action="Delete it"
        confirm={() => void deleteIt()}
      />
    </li>
  );
}

type EditorProps = { id: string; content: string; version: number; done: () => void };

function Editor({ id, content, version, done }: EditorProps) {
  const [text, setText] = useState(content);
  const [errors, setErrors] = useState<readonly UserError[]>([]);
  const [update, { loading }] = useMutation(UpdateComment);

  async function save() {
    try {
      const { data } = await update({ variables: { input: { id, content: text, expectedVersion: version } } });
      const refused = data?.updateComment.userErrors ?? [];
      setErrors(refused);
      if (refused.length === 0) done();
    } catch (error) {
      setErrors([{ code: '', message: describe(error) }]);
    }
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label="Your comment" name="content" errors={errors}>
        {(control) => <textarea {...control} rows={4} value={text} onChange={(event) => setText(event.target.value)} autoFocus />}
      </Field>
      <Mistakes errors={errors} fields={['content']} />
      <p className="actions">
        <button type="submit" disabled={loading}>
          Save
        </button>
        <button type="button" className="quiet" onClick={done}>
          Cancel
        </button>
      </p>
    </form>
  );
}
