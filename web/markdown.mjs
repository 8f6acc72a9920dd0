// Writes testdata/markdown.json anew: what prose.tsx makes of each text in it. The server's reader of
// Markdown is compared with that. With --check it writes nothing, and fails where something differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { createServer } from 'vite';

const file = new URL('testdata/markdown.json', import.meta.url);
const server = await createServer({ server: { middlewareMode: true, ws: false }, appType: 'custom', logLevel: 'error', optimizeDeps: { noDiscovery: true } });
const { default: Prose } = await server.ssrLoadModule('/src/parts/prose.tsx');
const before = readFileSync(file, 'utf8');
const all = JSON.parse(before).map(({ markdown }) => ({ markdown, html: renderToStaticMarkup(createElement(Prose, { text: markdown })) }));
const now = `[\n${all.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`;
await server.close();
if (!process.argv.includes('--check')) writeFileSync(file, now);
else if (now !== before) throw new Error('web/testdata/markdown.json is not current: node markdown.mjs');
