import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { Kind, parse } from 'graphql';
import { show } from './cost.jsx';
import { lookedUp } from './tabs.js';

/**
 * fetcher returns what executes an operation of the page: by HTTP, and a subscription by WebSocket.
 * It asks what each costs, which is shown below the answer and not in it.
 */
export function fetcher(settings) {
  const url = new URL(settings.endpoint, location.href);
  const socket = new URL(url);
  socket.protocol = socket.protocol.replace('http', 'ws');
  const execute = createGraphiQLFetcher({ url: url.href, subscriptionUrl: socket.href, enableIncrementalDelivery: false });
  return async (request, options) => {
    if (request.operationName === 'IntrospectionQuery') return execute(request, options);
    show(undefined);
    const [named, documentAST] = current(request, options.documentAST);
    const asked = { ...named, variables: await lookedUp(named.variables, settings, post) };
    const answer = await execute({ ...asked, extensions: { cost: true } }, { ...options, documentAST });
    return Symbol.asyncIterator in answer ? each(answer) : withoutCost(answer);
  };
}

/**
 * current returns a request and its document as the tab has it. GraphiQL reads a text some time after it
 * was changed: Play soon after a change of tab would ask for the operation of the tab before.
 */
function current(request, documentAST) {
  let read;
  try {
    read = parse(request.query);
  } catch {
    return [request, documentAST]; // the server says what is wrong with it
  }
  const names = read.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).map(({ name }) => name?.value);
  return [names.includes(request.operationName) ? request : { ...request, operationName: names[0] }, read];
}

async function* each(answers) {
  for await (const answer of answers) yield withoutCost(answer);
}

function withoutCost({ extensions: { cost, ...others } = {}, ...answer }) {
  if (cost) show(cost);
  return Object.keys(others).length > 0 ? { ...answer, extensions: others } : answer;
}

/** post executes an operation of the page's own, and returns its data. */
export async function post({ endpoint, headers }, query) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(headers && JSON.parse(headers)) },
    body: JSON.stringify({ query }),
  });
  return (await response.json()).data;
}
