import { useMutation, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { graphql } from '../gql';
import { Conflict } from '../parts/conflict';
import { Editor, type Draft } from '../parts/editor';
import { Mistakes } from '../parts/field';
import { Page } from '../parts/page';
import { Problem, Skeleton } from '../parts/states';
import { pathOf } from '../paths';
import { describe, type UserError } from '../problems';

const EditedPost = graphql(`
  query EditedPost($id: ID!) {
    viewer {
      ...ViewerFields
      id
    }
    post(id: $id) {
      id
      title
      content
      version
      author {
        id
      }
    }
  }
`);

const UpdatePost = graphql(`
  mutation UpdatePost($input: UpdatePostInput!) {
    updatePost(input: $input) {
      post {
        id
        content
        updatedAt
        version
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

export default function EditPage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(EditedPost, { variables: { id }, fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  const post = data?.post;
  return (
    <Page title="Edit">
      <h1 className="page-title">Edit</h1>
      {!data && !error && <Skeleton rows={3} />}
      {!data && error && <Problem error={error} retry={() => void refetch()} />}
      {data && !post && <p>This post was deleted, or never was.</p>}
      {post && data.viewer?.id !== post.author.id && <p>Only its author edits a post.</p>}
      {post && data.viewer?.id === post.author.id && <Edit {...post} />}
    </Page>
  );
}

export type Edited = Draft & { id: string; version: number };

function Edit({ id, ...seen }: Edited) {
  // What the edit began from. It is no newer copy of the cache's: an edit of that was never seen.
  const [base, setBase] = useState<Draft & { version: number }>(seen);
  const [draft, setDraft] = useState<Draft>({ title: seen.title, content: seen.content });
  const [theirs, setTheirs] = useState<(Draft & { version: number }) | null>(null);
  const [errors, setErrors] = useState<readonly UserError[]>([]);
  const [update, { loading, client }] = useMutation(UpdatePost);
  const [, navigate] = useLocation();
  const changed = draft.title !== base.title || draft.content !== base.content;

  async function save() {
    try {
      const { data } = await update({
        variables: {
          // What is left out stays as it is, and is no one's to overwrite.
          input: {
            id,
            expectedVersion: base.version,
            ...(draft.title !== base.title && { title: draft.title }),
            ...(draft.content !== base.content && { content: draft.content }),
          },
        },
      });
      const refused = data?.updatePost.userErrors ?? [];
      if (refused.some(({ code }) => code === 'VERSION_CONFLICT')) return await showConflict();
      setErrors(refused);
      if (refused.length === 0) navigate(pathOf('post', id), { replace: true });
    } catch (error) {
      setErrors([{ code: '', message: describe(error) }]);
    }
  }

  async function showConflict() {
    const { data } = await client.query({ query: EditedPost, variables: { id }, fetchPolicy: 'network-only' });
    if (!data?.post) return setErrors([{ code: '', message: 'The post was deleted meanwhile.' }]);
    const { title, content, version } = data.post;
    setErrors([]);
    setTheirs({ title, content, version });
  }

  /** resolve goes on from their version, with a text that was chosen knowing it. */
  function resolve(chosen: Draft) {
    setBase(theirs!);
    setDraft({ title: chosen.title, content: chosen.content });
    setTheirs(null);
  }

  if (theirs) return <Conflict yours={draft} theirs={theirs} resolve={resolve} />;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Editor draft={draft} change={setDraft} errors={errors} unsaved={changed} />
      <Mistakes errors={errors} fields={['title', 'content']} />
      <p className="actions">
        <button type="submit" disabled={loading}>
          {loading ? 'Saving' : 'Save'}
        </button>
        <Link href={pathOf('post', id)} className="button quiet">
          Cancel
        </Link>
      </p>
    </form>
  );
}
