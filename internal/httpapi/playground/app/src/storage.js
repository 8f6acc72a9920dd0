import { createLocalStorage } from '@graphiql/toolkit';

/**
 * storage returns where GraphiQL keeps its tabs: apart from another project's GraphiQL, seen earlier
 * on the same host and port. Where the browser stores nothing for us, they last as long as the page.
 *
 * @param {boolean} keepsHeaders else none is ever stored
 */
export function storage(keepsHeaders) {
  try {
    const ours = createLocalStorage({ namespace: 'broadsheet' });
    if (!keepsHeaders) forgetHeaders(ours);
    resume(ours);
    return ours;
  } catch {
    return undefined;
  }
}

const holdHeaders = ['graphiql:tabState', 'graphiql:queries', 'graphiql:favorites'];

// GraphiQL's own setting for this leaves the headers in its history.
function forgetHeaders(stored) {
  const { setItem } = stored;
  const without = (json) => JSON.stringify(JSON.parse(json), (name, value) => (name === 'headers' ? null : value));
  stored.setItem = (key, value) => setItem(key, holdHeaders.includes(key) ? without(value) : value);
  // From when this host served development.
  for (const key of holdHeaders) {
    const value = stored.getItem(key);
    if (value) stored.setItem(key, value);
  }
}

// GraphiQL keeps the open tab's texts twice, alone and among the tabs. Where the two differ when a page
// is loaded again, as they do if nothing was typed, it adds a copy of the tab. So they must not differ.
function resume(stored) {
  const state = JSON.parse(stored.getItem('graphiql:tabState'));
  if (!state) return;
  const open = state.tabs[state.activeTabIndex] ?? {};
  for (const text of ['query', 'variables', 'headers']) {
    if (open[text]) stored.setItem(`graphiql:${text}`, open[text]);
    else stored.removeItem(`graphiql:${text}`);
  }
}
