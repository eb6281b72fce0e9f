import { it } from 'vitest';
import { playOutages } from './outages.ts';

it('MO-06 takes no way of failing for a change, and tells what changed meanwhile once the registry is well again', async () => {
  await playOutages({ companies: 40, windows: 1 });
}, 120_000);
