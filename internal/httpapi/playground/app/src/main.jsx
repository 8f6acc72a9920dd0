// Starts GraphiQL with the settings that the page carries as data.
import 'graphiql/style.css';
import './playground.css';
import './workers.js';
import { GraphiQL } from 'graphiql';
import { createRoot } from 'react-dom/client';
import { Cost } from './cost.jsx';
import { fetcher, post } from './fetcher.js';
import { Pane } from './pane.js';
import { storage } from './storage.js';
import { filled } from './tabs.js';

const settings = JSON.parse(document.getElementById('settings').textContent);

// A development token is a name. Any other is a secret, which has no place in localStorage.
const keepsHeaders = settings.headers !== '';
const stored = storage(keepsHeaders);
const tabs = stored?.getItem('graphiql:tabState') ? settings.tabs : await filled(settings, post);

createRoot(document.getElementById('playground')).render(
  <GraphiQL
    fetcher={fetcher(settings)}
    storage={stored}
    defaultTabs={tabs}
    defaultQuery="" // of a tab that the reader adds
    defaultHeaders={settings.headers}
    shouldPersistHeaders={keepsHeaders}
    showPersistHeadersSettings={keepsHeaders}
    defaultEditorToolsVisibility={keepsHeaders ? 'headers' : 'variables'}
  >
    <GraphiQL.Logo>Broadsheet</GraphiQL.Logo>
    <GraphiQL.Footer>
      <Cost />
    </GraphiQL.Footer>
    <Pane />
  </GraphiQL>,
);
