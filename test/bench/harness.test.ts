import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentOf } from '../../bench/harness/answers.ts';
import { BenchFailure } from '../../bench/harness/bench.ts';
import { type Curve, drawCurve, type Point } from '../../bench/harness/curve.ts';
import { cpusOf } from '../../bench/harness/machine.ts';
import { withResults } from '../../bench/harness/page.ts';
import { quantile, ratioOf, summarise } from '../../bench/harness/statistics.ts';
import { ratioLine, table } from '../../bench/harness/table.ts';
import { isReached, targetText } from '../../bench/harness/targets.ts';
import { TARGETS } from '../../bench/targets.ts';

describe('a quantile', () => {
  it('is the smallest value that the share of values does not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect([0, 0.5, 0.99, 1].map((q) => quantile(hundred, q))).toEqual([1, 50, 99, 100]);
  });

  it('is one of the values, whatever they are, and grows with the share', () => {
    const values = fc.array(fc.double({ noNaN: true }), { minLength: 1 });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(values, share, share, (all, a, b) => {
        expect(all.some((value) => value === quantile(all, a))).toBe(true);
        expect(quantile(all, Math.min(a, b))).toBeLessThanOrEqual(quantile(all, Math.max(a, b)));
      }),
    );
  });

  it('of nothing is refused', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });
});

describe('a summary', () => {
  it.each([
    { rounds: [7], summary: { median: 7, min: 7, max: 7 } },
    { rounds: [30, 10, 20], summary: { median: 20, min: 10, max: 30 } },
    { rounds: [4, 1, 3, 2], summary: { median: 2.5, min: 1, max: 4 } },
    { rounds: [100, 9, 20], summary: { median: 20, min: 9, max: 100 } },
  ])('of $rounds has the median $summary.median', ({ rounds, summary }) => {
    expect(summarise(rounds)).toEqual(summary);
  });

  it('of nothing is refused', () => {
    expect(() => summarise([])).toThrow(RangeError);
  });
});

describe('a ratio', () => {
  it('compares the two of each round, so a slow spell of the machine that hits both changes nothing', () => {
    expect(ratioOf([200, 100, 50], [100, 50, 25])).toEqual({ median: 2, min: 2, max: 2 });
  });

  it('is refused for unequal numbers of rounds, and for none', () => {
    expect(() => ratioOf([1, 2], [1])).toThrow('equal numbers of rounds');
    expect(() => ratioOf([], [])).toThrow(RangeError);
  });
});

describe('the content of an answer', () => {
  const moments = new Set(['fetchedAt']);

  it('does not depend on the order of keys nor on fields that are left out at any depth', () => {
    const one = '{"data":{"a":1,"b":[{"x":null,"fetchedAt":"2026-01-01"}]}}';
    const other = '{ "data": { "b": [ { "fetchedAt": "2026-02-02", "x": null } ], "a": 1 } }';
    expect(contentOf(one, moments)).toBe(contentOf(other, moments));
  });

  it.each(['{"a":[2,1]}', '{"a":[1,2,3]}', '{"a":null}', '{"a":[1,"2"]}', '{"a":[1,2],"b":null}', '{}'])(
    'tells %s from {"a":[1,2]}',
    (other) => {
      expect(contentOf(other, moments)).not.toBe(contentOf('{"a":[1,2]}', moments));
    },
  );
});

describe("the kernel's list of CPUs", () => {
  it.each([
    { list: '0-1', cpus: [0, 1] },
    { list: '3', cpus: [3] },
    { list: '2-3,8,10-11', cpus: [2, 3, 8, 10, 11] },
    { list: '', cpus: [] },
  ])('"$list" names $cpus', ({ list, cpus }) => {
    expect(cpusOf(list)).toEqual(cpus);
  });
});

