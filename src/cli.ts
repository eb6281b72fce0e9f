import { onSupportedNode } from './node-version.ts';

await onSupportedNode(() => import('./cli/program.ts'));
