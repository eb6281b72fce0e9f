import { describe, expect, it } from 'vitest';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import {
  EMPTY,
  keyOf,
  type LookupState,
  lookupAfter,
  optionAfter,
  optionsOf,
  type Search,
} from '../../dashboard/pages/lookup/lookup-state.ts';
import type { CompanyOption, LookupOption } from '../../dashboard/pages/lookup/suggestions.ts';

const company = (identifier: string, origin: CompanyOption['origin']): CompanyOption => ({
  kind: 'company',
  country: 'CL',
  identifier,
  formattedIdentifier: identifier,
  name: `Empresa ${identifier}`,
  place: null,
  origin,
});
const brazil = { kind: 'name', country: 'BR', name: 'sal' } as const;
const chile = { kind: 'name', country: 'CL', name: 'sal' } as const;
const watched = company('1', 'watched');
const found = company('2', 'found');
const suggested: readonly LookupOption[] = [watched, brazil, chile];

const begun: Search = { option: chile, searched: null, problem: null };
const answered: Search = { ...begun, searched: { companies: [found], hint: null, hasMore: false } };
const failed: Search = { ...begun, problem: new QuipuError('NETWORK', 'no answer') };

const typed: LookupState = lookupAfter(EMPTY, { type: 'typed', text: 'sal' });
const searching = lookupAfter(lookupAfter(typed, { type: 'marked', key: keyOf(chile) }), { type: 'searched', search: begun });

describe('the choices of the box', () => {
  it('are the found companies first, then the watched ones and the searches that are left', () => {
    expect(optionsOf(answered, suggested)).toEqual([found, watched, brazil]);
  });

  it('have a company that is found and watched once', () => {
    const both: Search = { ...begun, searched: { companies: [company('1', 'found')], hint: null, hasMore: false } };
    expect(optionsOf(both, suggested).map(keyOf)).toEqual(['CL/1', keyOf(brazil)]);
  });

  it('have all results after those that are shown, if there are more', () => {
    const more: Search = { ...begun, searched: { companies: [found], hint: null, hasMore: true } };
    const all = { kind: 'results', country: 'CL', name: 'sal' };
    expect(optionsOf(more, suggested)).toEqual([found, all, watched, brazil]);
    expect(new Set(optionsOf(more, suggested).map(keyOf)).size).toBe(4);
  });

  it.each([
    ['is under way', begun],
    ['failed', failed],
  ])('have a search that %s still', (_, search) => {
    expect(optionsOf(search, suggested)).toEqual(suggested);
  });
});

describe('the mark of the box', () => {
  it('moves to the first company when the marked search is answered', () => {
    expect(lookupAfter(searching, { type: 'ended', of: begun, search: answered })).toMatchObject({ marked: null, search: answered });
  });

  it('stays where it was moved to during the search', () => {
    const moved = lookupAfter(searching, { type: 'marked', key: keyOf(watched) });
    expect(lookupAfter(moved, { type: 'ended', of: begun, search: answered })).toMatchObject({ marked: keyOf(watched), search: answered });
  });

  it('stays on a search that failed, which Enter starts again', () => {
    expect(lookupAfter(searching, { type: 'ended', of: begun, search: failed }).marked).toBe(keyOf(chile));
  });

  it.each([
    ['down from the last one', keyOf(chile), 1, watched],
    ['up from the first one', keyOf(watched), -1, chile],
    ['down without a mark', null, 1, watched],
    ['up without a mark', null, -1, chile],
    ['down from a choice that is gone', 'CL/9', 1, watched],
  ] as const)('moves %s', (_, marked, step, expected) => {
    expect(optionAfter(suggested, marked, step)).toBe(expected);
  });

  it('has no place to move to in an empty list', () => {
    expect(optionAfter([], null, 1)).toBeUndefined();
  });
});

describe('the answer of a search', () => {
  it('is dropped when the text is another one, or the same one that was typed again', () => {
    const again = lookupAfter(searching, { type: 'typed', text: 'sal' });
    expect(lookupAfter(again, { type: 'ended', of: begun, search: answered })).toBe(again);
  });

  it('is dropped when a newer search was begun', () => {
    const newer = lookupAfter(searching, { type: 'searched', search: { ...begun, option: brazil } });
    expect(lookupAfter(newer, { type: 'ended', of: begun, search: answered })).toBe(newer);
  });

  it('is kept while the list is closed', () => {
    const closed = lookupAfter(searching, { type: 'closed' });
    expect(lookupAfter(closed, { type: 'ended', of: begun, search: answered })).toMatchObject({ isOpen: false, search: answered });
  });

  it('is no longer there when the text changes', () => {
    const ended = lookupAfter(searching, { type: 'ended', of: begun, search: answered });
    expect(lookupAfter(ended, { type: 'typed', text: 'salar' })).toEqual({ text: 'salar', isOpen: true, marked: null, search: null });
  });
});