describe('the figures on the page', () => {
  const page = 'before\n<!-- bench:one -->\nold\n<!-- /bench:one -->\nafter <!-- bench:two --><!-- /bench:two -->\n';

  it('replace those of their bench, and nothing else, as often as they are written', () => {
    const once = withResults(page, 'one', '\nnew $& figures\n\n');
    expect(once).toBe(page.replace('old', 'new $$& figures'));
    expect(withResults(once, 'one', 'new $& figures')).toBe(once);
  });

  it('are refused for a bench that has no place on it', () => {
    expect(() => withResults(page, 'three', 'new')).toThrow('"<!-- bench:three -->" and "<!-- /bench:three -->"');
    expect(() => withResults('<!-- /bench:one --><!-- bench:one -->', 'one', 'new')).toThrow(BenchFailure);
  });

  it('are a table that is aligned for a terminal', () => {
    const rows = [
      ['quipu', '1,200'],
      ['other', '7'],
    ];
    expect(table(['', 'req/s'], rows)).toEqual(['|       | req/s |', '| ----- | ----: |', '| quipu | 1,200 |', '| other |     7 |']);
  });
});

describe('a target', () => {
  it.each([
    { value: 4, target: { atLeast: 4 }, reached: true },
    { value: 3.99, target: { atLeast: 4 }, reached: false },
    { value: 50, target: { atMost: 50 }, reached: true },
    { value: 50.1, target: { atMost: 50 }, reached: false },
  ])('$target is reached by $value: $reached', ({ value, target, reached }) => {
    expect(isReached(value, target)).toBe(reached);
  });

  it('stands beside the ratio that has one', () => {
    const ratio = { of: 'quipu', to: 'by hand', basis: 'pinned', ratio: { median: 3.5, min: 3, max: 4 } };
    expect(ratioLine(1)(ratio)).toBe('- quipu / by hand, pinned: **3.5** (3.0–4.0)');
    expect(ratioLine(1)({ ...ratio, target: { atLeast: 4 } })).toBe(
      '- quipu / by hand, pinned: **3.5** (3.0–4.0); target at least 4: missed',
    );
  });

  it('is a row of the table on the page, with its benchmark', () => {
    const page = readFileSync('docs/benchmarks.md', 'utf8');
    for (const { name, bench, target } of Object.values(TARGETS))
      expect(page).toMatch(new RegExp(`^\\| ${escaped(name)} \\| \\[\`${bench}\`\\]\\(#\\S+\\) \\| ${targetText(target)} \\|`, 'm'));
  });
});

const escaped = (text: string): string => text.replaceAll(/[()/]/g, '\\$&');

describe('a chart', () => {
  const line = (name: string, ...points: Point[]) => ({ name, points });
  const drawn = (...lines: Curve['lines']) => drawCurve({ title: 'A & B', xLabel: 'clients', yLabel: 'req/s', lines });

  it('has logarithmic axes: equal factors are equal distances', () => {
    const [, places = ''] = /<path d="M([^"]+)" fill="none"/.exec(drawn(line('a', [1, 10], [10, 100], [100, 1_000]))) ?? [];
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0] = places.split(/[L ]/).map(Number);
    expect([x2 - x1, y2 - y1]).toEqual([x3 - x2, y3 - y2]);
    expect(y2).toBeLessThan(y1);
  });

  it('names each line and each x, and escapes its texts', () => {
    const svg = drawn(line('first <b>', [1, 5], [8, 50]), line('second', [1, 6], [8, 51]));
    for (const label of ['>first &lt;b></text>', '>second</text>', '>1</text>', '>8</text>', '>A &amp; B</text>'])
      expect(svg).toContain(label);
  });

  it('keeps the names of lines apart that end at one place', () => {
    const svg = drawn(line('first', [1, 5], [8, 50]), line('second', [1, 6], [8, 50]));
    const heights = [...svg.matchAll(/y="([\d.]+)" fill="#\w+">(?:first|second)/g)].map(([, y]) => Number(y));
    expect(Math.abs((heights[0] ?? 0) - (heights[1] ?? 0))).toBeGreaterThanOrEqual(16);
  });

  it('cannot be drawn without points', () => {
    expect(() => drawn()).toThrow(RangeError);
  });
});
