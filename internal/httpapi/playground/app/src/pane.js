import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';

/** Pane opens below a tab what it is to be played with: its variables, else its headers. */
export function Pane() {
  const { id, variables } = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]);
  const needed = variables ? 'variables' : 'headers';
  useEffect(() => {
    document.querySelector(`.graphiql-editor-tools [data-name=${needed}]`)?.click();
    // By the tab alone: what is typed in it opens nothing.
  }, [id]);
  return null;
}
