import { useMutation } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { graphql } from '../gql';
import { newKey } from '../idempotency';
import { insertPosts } from '../lists';
import { Editor, type Draft } from '../parts/editor';
import { Mistakes } from '../parts/field';
import { Page } from '../parts/page';
import { Problem, Skeleton } from '../parts/states';
import { useAskedViewer } from '../parts/viewer';
import { pathOf, routes } from '../paths';
import { describe, type UserError } from '../problems';

const CreatePost = graphql(`
  mutation CreatePost($input: CreatePostInput!) {
    createPost(input: $input) {
      post {
        id
        content
        author {
          id
        }
        ...PostCardPost
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

export default function WritePage() {
  const { viewer, loading, error, refetch } = useAskedViewer();
  return (
    <Page title="Write">
      <h1 className="page-title">Write</h1>
      {loading && <Skeleton rows={3} />}
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!loading && !error && !viewer && (
        <p>
          <Link href={`${pathOf('signIn')}?to=${encodeURIComponent(routes.write)}`}>Sign in</Link> to write a post.
        </p>
      )}
      {viewer && <NewPost />}
    </Page>
  );
}

function NewPost() {
  const [draft, setDraft] = useState<Draft>({ title: '', content: '' });
  const [errors, setErrors] = useState<readonly UserError[]>([]);
  const [create, { loading }] = useMutation(CreatePost);
  const [, navigate] = useLocation();
  const key = useRef(newKey());

  async function publish() {
    try {
      const { data } = await create({
        variables: { input: { ...draft, idempotencyKey: key.current } },
        update(cache, { data: answer }) {
          if (answer?.createPost.post) insertPosts(cache, [answer.createPost.post]);
        },
      });
      setErrors(data?.createPost.userErrors ?? []);
      const post = data?.createPost.post;
      if (post) navigate(pathOf('post', post.id), { replace: true });
    } catch (error) {
      setErrors([{ code: '', message: describe(error) }]);
    }
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void publish();
      }}
    >
      <Editor draft={draft} change={setDraft} errors={errors} unsaved={!!(draft.title || draft.content)} />
      <Mistakes errors={errors} fields={['title', 'content']} />
      <p className="actions">
        <button type="submit" disabled={loading}>
          {loading ? 'Publishing' : 'Publish'}
        </button>
      </p>
    </form>
  );
}
