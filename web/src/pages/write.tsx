import { useMutation, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useDraft } from '../drafts';
import { graphql } from '../gql';
import { insertPosts } from '../lists';
import { Editor, type Text } from '../parts/editor';
import { Form } from '../parts/form';
import { Page } from '../parts/page';
import { Restored } from '../parts/restored';
import { Problem, Skeleton } from '../parts/states';
import { useAskedViewer } from '../parts/viewer';
import { pathOf, routes } from '../paths';
import { failure, mistakes, type Mistake } from '../mistakes';
import { createOnce, type Sent } from '../sending';

const CreatePost = graphql(`
  mutation CreatePost($input: CreatePostInput!) {
    createPost(input: $input) {
      post {
        id
        content
        version
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

const EditNewPost = graphql(`
  mutation EditNewPost($input: UpdatePostInput!) {
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

const WriteInQuery = graphql(`
  query WriteIn($name: String!) {
    group(name: $name) {
      id
      name
      title
    }
  }
`);

type Group = { id: string; name: string; title: string };

export default function WritePage() {
  const { viewer, loading, error, refetch } = useAskedViewer();
  const name = useSearchParams()[0].get('group') ?? '';
  const asked = useQuery(WriteInQuery, { variables: { name }, skip: !name });
  const group = asked.data?.group ?? undefined;
  return (
    <Page title="Write">
      <h1 className="page-title">Write</h1>
      {(loading || asked.loading) && <Skeleton rows={3} />}
      {error && <Problem error={error} retry={() => void refetch()} />}
      {asked.error && <Problem error={asked.error} retry={() => void asked.refetch()} />}
      {asked.data && !group && <p>No group has the name {name} now: the post will be in none.</p>}
      {group && (
        <p>
          In <Link href={pathOf('group', group.name)}>{group.title}</Link>
        </p>
      )}
      {!loading && !error && !viewer && (
        <p>
          <Link href={`${pathOf('signIn')}?to=${encodeURIComponent(routes.write)}`}>Sign in</Link> to write a post.
        </p>
      )}
      {viewer && !viewer.suspended && (!name || asked.data) && <NewPost group={group} />}
    </Page>
  );
}

type Writing = Text & { sent: Sent<Text> | null };

const fields = ['title', 'content'];

function NewPost({ group }: { group: Group | undefined }) {
  const draft = useDraft<Writing>(group ? `post in ${group.id}` : 'post', { title: '', content: '', sent: null });
  const [refused, setRefused] = useState<readonly Mistake[]>([]);
  const [busy, setBusy] = useState(false);
  const [create] = useMutation(CreatePost);
  const [edit] = useMutation(EditNewPost);
  const [, navigate] = useLocation();
  const { title, content, sent } = draft.value;

  async function publish() {
    setBusy(true);
    try {
      const { made, refusals } = await createOnce<Text, { id: string; version: number }, Mistake>({ title, content }, {
        sent,
        remember: (sent) => draft.change((before) => ({ ...before, sent })),
        async create({ key, input }) {
          const { data } = await create({
            variables: { input: { ...input, ...(group && { groupId: group.id }), idempotencyKey: key } },
            update(cache, { data: answer }) {
              if (answer?.createPost.post) insertPosts(cache, [answer.createPost.post]);
              if (group) cache.evict({ id: cache.identify({ __typename: 'Group', id: group.id })!, fieldName: 'posts' });
            },
          });
          return { made: data?.createPost.post, refusals: mistakes('createPost', data?.createPost.userErrors, fields) };
        },
        async edit({ id, version }, input) {
          const { data } = await edit({ variables: { input: { id, ...input, expectedVersion: version } } });
          return { made: data?.updatePost.post, refusals: mistakes('updatePost', data?.updatePost.userErrors, fields) };
        },
      });
      setRefused(refusals);
      if (made && refusals.length === 0) {
        draft.discard();
        navigate(pathOf('post', made.id), { replace: true });
      }
    } catch (error) {
      setRefused(failure(error));
    }
    setBusy(false);
  }

  return (
    <Form send={publish} busy={busy} mistakes={refused} action={busy ? 'Publishing' : 'Publish'}>
      <Restored draft={draft} />
      <Editor text={{ title, content }} change={(part) => draft.change((before) => ({ ...before, ...part }))} mistakes={refused} busy={busy} />
    </Form>
  );
}
