import { useMutation } from '@apollo/client/react';
import { useState } from 'react';
import { graphql } from '../gql';
import { describe, type UserError } from '../problems';
import { Field, Mistakes } from './field';

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

type Props = { id: string; content: string; version: number; done: () => void };

export default function EditComment({ id, content, version, done }: Props) {
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
