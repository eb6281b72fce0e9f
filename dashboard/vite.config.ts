import { defineConfig } from 'vite';
import { docsSite } from './docs-site/plugin.ts';

const service = 'http://localhost:4000';

/**
 * The pages `index.html` (served at `/`), `status.html` (`/status`), `explorer.html` (`/graphql` for browsers) and `dashboard.html`
 * (`/dashboard` and below), with the assets that they share, and `docs.html`, the layout of the pages below `/docs`. `npm run
 * dev:dashboard` serves them from the sources, over the API of a service on port 4000.
 */
export default defineConfig({
  base: '/dashboard/',
  plugins: [docsSite()],
  build: {
    emptyOutDir: true,
    chunkSizeWarningLimit: 600, // in kB before compression; the editor of the explorer has 560
    rolldownOptions: {
      // most of the time is spent in the plugin of the docs, which nobody who starts the service can change
      checks: { pluginTimings: false },
      input: ['index.html', 'status.html', 'dashboard.html', 'explorer.html', 'docs.html'].map((page) => `${import.meta.dirname}/${page}`),
    },
  },
  server: {
    fs: { allow: ['..'] },
    proxy: { '/graphql': { target: service, ws: true }, '/v1': service, '/auth': service, '/status.json': service },
  },
});
