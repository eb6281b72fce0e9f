// node trusted-documents.js: writes dist/trusted-documents.json, SHA-256 → text of each operation as the client sends it, for `quipu documents register`.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { print } from 'graphql';
import * as generated from './dist/generated/graphql.js';

const texts = Object.entries(generated).flatMap(([name, value]) => (name.endsWith('Document') ? [print(value)] : []));
const manifest = Object.fromEntries(texts.map((text) => [createHash('sha256').update(text).digest('hex'), text]));
writeFileSync(new URL('dist/trusted-documents.json', import.meta.url), `${JSON.stringify(manifest, null, 2)}\n`);
