import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

/** Descriptions of the APIs, which the service serves at `/`. */
const DESCRIPTIONS = ['openapi.json', 'asyncapi.json', 'schema.graphql'];

const root = path.resolve(import.meta.dirname, '..');

/** Adds the descriptions of the APIs to the built pages. */
export const documents = (): Plugin => ({
  name: 'documents',
  generateBundle() {
    for (const name of DESCRIPTIONS)
      this.emitFile({ type: 'asset', fileName: name, source: readFileSync(path.join(root, 'schema', name), 'utf8') });
  },
});
