import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Confirmation, Dismissal } from '../../dashboard/api/operations.ts';
import { withDecided, withDecisions, withLaterDecisions } from '../../dashboard/state/decided.ts';
import { asConfirmed, asDismissed, UNDECIDED } from '../../dashboard/state/decision-log.ts';
import { type DashboardState, initialState, withChanges } from '../../dashboard/state/model.ts';
import { withOutdated } from '../../dashboard/state/owner-decisions.ts';
import { candidate, change, company, ID, monitorsOf, portfolioRun, verdictsOf, watchedOf } from './portfolio-run.ts';

const PARTY = { list: 'OFAC_SDN', entityId: '1' };
const common = {
  ...PARTY,
  company: { id: ID, ...company() },
  entryName: 'NORVAL LTDA',
  reason: 'r',
  decidedBy: { keyId: 'k', name: 'Ana' },
};
const dismissal = (dismissedAt: string, over: Partial<Dismissal> = {}): Dismissal =>
  ({ ...common, id: 'dsm_1', dismissedAt, approvedAt: null, approvedBy: null, ownerId: null, isWaiting: false, ...over }) as Dismissal;
const confirmation = (confirmedAt: string): Confirmation =>
  ({ ...common, id: 'cnf_1', confirmedAt, approvedAt: null, approvedBy: null, isWaiting: false }) as Confirmation;

const AT = Date.parse('2026-11-28T13:00:00Z');
const iso = (ms: number): string => new Date(ms).toISOString();
/** A company that was read at a moment. */
const readAt = (ms: number, over = {}): DashboardState => ({
  ...initialState,
  companies: new Map([[ID, company({ readAt: ms, ...over })]]),
});
const candidateOf = ({ companies }: DashboardState) => companies.get(ID)?.candidates?.[0];
const lists = (dismissals: readonly Dismissal[], confirmations: readonly Confirmation[] = []) => ({ dismissals, confirmations });

describe('a decision that a person made', () => {
  const made = dismissal(iso(AT + 10));

  it('stays when a list arrives that was asked for before it', () => {
    const dismissed = readAt(AT, { candidates: [candidate({ dismissal: made })] });
    const withdrawn = withDecided(dismissed, company(), PARTY, UNDECIDED, AT + 100);
    expect(candidateOf(withDecisions(withdrawn, lists([made]), AT + 99))?.dismissal).toBeNull();
  });

  it('is replaced by a list that was asked for after it', () => {
    const withdrawn = withDecided(readAt(AT), company(), PARTY, UNDECIDED, AT + 100);
    const later = dismissal(iso(AT + 150));
    expect(candidateOf(withDecisions(withdrawn, lists([later]), AT + 200))?.dismissal).toEqual(later);
  });

  it('is that of candidates whose answer was asked for before it, and not of those of a later one', () => {
    const { decisions: log } = withDecided(readAt(AT), company(), PARTY, asDismissed(made), AT + 100);
    const read = (askedAt: number) => withLaterDecisions([candidate()], { company: company(), log, askedAt })[0]?.dismissal;
    expect(read(AT + 99)).toEqual(made);
    expect(read(AT + 101)).toBeNull();
  });

  it('concerns one party of one company', () => {
    const { decisions: log } = withDecided(readAt(AT), company(), PARTY, asDismissed(made), AT + 100);
    const read = (entityId: string, identifier: string) =>
      withLaterDecisions([candidate({ entityId })], { company: company({ identifier }), log, askedAt: AT })[0]?.dismissal;
    expect([read('2', '99030001000146'), read('1', '99030002000190')]).toEqual([null, null]);
  });
});

