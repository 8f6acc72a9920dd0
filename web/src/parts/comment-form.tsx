import { useMutation } from '@apollo/client/react';
import { useState } from 'react';
import { useDraft } from '../drafts';
import { graphql } from '../gql';
import { insertComments } from '../lists';
import { insertReply } from '../replies';
import { failure, mistakes, type Mistake } from '../mistakes';
import { announce } from '../notice';
import { createOnce, type Sent } from '../sending';
import { Field } from './field';
import { Form } from './form';
import { Restored } from './restored';

const CreateComment = graphql(`
  mutation CreateComment($input: CreateCommentInput!) {
    createComment(input: $input) {
      comment {
        id
        version
        depth
        parentId
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

const EditNewComment = graphql(`
  mutation EditNewComment($input: UpdateCommentInput!) {
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

type Input = { content: string };
type Saying = Input & { sent: Sent<Input> | null };
type Made = { id: string; version: number };

type Props = { postId: string; parentId?: string; done?: () => void };

/** CommentForm is where a comment on a post is written, or a reply to one. */
export default function CommentForm({ postId, parentId, done }: Props) {
  const draft = useDraft<Saying>(parentId ? `comment.${parentId}.reply` : `post.${postId}.comment`, { content: '', sent: null });
  const [refused, setRefused] = useState<readonly Mistake[]>([]);
  const [busy, setBusy] = useState(false);
  const [create] = useMutation(CreateComment);
  const [edit] = useMutation(EditNewComment);
  const { content, sent } = draft.value;

  async function send() {
    setBusy(true);
    try {
      const { made, refusals } = await createOnce<Input, Made, Mistake>({ content }, {
        sent,
        remember: (sent) => draft.change((before) => ({ ...before, sent })),
        async create({ key, input }) {
          const { data } = await create({
            variables: { input: { postId, ...(parentId && { parentId }), ...input, idempotencyKey: key } },
            update(cache, { data: answer }) {
              const comment = answer?.createComment.comment;
              if (!comment) return;
              insertComments(cache, postId, [comment]);
              insertReply(cache, postId, comment);
            },
          });
          return { made: data?.createComment.comment, refusals: mistakes('createComment', data?.createComment.userErrors, ['content']) };
        },
        async edit({ id, version }, input) {
          const { data } = await edit({ variables: { input: { id, ...input, expectedVersion: version } } });
          return { made: data?.updateComment.comment && { id, version }, refusals: mistakes('updateComment', data?.updateComment.userErrors, ['content']) };
        },
      });
      setRefused(refusals);
      if (made && refusals.length === 0) {
        draft.discard();
        announce(parentId ? 'Your reply is there.' : 'Your comment is there.');
        done?.();
      }
    } catch (error) {
      setRefused(failure(error));
    }
    setBusy(false);
  }

  return (
    <Form className="comment-form" send={send} busy={busy} mistakes={refused} action={parentId ? 'Reply' : 'Comment'}>
      <Restored draft={draft} />
      <Field label={parentId ? 'Your reply' : 'Your comment'} name="content" mistakes={refused}>
        {(control) => (
          <textarea
            {...control}
            rows={3}
            value={content}
            readOnly={busy}
            onChange={(event) => draft.change((before) => ({ ...before, content: event.target.value }))}
          />
        )}
      </Field>
    </Form>
  );
}
