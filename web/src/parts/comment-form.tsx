import { useMutation } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { graphql } from '../gql';
import { newKey } from '../idempotency';
import { insertComments } from '../lists';
import { describe, type UserError } from '../problems';
import { Field, Mistakes } from './field';

const CreateComment = graphql(`
  mutation CreateComment($input: CreateCommentInput!) {
    createComment(input: $input) {
      comment {
        id
        ...CommentComment
      }
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

export default function CommentForm({ postId }: { postId: string }) {
  const [text, setText] = useState('');
  const [errors, setErrors] = useState<readonly UserError[]>([]);
  const [create, { loading }] = useMutation(CreateComment);
  const key = useRef(newKey());

  async function send() {
    try {
      const { data } = await create({
        variables: { input: { postId, content: text, idempotencyKey: key.current } },
        update(cache, { data: answer }) {
          if (answer?.createComment.comment) insertComments(cache, postId, [answer.createComment.comment]);
        },
      });
      const refused = data?.createComment.userErrors ?? [];
      setErrors(refused);
      if (refused.length > 0) return;
      key.current = newKey();
      setText('');
    } catch (error) {
      setErrors([{ code: '', message: describe(error) }]);
    }
  }

  return (
    <form
      className="comment-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Field label="Your comment" name="content" errors={errors}>
        {(control) => <textarea {...control} rows={3} value={text} onChange={(event) => setText(event.target.value)} />}
      </Field>
      <Mistakes errors={errors} fields={['content']} />
      <p className="actions">
        <button type="submit" disabled={loading}>
          Comment
        </button>
      </p>
    </form>
  );
}
