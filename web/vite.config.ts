import { InMemoryCache } from '@apollo/client';
import react from '@vitejs/plugin-react';
import { print, type DocumentNode } from 'graphql';
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

const own = 'document:';
const all = new URL('src/gql/graphql.ts', import.meta.url);

/**
 * documents puts each `graphql(…)`'s document in a module of its own, and names it where it stands, so
 * that a page loads what it asks. By itself that function looks the document up by its text in a
 * table of all.
 */
const documents: Plugin = {
  name: 'documents',
  enforce: 'pre',
  transform(code, id) {
    if (!/\/src\/(pages|parts|live)\/.*\.tsx?$/.test(id)) return;
    const names = new Set<string>();
    const named = code.replace(/graphql\(`\s*(query|mutation|subscription|fragment) (\w+)[^`]*`\)/g, (_, kind: string, name: string) => {
      const document = name + (kind === 'fragment' ? 'FragmentDoc' : 'Document');
      names.add(document);
      return document;
    });
    const imports = [...names].map((name) => `import { ${name} } from '${own}${name}';\n`);
    return imports.join('') + named;
  },
  resolveId: (id) => (id.startsWith(own) ? `\0${id}` : undefined),
  load(id) {
    if (!id.startsWith(`\0${own}`)) return;
    const name = id.slice(1 + own.length);
    return declarationOf(name);
  },
};

function declarationOf(name: string): string {
  const declaration = readFileSync(all, 'utf8').split('\n').find((line) => line.startsWith(`export const ${name} = `));
  if (!declaration) throw new Error(`src/gql/graphql.ts has no ${name}`);
  return declaration.slice(0, declaration.lastIndexOf(' as unknown as '));
}

const painted = { feed: 'FeedPage', post: 'PostPage', user: 'UserPage' };

/** pages tells the server what each page that it paints asks, as the app's cache does, and which scripts it has beside the first. */
const pages: Plugin = {
  name: 'pages',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
    const first = chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName, imports }) => [fileName, ...imports]);
    const described = Object.entries(painted).map(([page, operation]) => {
      const declaration = declarationOf(`${operation}Document`);
      const document = JSON.parse(declaration.slice(declaration.indexOf('{'))) as DocumentNode;
      const query = print(new InMemoryCache().transformDocument(document));
      const own = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/pages/${page}.tsx`));
      const scripts = own ? [own.fileName, ...own.imports].filter((name) => !first.includes(name)) : [];
      return [page, { query, scripts }];
    });
    this.emitFile({ type: 'asset', fileName: 'pages.json', source: `${JSON.stringify(Object.fromEntries(described), null, 2)}\n` });
  },
};

export default defineConfig({
  plugins: [documents, pages, react()],
  build: {
    target: 'baseline-widely-available',
    cssCodeSplit: false, // one file, in the page's head: what is loaded later moves nothing
    assetsInlineLimit: 0, // the policy allows files of this server, and no data: URLs
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What every page needs is one file, not twenty: it is smaller compressed.
        codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] },
      },
    },
    license: { fileName: 'assets/licenses.md' },
  },
  server: {
    proxy: { '/graphql': { target: process.env.BROADSHEET_URL ?? 'http://127.0.0.1:8080', ws: true } },
  },
});
