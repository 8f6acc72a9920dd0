import { useQuery } from '@apollo/client/react';
import { useRef } from 'react';
import { Link, useSearchParams } from 'wouter';
import { graphql } from '../gql';
import { insertPosts, placeOf } from '../lists';
import { useChanges } from '../live/use-changes';
import { useNews } from '../live/use-news';
import { Endless } from '../parts/endless';
import { ByMonth, Months, nameOf } from '../parts/months';
import { NewsBar } from '../parts/news-bar';
import { Page } from '../parts/page';
import { PostCard } from '../parts/post-card';
import { Problem, Skeleton } from '../parts/states';
import { routes } from '../paths';

export const FeedQuery = graphql(`
  query FeedPage($after: String, $createdFrom: DateTime, $createdTo: DateTime) {
    viewer {
      ...ViewerFields
    }
    feed(first: 12, after: $after, createdFrom: $createdFrom, createdTo: $createdTo) {
      liveCursor
      edges {
        cursor
        node {
          id
          ...PostCardPost
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const PostCreated = graphql(`
  subscription PostCreated($after: String) {
    postCreated(after: $after) {
      cursor
      post {
        id
        author {
          id
        }
        ...PostCardPost
      }
    }
  }
`);

const today = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

export function FeedPage() {
  const [address] = useSearchParams();
  const [after, month] = [address.get('after'), address.get('month')];
  const { data, error, refetch, fetchMore, client } = useQuery(FeedQuery, { variables: placeOf(address) });
  const cards = useRef<HTMLDivElement>(null);
  const news = useNews({
    query: PostCreated,
    variables: (after) => ({ after }),
    event: ({ postCreated: { cursor, post } }) => ({ cursor, node: post }),
    liveCursor: after || month ? undefined : data?.feed.liveCursor, // what is new is elsewhere
    known: (id) => data?.feed.edges.some(({ node }) => node.id === id) ?? false,
    put: (posts, liveCursor) => insertPosts(client.cache, posts, liveCursor),
    refetch,
  });
  useChanges(data?.feed.liveCursor, refetch);

  function top() {
    scrollTo(0, 0);
    cards.current?.focus({ preventScroll: true });
  }

  return (
    <Page title="Broadsheet" className="wide">
      <div className="dateline">
        <h1>{month ? nameOf(month) : after ? 'Older posts' : 'The newest posts'}</h1>
        <p>{today.format(new Date())}</p>
        <ByMonth />
      </div>
      {month && <Months of={month} />}
      {!data && !error && <Skeleton rows={6} />}
      {!data && error && <Problem error={error} retry={() => void refetch()} />}
      {data && data.feed.edges.length === 0 && (
        <div className="empty">
          <p>{month ? 'Nothing was written in this month.' : 'Nothing has been written yet.'}</p>
          {!month && (
            <Link className="action" href={routes.write}>
              Write the first post
            </Link>
          )}
        </div>
      )}
      {data && (
        <>
          <NewsBar news={news} what="post" at="above" shown={top} />
          <div className="cards front" ref={cards} tabIndex={-1}>
            {data.feed.edges.map(({ node }) => (
              <PostCard key={node.id} post={node} />
            ))}
          </div>
          <Endless
            what="posts"
            more={data.feed.pageInfo.hasNextPage}
            load={() => fetchMore({ variables: { after: data.feed.pageInfo.endCursor } })}
          />
        </>
      )}
    </Page>
  );
}
