import { ApolloProvider } from '@apollo/client/react';
import { StrictMode, useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { newClient } from './client';
import { useToken } from './session';
import './styles.css';

/** Another identity is another client: nothing that one was shown stays for the next. */
function Root() {
  const token = useToken();
  const client = useMemo(() => newClient(token), [token]);
  return (
    <ApolloProvider client={client} key={token}>
      <App />
    </ApolloProvider>
  );
}

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <Root />
  </StrictMode>,
);
