import type { ApolloClient, OperationVariables, TypedDocumentNode } from '@apollo/client';
import { hasCode } from '../client';

export type Stream<Data, Variables extends OperationVariables> = {
  query: TypedDocumentNode<Data, Variables>;
  after: string; // the cursor to begin behind
  variables: (after: string) => Variables;
  next: (data: Data) => string; // takes an event, and returns its cursor
  expired: () => Promise<unknown>; // fetches the list anew: its cursor leads on no more
};

// In milliseconds.
const shortest = 500;
const longest = 30_000;

/**
 * follow takes every event of a stream once. Wherever the stream breaks off, it is subscribed to again
 * after the last event: later and later while that fails, and at once when the browser is online again.
 * It returns what ends it.
 */
export function follow<Data, Variables extends OperationVariables>(client: ApolloClient, stream: Stream<Data, Variables>): () => void {
  let { after } = stream;
  let wait = shortest;
  let ended = false;
  let stop = subscribe();

  function subscribe() {
    const began = Date.now();
    const subscription = client.subscribe({ query: stream.query, variables: stream.variables(after) }).subscribe(({ data, error }) => {
      if (error) brokeOff(error, began);
      else after = stream.next(data as Data);
    });
    return () => subscription.unsubscribe();
  }

  function brokeOff(error: unknown, began: number) {
    if (ended) return;
    stop();
    if (Date.now() - began > longest) wait = shortest;
    stop = later(wait, () => (useless(error) ? fetchAnew(error) : (stop = subscribe())));
    wait = Math.min(2 * wait, longest);
  }

  /** fetchAnew gets the list as it is. Where that begins is another stream's cursor. */
  function fetchAnew(error: unknown) {
    stream.expired().catch(() => brokeOff(error, Date.now()));
  }

  return () => {
    ended = true;
    stop();
  };
}

/** useless says that what follows a cursor is kept no more, or that it is a cursor of another store's. */
function useless(error: unknown): boolean {
  return hasCode(error, 'CURSOR_EXPIRED') || hasCode(error, 'BAD_USER_INPUT');
}

/** later calls after some time, not always the same, or as soon as the browser is online. It returns what prevents it. */
function later(wait: number, call: () => void): () => void {
  const prevent = () => {
    clearTimeout(timer);
    removeEventListener('online', now);
  };
  const now = () => {
    prevent();
    call();
  };
  const timer = setTimeout(now, wait * (0.5 + Math.random() / 2));
  addEventListener('online', now);
  return prevent;
}
