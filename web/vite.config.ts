import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * documents names each `graphql(…)`'s document where it stands. By itself that function looks the
 * document up by its text in a table of all, which would be loaded with the first page.
 */
const documents: Plugin = {
  name: 'documents',
  enforce: 'pre',
  transform(code, id) {
    if (!/\/src\/(pages|parts)\/.*\.tsx$/.test(id)) return;
    const names = new Set<string>();
    const named = code.replace(/graphql\(`\s*(query|mutation|subscription|fragment) (\w+)[^`]*`\)/g, (_, kind: string, name: string) => {
      const document = name + (kind === 'fragment' ? 'FragmentDoc' : 'Document');
      names.add(document);
      return document;
    });
    return names.size === 0 ? undefined : `import { ${[...names].join(', ')} } from '/src/gql/graphql';\n${named}`;
  },
};

export default defineConfig({
  plugins: [documents, react()],
  build: {
    target: 'baseline-widely-available',
    cssCodeSplit: false, // one file, in the page's head: what is loaded later moves nothing
    assetsInlineLimit: 0, // the policy allows files of this server, and no data: URLs
    modulePreload: { polyfill: false },
    license: { fileName: 'assets/licenses.md' },
  },
  server: {
    proxy: { '/graphql': { target: process.env.BROADSHEET_URL ?? 'http://127.0.0.1:8080', ws: true } },
  },
});
