// What the server sent with the page that it painted: the answer to the page's query, as anybody gets it.
import type { ApolloClient, DocumentNode } from '@apollo/client';
import { PostPage, UserPage } from './app';
import { behind } from './lists';
import { FeedQuery } from './pages/feed';
import { currentSession } from './session';

const queries: Record<'feed' | 'post' | 'user', () => Promise<DocumentNode>> = {
  feed: async () => FeedQuery,
  post: async () => (await PostPage.load()).PostQuery,
  user: async () => (await UserPage.load()).UserQuery,
};

type Sent = { page: keyof typeof queries; variables: { after?: string }; data: object };

/** begin has the client know what the page shows: as it was sent, or, where somebody is signed in, as it is for them. */
export async function begin(client: ApolloClient): Promise<void> {
  const text = document.getElementById('sent')?.textContent;
  if (!text) return;
  const sent = JSON.parse(text) as Sent;
  const query = await queries[sent.page]();
  const variables = { ...sent.variables, ...behind(sent.variables.after ?? null) };
  if (currentSession().token) await client.query({ query, variables });
  else client.writeQuery({ query, variables, data: sent.data });
}
