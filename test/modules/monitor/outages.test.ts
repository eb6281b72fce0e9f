import { it } from 'vitest';
import { playOutages } from './outages.ts';

it('MO-06 publishes nothing while the registry fails in any mode, and publishes the real changes once it recovers', async () => {
  await playOutages({ companies: 40, windows: 1 });
}, 120_000);