describe('lists of decisions that arrive in another order than they were asked for', () => {
  it('leave the decision of the newer one', () => {
    const old = dismissal(iso(AT + 10));
    const recent = confirmation(iso(AT + 150));
    const newest = withDecisions(readAt(AT), lists([], [recent]), AT + 200);
    expect(candidateOf(withDecisions(newest, lists([old]), AT + 100))).toMatchObject({ dismissal: null, confirmation: recent });
  });

  it('change nothing of a company whose answer is newer', () => {
    const waiting = dismissal(iso(AT - 50), { isWaiting: true });
    expect(candidateOf(withDecisions(readAt(AT), lists([waiting]), AT - 10))?.waitingDecision).toBeNull();
    expect(candidateOf(withDecisions(readAt(AT), lists([waiting]), AT + 10))?.waitingDecision).toMatchObject({ id: 'dsm_1' });
  });

  it('have no decision of another record of the list: one that is older than the answer about the company', () => {
    expect(candidateOf(withDecisions(readAt(AT), lists([dismissal(iso(AT - 1))]), AT + 10))?.dismissal).toBeNull();
  });

  it('leave a decision in force beside one that waits', () => {
    const inForce = confirmation(iso(AT + 10));
    const first = withDecisions(readAt(AT), lists([], [inForce]), AT + 20);
    const both = withDecisions(first, lists([dismissal(iso(AT + 15), { isWaiting: true })]), AT + 20);
    expect(candidateOf(both)).toMatchObject({ confirmation: inForce, waitingDecision: { outcome: 'DISMISSED' } });
  });
});

describe('a portfolio', () => {
  const outdated = () => ({ companies: new Map([[ID, company({ readAt: 1, isOutdated: true })]]), watched: 1, isReading: false });

  async function reading(state: Partial<DashboardState> = outdated()) {
    const run = portfolioRun(state);
    onTestFinished(() => run.portfolio.close());
    void run.portfolio.load();
    (await run.next('Monitors')).answer(monitorsOf('99030001000146'));
    (await run.next('WatchedCompanies')).answer(watchedOf({}));
    return { ...run, verdicts: await run.next('Verdicts') };
  }

  it('keeps a decision that was made while a verdict was on its way', async () => {
    const { store, shown, verdicts } = await reading();
    const made = confirmation(iso(Date.now()));
    store.set((state) => withDecided(state, company(), PARTY, asConfirmed(made)));
    verdicts.answer(verdictsOf('2026-11-28T14:00:00Z', [candidate()]));
    await expect.poll(() => shown()?.verdict?.generatedAt).toBe('2026-11-28T14:00:00Z');
    expect(shown()?.candidates?.[0]?.confirmation).toEqual(made);
  });

  it('reads a verdict again that a change outdated while it was on its way', async () => {
    const { store, shown, verdicts, next } = await reading();
    store.set((state) => withChanges(state, [change('2026-11-28T15:00:00Z')]));
    verdicts.answer(verdictsOf('2026-11-28T14:00:00Z', []));
    await expect.poll(() => shown()?.verdict?.generatedAt).toBe('2026-11-28T14:00:00Z');
    expect(shown()?.isOutdated).toBe(true);
    (await next('Verdicts')).answer(verdictsOf('2026-11-28T15:00:01Z', []));
    await expect.poll(() => shown()?.isOutdated).toBe(false);
  });

  it('reads a verdict again if owners were decided about while it was on its way', async () => {
    const { store, shown, verdicts, next } = await reading();
    store.set((state) => withOutdated(state, company()));
    verdicts.answer(verdictsOf('2026-11-28T14:00:00Z', []));
    await expect.poll(() => shown()?.verdict?.generatedAt).toBe('2026-11-28T14:00:00Z');
    expect(shown()?.isOutdated).toBe(true);
    (await next('Verdicts')).answer(verdictsOf('2026-11-28T15:00:01Z', []));
    await expect.poll(() => shown()?.isOutdated).toBe(false);
  });

  it('does not read a verdict again for a change that is older than it', async () => {
    const { store, shown, verdicts } = await reading();
    store.set((state) => withChanges(state, [change('2026-11-28T13:00:00Z')]));
    verdicts.answer(verdictsOf('2026-11-28T14:00:00Z', []));
    await expect.poll(() => shown()?.isOutdated).toBe(false);
  });

  it('drops a verdict that was asked for before the one that is known', async () => {
    const { shown, verdicts, portfolio, next } = await reading();
    await new Promise((resolve) => setTimeout(resolve, 5)); // the clock has milliseconds
    portfolio.refresh();
    (await next('Verdicts')).answer(verdictsOf('2026-11-28T15:00:00Z', []));
    await expect.poll(() => shown()?.verdict?.generatedAt).toBe('2026-11-28T15:00:00Z');
    verdicts.answer(verdictsOf('2026-11-28T14:00:00Z', []));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(shown()?.verdict?.generatedAt).toBe('2026-11-28T15:00:00Z');
  });

  it('has the companies of the load that was started last', async () => {
    const { portfolio, store, next } = portfolioRun();
    onTestFinished(() => portfolio.close());
    void portfolio.load();
    const old = await next('Monitors');
    void portfolio.load();
    (await next('Monitors')).answer(monitorsOf('99030001000146'));
    (await next('WatchedCompanies')).answer(watchedOf({}));
    await expect.poll(() => store.get().watched).toBe(1);
    old.answer(monitorsOf());
    await next('Verdicts');
    expect([store.get().watched, store.get().companies.size, store.get().isReading]).toEqual([1, 1, true]);
  });

  it('keeps tags and a last change that are newer than the answer about them', async () => {
    const { portfolio, store, shown, next } = portfolioRun(outdated());
    onTestFinished(() => portfolio.close());
    const loaded = portfolio.load();
    (await next('Monitors')).answer(monitorsOf('99030001000146'));
    const watched = await next('WatchedCompanies');
    const newer = { tags: ['new'], taggedAt: Date.now(), lastChangeAt: '2026-11-28T15:00:00Z' };
    store.set((state) => ({ ...state, companies: new Map([[ID, { ...company(), ...newer }]]) }));
    watched.answer(watchedOf({ tags: ['old'], lastChangeAt: '2026-11-28T14:00:00Z' }));
    await loaded;
    expect(shown()).toMatchObject({ tags: ['new'], lastChangeAt: newer.lastChangeAt });
  });
});

