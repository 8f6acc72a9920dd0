// The file in which a Go test of httpapi finds the requests and their verdicts.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cases, deliberate } from './cases.js';
import { verdicts } from './verdicts.js';

export const file = new URL('../../internal/httpapi/testdata/coercion.json', import.meta.url);

/** content is what the file is to hold: a case a line. */
export const content = `[\n${verdicts(cases, deliberate).map((c) => JSON.stringify(c)).join(',\n')}\n]\n`;

// npm run coercion
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, content);
