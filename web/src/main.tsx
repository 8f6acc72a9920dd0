import { ApolloProvider } from '@apollo/client/react';
import { StrictMode, useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { newClient } from './client';
import { Boundary } from './parts/boundary';
import { tokenOf, useSession } from './session';
import './styles.css';

/** Another identity is another client: nothing that one was shown stays for the next. */
function Root() {
  const { identity } = useSession();
  const client = useMemo(() => newClient(() => tokenOf(identity)), [identity]);
  return (
    <ApolloProvider client={client} key={identity}>
      <App />
    </ApolloProvider>
  );
}

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <Boundary>
      <Root />
    </Boundary>
  </StrictMode>,
);