describe('the number of watched companies', () => {
  it('is known together with the companies, so that kept ones that are not watched are never counted', async () => {
    const kept = Array.from({ length: 30 }, (_, i) => company({ identifier: String(i), readAt: 1 }));
    const { portfolio, store, next } = portfolioRun({ companies: new Map(kept.map((one) => [`BR/${one.identifier}`, one])) });
    onTestFinished(() => portfolio.close());
    const counts: unknown[] = [];
    store.subscribe(() => counts.push([store.get().watched, store.get().companies.size]));
    void portfolio.load();
    (await next('Monitors')).answer(monitorsOf('99030001000146'));
    const watched = await next('WatchedCompanies');
    expect(store.get().watched).toBeNull();
    watched.answer(watchedOf({}));
    await next('Verdicts');
    expect(counts).toContainEqual([1, 1]);
    expect(counts.filter((one) => JSON.stringify(one) === '[1,30]')).toEqual([]);
  });
});

describe('what a browser keeps', () => {
  it('has the newer knowledge of two tabs, and nothing from the future', async () => {
    const items = new Map<string, string>();
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { keep, readKept } = await import('../../dashboard/state/kept-companies.ts');
    const now = Date.now();
    const decided = company({ readAt: now - 100, decidedAt: now - 10, candidates: [candidate({ confirmation: confirmation(iso(now)) })] });
    keep('k', [decided]);
    keep('k', [company({ readAt: now - 100 })]);
    expect(readKept('k')[0]?.candidates?.[0]?.confirmation).not.toBeNull();
    keep('k', [company({ readAt: now - 5, name: 'Newer' })]);
    expect(readKept('k')[0]?.name).toBe('Newer');
    expect(readKept('k', now - 50)).toEqual([]);
  });
});
