import { ApolloProvider } from '@apollo/client/react';
import { StrictMode, useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { newClient } from './client';
import { Boundary } from './parts/boundary';
import { begin } from './sent';
import { currentSession, provider, tokenOf, useSession } from './session';
import './styles.css';

const first = newClient(() => tokenOf(0));

/** Another identity is another client: nothing that one was shown stays for the next. */
function Root() {
  const { identity } = useSession();
  const client = useMemo(() => (identity === 0 ? first : newClient(() => tokenOf(identity))), [identity]);
  return (
    <ApolloProvider client={client} key={identity}>
      <App />
    </ApolloProvider>
  );
}

function show() {
  createRoot(document.getElementById('app')!).render(
    <StrictMode>
      <Boundary>
        <Root />
      </Boundary>
    </StrictMode>,
  );
}

if (provider && currentSession().token) void import('./oidc').then((oidc) => oidc.watch());

// What the server painted stays until the app can show as much. What it can't, it says.
begin(first).then(show, show);
