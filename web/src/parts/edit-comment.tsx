import { useApolloClient, useMutation } from '@apollo/client/react';
import { graphql } from '../gql';
import { refusal } from '../mistakes';
import { announce } from '../notice';
import { useEdit } from '../use-edit';
import { Conflict } from './conflict';
import { Field } from './field';
import { Form } from './form';
import { Restored } from './restored';

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

const CommentNow = graphql(`
  query CommentNow($id: ID!) {
    node(id: $id) {
      ... on Comment {
        id
        content
        version
      }
    }
  }
`);

const labels = { content: 'Your comment' };

type Props = { id: string; content: string; version: number; done: () => void };

export default function EditComment({ id, content, version, done }: Props) {
  const client = useApolloClient();
  const [update] = useMutation(UpdateComment);
  const edit = useEdit({
    place: `comment.${id}`,
    seen: { version, text: { content } },
    async save(changes, expectedVersion) {
      // The mutation needs the content, changed or not.
      const { data } = await update({ variables: { input: { id, expectedVersion, content: edit.text.content, ...changes } } });
      return refusal('updateComment', data?.updateComment.userErrors, Object.keys(labels));
    },
    async read() {
      const { data } = await client.query({ query: CommentNow, variables: { id }, fetchPolicy: 'network-only' });
      return data?.node?.__typename === 'Comment' ? { version: data.node.version, text: { content: data.node.content } } : null;
    },
    gone: [{ message: 'The comment was deleted meanwhile.' }],
    done() {
      done();
      announce('Your comment was saved.');
    },
  });

  if (edit.theirs) return <Conflict what="comment" labels={labels} yours={edit.text} theirs={edit.theirs.text} resolve={edit.resolve} />;
  return (
    <Form
      send={edit.send}
      busy={edit.busy}
      mistakes={edit.mistakes}
      action="Save"
      others={
        <button type="button" className="quiet" onClick={done}>
          Cancel
        </button>
      }
    >
      <Restored draft={edit} />
      <Field label={labels.content} name="content" mistakes={edit.mistakes}>
        {(control) => (
          <textarea {...control} rows={4} value={edit.text.content} readOnly={edit.busy} onChange={(event) => edit.change({ content: event.target.value })} autoFocus />
        )}
      </Field>
    </Form>
  );
}
