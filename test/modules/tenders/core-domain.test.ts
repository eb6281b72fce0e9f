import { describe, expect, it } from 'vitest';
import {
  clampToToday,
  isAfter,
  marketplaceDay,
  matchesKeyword,
  paginate,
  paginateNotices,
  type RecordCursor,
  type TenderNotice,
} from '../../../src/modules/tenders/domain.ts';

const place = (date: string | null, code: string): RecordCursor => ({ date, code });
const notice = (code: string): TenderNotice => ({
  code,
  name: `Compra ${code}`,
  description: null,
  status: 'Publicada',
  closesAt: null,
  publishedAt: null,
  estimate: null,
  buyer: null,
  buyerTaxId: null,
  url: null,
});

describe('the order of records', () => {
  it.each([
    [place('2026-09-01', 'a'), place('2026-09-02', 'a'), true],
    [place('2026-09-02', 'a'), place('2026-09-02', 'b'), true],
    [place('2026-09-02', 'b'), place('2026-09-02', 'b'), false],
    [place('2026-09-02', 'c'), place('2026-09-02', 'b'), false],
    [place(null, 'z'), place('1999-01-01', 'a'), true],
    [place(null, 'a'), place(null, 'b'), true],
    [place('1999-01-01', 'a'), place(null, 'z'), false],
  ])('%j after %j: %s', (record, after, expected) => {
    expect(isAfter(record, after)).toBe(expected);
  });

  it('is kept by pages', () => {
    const records = [place('2026-09-03', 'c'), place('2026-09-02', 'b'), place('2026-09-01', 'a')];
    const cut = (first: number, after: RecordCursor | null) => paginate(records, 9, { first, after }, (record) => record);
    expect(cut(2, null)).toEqual({ items: records.slice(0, 2), total: 9, hasMore: true });
    expect(cut(2, place('2026-09-02', 'b'))).toEqual({ items: records.slice(2), total: 9, hasMore: false });
    expect(cut(1, place('2026-09-02', 'gone'))).toEqual({ items: records.slice(1, 2), total: 9, hasMore: true });
    expect(cut(3, place(null, ''))).toEqual({ items: [], total: 9, hasMore: false });
  });
});

describe('the pages of a search', () => {
  const found = ['a', 'b', 'c', 'd'].map(notice);
  const codes = (first: number, after: Parameters<typeof paginateNotices>[2]) => {
    const { items, ...rest } = paginateNotices(found, first, after);
    return [items.map(({ code }) => code).join(''), rest.position, rest.hasMore];
  };

  it('continue after the notice of the cursor when its position changed', () => {
    expect(codes(2, null)).toEqual(['ab', 0, true]);
    expect(codes(2, { code: 'a', position: 0 })).toEqual(['bc', 1, true]);
    expect(codes(2, { code: 'b', position: 0 })).toEqual(['cd', 2, false]);
  });

  it('continue at the position of a notice that was removed, and end after the last', () => {
    expect(codes(2, { code: 'gone', position: 2 })).toEqual(['cd', 2, false]);
    expect(codes(2, { code: 'd', position: 3 })).toEqual(['', 4, false]);
    expect(codes(2, { code: 'gone', position: 99 })).toEqual(['', 99, false]);
  });
});

describe('a keyword', () => {
  it.each([
    ['mantencion', 'Mantención de áreas verdes', null, true],
    ['ÁREAS   verdes', 'Mantención de areas verdes', null, true],
    ['verdes papel', 'Áreas verdes', 'con papel', true],
    ['verdes cartón', 'Áreas verdes', 'con papel', false],
    ['ñandu', 'NANDÚ', null, true],
    [null, 'Lo que sea', null, true],
  ])('%s in %s, %s: %s', (keyword, name, description, expected) => {
    expect(matchesKeyword({ name, description }, keyword)).toBe(expected);
  });
});

describe('a window of days', () => {
  const names = { from: 'date_from', to: 'date_to' };
  const within = (from: string | null, to: string | null) => clampToToday({ country: 'BR', keyword: null, from, to }, '2026-11-21', names);
  const refusal = (from: string | null, to: string | null) => () => within(from, to);

  it('may be open, one day long, and end today', () => {
    for (const [from, to] of [
      [null, null],
      ['2026-11-21', '2026-11-21'],
      ['2020-01-01', null],
      [null, '2020-01-01'],
    ] as const) {
      expect(refusal(from, to)).not.toThrow();
    }
  });

  it('that ends in the future is cut to today', () => {
    expect(within('2026-11-01', '2026-11-30')).toMatchObject({ from: '2026-11-01', to: '2026-11-21' });
  });

  it.each([
    ['2026-11-22', null, 'date_from lies in the future.', 'date_from'],
    ['2026-11-20', '2026-11-19', 'date_from lies after date_to.', 'date_from'],
  ])('is rejected from %s to %s', (from, to, message, field) => {
    expect(refusal(from, to)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message, facts: { field } }));
  });
});

describe('the day of a marketplace', () => {
  it.each([
    ['03:30', '2026-11-22', '2026-11-22', '2026-11-21'],
    ['04:30', '2026-11-22', '2026-11-22', '2026-11-21'],
    ['05:30', '2026-11-22', '2026-11-22', '2026-11-22'],
    ['02:30', '2026-11-21', '2026-11-21', '2026-11-21'],
  ])("is the country's at %s UTC", (time, brazil, chile, colombia) => {
    const now = Date.parse(`2026-11-22T${time}:00Z`);
    expect((['BR', 'CL', 'CO'] as const).map((country) => marketplaceDay(country, now))).toEqual([brazil, chile, colombia]);
  });

  it('uses the winter time of Chile', () => {
    expect(marketplaceDay('CL', Date.parse('2026-07-10T03:30:00Z'))).toBe('2026-07-09');
    expect(marketplaceDay('BR', Date.parse('2026-07-10T03:30:00Z'))).toBe('2026-07-10');
  });
});
