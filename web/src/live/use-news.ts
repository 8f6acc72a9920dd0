import type { OperationVariables, TypedDocumentNode } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useEffect, useRef, useState } from 'react';
import { useViewer } from '../parts/viewer';
import { follow } from './follow';

/** How many new ones are kept at most. A list that lacks more is fetched anew. */
const most = 200;

type Item = { id: string; author: { id: string } };

export type List<Data, Variables extends OperationVariables, Node extends Item> = {
  query: TypedDocumentNode<Data, Variables>;
  variables: (after: string) => Variables;
  event: (data: Data) => { cursor: string; node?: Node | null }; // no node: it was deleted since
  liveCursor: string | undefined; // where the list ends, and its stream begins
  known: (id: string) => boolean;
  put: (nodes: Node[], liveCursor?: string) => void; // into the list, each once
  refetch: () => Promise<unknown>;
};

export type News<Node = unknown> = {
  fresh: Node[]; // that the list has not
  count: number;
  more: boolean; // than are counted
  show: () => Promise<unknown>;
};

type Waiting<Node> = {
  since: string | undefined; // the liveCursor of the list that they are not in
  nodes: Node[];
  cursor: string; // of the last event
};

/**
 * useNews follows a list's stream. What others made waits until it is shown, so that nothing moves by
 * itself; what the viewer made is put into the list at once. The list's liveCursor moves as the
 * waiting are shown, so that whenever the page is left, the stream begins again with what was not.
 */
export function useNews<Data, Variables extends OperationVariables, Node extends Item>(list: List<Data, Variables, Node>): News<Node> {
  const client = useApolloClient();
  const viewer = useViewer();
  const latest = useRef({ list, viewer });
  latest.current = { list, viewer };
  const { liveCursor } = list;
  const [seen, setSeen] = useState<Waiting<Node>>(noneSince(liveCursor));
  const waiting = seen.since === liveCursor ? seen : noneSince<Node>(liveCursor);
  const more = waiting.nodes.length === most;

  useEffect(() => {
    if (!liveCursor || more) return;
    return follow(client, {
      query: latest.current.list.query,
      variables: (after) => latest.current.list.variables(after),
      after: liveCursor,
      next(data) {
        const { list, viewer } = latest.current;
        const { cursor, node } = list.event(data);
        const own = node?.author.id === viewer?.id;
        if (node && own) list.put([node]);
        setSeen((before) => withEvent(before.since === liveCursor ? before : noneSince(liveCursor), cursor, own ? null : node));
        return cursor;
      },
      expired: () => latest.current.list.refetch(),
    });
  }, [client, liveCursor, more]);

  const fresh = waiting.nodes.filter(({ id }) => !list.known(id));
  return {
    fresh,
    count: fresh.length,
    more,
    show: async () => (more ? list.refetch() : list.put(fresh, waiting.cursor)),
  };
}

const noneSince = <Node,>(since: string | undefined): Waiting<Node> => ({ since, nodes: [], cursor: '' });

function withEvent<Node extends Item>(before: Waiting<Node>, cursor: string, node?: Node | null): Waiting<Node> {
  if (!node || before.nodes.length === most || before.nodes.some(({ id }) => id === node.id)) return { ...before, cursor };
  return { ...before, cursor, nodes: [...before.nodes, node] };
}
