import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shapesOf } from '../../../src/graphql/limits/document-shape.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { bomb, HOSTILE } from '../../support/hostile-documents.ts';
import { LEAKS, overHttp } from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
});
afterAll(() => app.close());

describe('GQ-04 GQ-10 a hostile document', () => {
  it.each(HOSTILE.map(([what, query, variables = {}]) => [what, query, variables] as const))(
    'is refused with a reason, and nothing of ours: %s',
    async (_, query, variables) => {
      const { status, codes, body } = await overHttp(app)(query, variables);
      expect(status).toBe(400);
      expect(codes.length).toBeGreaterThan(0);
      expect(codes.length).toBeLessThanOrEqual(6);
      const text = JSON.stringify(body);
      expect(text).not.toMatch(LEAKS);
      expect(text.length).toBeLessThan(5_000);
      expect(codes.filter((code) => code === 'INTERNAL' || code === undefined)).toEqual([]);
    },
  );

  it('is one of at least 60, and none causes an internal error', () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(60);
    expect(app.lines.filter(({ level }) => level === 'error' || Number(level) >= 50)).toEqual([]);
  });
});

describe('GQ-04 the work of refusing', () => {
  it.each([2, 3, 10])('is proportional to the text for a fragment bomb of width %i', (width) => {
    for (const length of [5, 20, 60]) {
      const text = bomb(width, length);
      const shapes = shapesOf(parse(text));
      const visits = shapes.reduce((sum, one) => sum + one.visits, 0);
      expect(visits).toBeLessThanOrEqual(2 * (text.match(/\.\.\.|fragment|\{/g) ?? []).length);
      expect((shapes[0]?.fields ?? 0) / width ** length).toBeCloseTo(1 + width ** -length);
    }
  });
});
