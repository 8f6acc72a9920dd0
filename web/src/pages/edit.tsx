import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { Link, useLocation } from 'wouter';
import { graphql } from '../gql';
import { Conflict } from '../parts/conflict';
import { Editor, type Text } from '../parts/editor';
import { Form } from '../parts/form';
import { Page } from '../parts/page';
import { Restored } from '../parts/restored';
import { Problem, Skeleton } from '../parts/states';
import { pathOf } from '../paths';
import { refusal } from '../mistakes';
import { useEdit } from '../use-edit';

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

const labels = { title: 'Title', content: 'Text' };

function Edit({ id, title, content, version }: Text & { id: string; version: number }) {
  const client = useApolloClient();
  const [update] = useMutation(UpdatePost);
  const [, navigate] = useLocation();
  const edit = useEdit<Text>({
    place: `post.${id}`,
    seen: { version, text: { title, content } },
    async save(changes, expectedVersion) {
      const { data } = await update({ variables: { input: { id, expectedVersion, ...changes } } });
      return refusal('updatePost', data?.updatePost.userErrors, Object.keys(labels));
    },
    async read() {
      const { data } = await client.query({ query: EditedPost, variables: { id }, fetchPolicy: 'network-only' });
      return data?.post ? { version: data.post.version, text: { title: data.post.title, content: data.post.content } } : null;
    },
    gone: [{ message: 'The post was deleted meanwhile.' }],
    done: () => navigate(pathOf('post', id), { replace: true }),
  });

  if (edit.theirs) return <Conflict what="post" labels={labels} yours={edit.text} theirs={edit.theirs.text} resolve={edit.resolve} />;
  return (
    <Form
      send={edit.send}
      busy={edit.busy}
      mistakes={edit.mistakes}
      action={edit.busy ? 'Saving' : 'Save'}
      others={
        <Link href={pathOf('post', id)} className="button quiet">
          Cancel
        </Link>
      }
    >
      <Restored draft={edit} />
      <Editor text={edit.text} change={edit.change} mistakes={edit.mistakes} busy={edit.busy} />
    </Form>
  );
}
