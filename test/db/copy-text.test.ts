import { describe, expect, it } from 'vitest';
import { type CopyValue, copyText } from '../../src/db/copy-rows.ts';
import { CopyText } from '../../src/db/copy-text.ts';

/** Writes a row of these values. */
function written(values: readonly CopyValue[]): string {
  const out = new CopyText();
  out.begin(0);
  for (const value of values) out.value(value);
  out.end();
  return Buffer.concat([...out.drain()]).toString();
}

describe('a row in the text format of COPY', () => {
  it('has the values that a row of strings has', () => {
    const around = [23, 24, 25].flatMap((length) => ['a'.repeat(length), `${'a'.repeat(length - 1)}é`, `é${'a'.repeat(length - 1)}`]);
    const values = [null, '', 0, -1, 1.5, '€', 'a\tb', 'a\\b', '\\N', '\u{1f600}', ['a', 'b"'], [], null, ...around];
    expect(written(values)).toBe(`${values.map(copyText).join('\t')}\n`);
  });
});
