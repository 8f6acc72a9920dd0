import type { ApolloCache, Reference } from '@apollo/client';
import { useMutation } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { graphql } from '../gql';
import type { CreateCommentMutation } from '../gql/graphql';
import { newKey } from '../idempotency';
import { pathOf } from '../paths';
import { describe, type UserError } from '../problems';
import { useToken } from '../session';
import { Field, Mistakes } from './field';

const CreateComment = graphql(`
  mutation CreateComment($input: CreateCommentInput!) {
    createComment(input: $input) {
      commentEdge {
        cursor
        node {
          id
          ...CommentComment
        }
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

type Edge = NonNullable<CreateCommentMutation['createComment']['commentEdge']>;
type StoredList = { edges: { __typename: 'CommentEdge'; cursor: string; node: Reference }[]; pageInfo: { hasNextPage: boolean } };

/**
 * addComment puts a new comment where it belongs in the lists that are held: first among the newest,
 * and last among the oldest where their end is reached. Its cursor is one of the newest alone.
 */
export function addComment(cache: ApolloCache, postId: string, { cursor, node }: Edge) {
  const added = { __ref: cache.identify(node)! };
  cache.modify<{ comments: StoredList }>({
    id: cache.identify({ __typename: 'Post', id: postId })!,
    fields: {
      comments(list, { storeFieldName }) {
        const known = list as StoredList;
        if (known.edges.some((edge) => edge.node.__ref === added.__ref)) return list;
        const edge = (at: string) => ({ __typename: 'CommentEdge' as const, cursor: at, node: added });
        if (storeFieldName.includes('NEWEST_FIRST')) return { ...known, edges: [edge(cursor), ...known.edges] };
        return known.pageInfo.hasNextPage ? list : { ...known, edges: [...known.edges, edge('')] };
      },
    },
  });
}

export function CommentForm({ postId }: { postId: string }) {
  const token = useToken();
  const [path] = useLocation();
  const [text, setText] = useState('');
  const [errors, setErrors] = useState<readonly UserError[]>([]);
  const [create, { loading }] = useMutation(CreateComment);
  const key = useRef(newKey());

  if (!token) {
    return (
      <p className="invitation">
        <Link href={`${pathOf('signIn')}?to=${encodeURIComponent(path)}`}>Sign in</Link> to leave a comment.
      </p>
    );
  }

  async function send() {
    try {
      const { data } = await create({
        variables: { input: { postId, content: text, idempotencyKey: key.current } },
        update(cache, { data: answer }) {
          if (answer?.createComment.commentEdge) addComment(cache, postId, answer.createComment.commentEdge);
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
