import { defineConfig } from 'vite';

/** Run it: QUIPU_URL=http://localhost:4000 QUIPU_KEY=sk_… npx vite. The proxy adds the key, so that no visitor sees it. */
const proxy = {
  '/quipu': {
    target: process.env.QUIPU_URL ?? 'http://localhost:4000',
    headers: { 'x-api-key': process.env.QUIPU_KEY ?? '' },
    rewrite: (path: string) => path.replace('/quipu', ''),
  },
};

export default defineConfig({ server: { proxy }, preview: { proxy } });
