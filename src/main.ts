import { onSupportedNode } from './node-version.ts';

await onSupportedNode(() => import('./serve.ts'));
