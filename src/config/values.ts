import { z } from 'zod';
import { DURATION, durationMs } from '../domain/time.ts';

export const port = z.coerce.number().int().min(0).max(65_535);

/** Schema of a whole number from `lowest` to a million. */
export const atLeast = (lowest: number) =>
  z.coerce.number().int('expected a whole number').min(lowest, `expected at least ${lowest}`).max(1_000_000);

/** Schema of a duration, which converts `15m` to milliseconds. */
export const duration = z
  .string()
  .regex(DURATION, 'expected a duration such as 30s, 15m or 6h')
  .transform(durationMs)
  .refine((ms) => ms >= 1_000 && ms <= 24 * 86_400_000, 'expected between 1s and 24d');

/** Schema of a retention period in days, as text: `400d`. */
export const retention = (fallback: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,3}d$/, 'expected days such as 400d, 9999d at most')
    .default(fallback);

export const flag = (fallback: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(fallback)
    .transform((text) => text === 'true');

/** Schema of comma-separated text, which is converted to its items. */
export function list(item: { test(text: string): boolean }, expected: string, fallback = '') {
  return z
    .string()
    .default(fallback)
    .transform((text) =>
      text
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean),
    )
    .refine((items) => items.every((one) => item.test(one)), expected);
}
