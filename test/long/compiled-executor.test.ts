import { expect, it } from 'vitest';
import { executorComparison } from '../support/executor-comparison.ts';
import { randomOf } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';

it('the compiled executor writes the bytes that graphql-js gives for 10,000 generated operations', async () => {
  const next = executorComparison(randomOf(Number(process.env.QUIPU_PROPERTY_SEED ?? 1)));
  for (let i = 0; i < rounds(10_000); i += 1) {
    const { text, expected, written } = await next();
    expect(written, text).toEqual([expected, expected]);
  }
}, 600_000);
