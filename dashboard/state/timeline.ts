import type { QuipuError } from '../../clients/typescript/src/error.ts';
import type { Candidate, ChangeRow, CompanyRecords, Dismissal, Note, RegistryChange, TenderOrders } from '../api/operations.ts';
import type { Finding } from './findings.ts';
import type { ShownOwner } from './owner-decisions.ts';

type Receipt = NonNullable<NonNullable<CompanyRecords['company']>['receipts']>['nodes'][number];
export type Order = NonNullable<NonNullable<TenderOrders['company']>['tenders']>['nodes'][number];

/** Something that happened to a company, or that a person did about it. */
export type TimelineEvent = {
  /** Unique among the events of a company. */
  readonly id: string;
  /** ISO date, or ISO date and time. */
  readonly at: string;
} & (
  | { readonly kind: 'verdict'; readonly receipt: Receipt }
  | { readonly kind: 'change'; readonly change: ChangeRow }
  | { readonly kind: 'registry'; readonly change: RegistryChange }
  /** The begin or the end of an entry of a list. */
  | { readonly kind: 'entry'; readonly finding: Finding; readonly isEnd: boolean }
  /** The public orders of a year, at the date of the newest one. */
  | { readonly kind: 'orders'; readonly year: string; readonly orders: readonly Order[] }
  | {
      readonly kind: 'decision';
      readonly outcome: 'dismissed' | 'confirmed';
      readonly entryName: string;
      /** Name of the owner that the candidate belongs to; null for one of the company. */
      readonly ownerName: string | null;
      readonly list: string;
      readonly reason: string;
      readonly people: Pick<Dismissal, 'decidedBy' | 'approvedBy'>;
    }
  | { readonly kind: 'note'; readonly note: Note }
);

export const KINDS = [
  'verdict',
  'change',
  'registry',
  'entry',
  'orders',
  'decision',
  'note',
] as const satisfies readonly TimelineEvent['kind'][];

/** The parts from which events are made. A part that was not read is empty. */
export interface TimelineParts {
  readonly receipts: readonly Receipt[];
  readonly changes: readonly ChangeRow[];
  readonly registry: readonly RegistryChange[];
  readonly findings: readonly Finding[];
  readonly orders: readonly Order[];
  /** Candidates with the decisions of the account about them. */
  readonly candidates: readonly Candidate[];
  /** Owners and officers, whose candidates have such decisions, too. */
  readonly owners: readonly ShownOwner[];
  readonly notes: readonly Note[];
}

/** Returns the first error for which a part could not be read; null without one. A part that the key has no module for is none. */
export const unreadPart = (errors: readonly (QuipuError | null)[]): QuipuError | null =>
  errors.find((error) => error !== null && error.code !== 'MODULE_NOT_ENABLED') ?? null;

/** A list of which one page was read; null if it was not read. */
type PageOf = { readonly pageInfo: { readonly hasNextPage: boolean } } | null | undefined;

/** True if one of the lists has more than was read, so that older events are missing. */
export const isPart = (pages: readonly PageOf[]): boolean => pages.some((page) => page?.pageInfo.hasNextPage ?? false);

/** Returns the events of a company, newest first. A day without a time comes after the moments of the same day. */
export function timelineOf(parts: TimelineParts): readonly TimelineEvent[] {
  const events: TimelineEvent[] = [
    ...parts.notes.map((note) => ({ kind: 'note' as const, id: note.id, at: note.writtenAt, note })),
    ...parts.receipts.map((receipt) => ({ kind: 'verdict' as const, id: receipt.id, at: receipt.issuedAt, receipt })),
    ...oncePerObservation(parts.changes).map((change) => ({ kind: 'change' as const, id: change.id, at: change.detectedAt, change })),
    ...parts.registry.map((change) => ({ kind: 'registry' as const, id: change.id, at: change.extractTo, change })),
    ...parts.findings.flatMap(entryEvents),
    ...orderEvents(parts.orders),
    ...parts.candidates.flatMap((one) => decisionEvents(one, null)),
    ...parts.owners.flatMap(({ name, screening }) => screening?.candidates?.flatMap((one) => decisionEvents(one, name)) ?? []),
  ];
  return events.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** Two monitors of one company report the same observation, which is one event. */
const oncePerObservation = (changes: readonly ChangeRow[]): readonly ChangeRow[] => [
  ...new Map(changes.map((change) => [change.observationId, change])).values(),
];

/** An entry that the list does not date is in the table of findings only. An end in the future has not happened. */
function entryEvents(finding: Finding): readonly TimelineEvent[] {
  const { id, startsOn, endsOn, status } = finding;
  const begin = startsOn === null ? [] : [{ kind: 'entry' as const, id: `${id} begin`, at: startsOn, finding, isEnd: false }];
  const end = endsOn === null || status !== 'ENDED' ? [] : [{ kind: 'entry' as const, id: `${id} end`, at: endsOn, finding, isEnd: true }];
  return [...begin, ...end];
}

function orderEvents(orders: readonly Order[]): readonly TimelineEvent[] {
  const dated = orders.flatMap((order) => (order.date === null ? [] : [{ ...order, date: order.date }]));
  return [...Map.groupBy(dated, ({ date }) => date.slice(0, 4))].map(([year, those]) => {
    const at = those.map(({ date }) => date).reduce((newest, date) => (date > newest ? date : newest));
    return { kind: 'orders', id: `orders ${year}`, at, year, orders: those };
  });
}

/** The fields of a candidate that a decision is about. A candidate of an owner is not confirmed. */
type Decided = Pick<Candidate, 'list' | 'entryName' | 'dismissal'> & Partial<Pick<Candidate, 'confirmation'>>;

function decisionEvents({ list, entryName, dismissal, confirmation }: Decided, ownerName: string | null): readonly TimelineEvent[] {
  const about = { kind: 'decision' as const, list, entryName, ownerName };
  return [
    ...(dismissal ? [{ ...about, outcome: 'dismissed' as const, at: dismissal.dismissedAt, ...madeBy(dismissal) }] : []),
    ...(confirmation ? [{ ...about, outcome: 'confirmed' as const, at: confirmation.confirmedAt, ...madeBy(confirmation) }] : []),
  ];
}

const madeBy = (decision: Pick<Dismissal, 'id' | 'reason' | 'decidedBy' | 'approvedBy'>) => ({
  id: decision.id,
  reason: decision.reason,
  people: decision,
});

/** Returns the sums of orders by currency. The UTM has no code that `Intl` supports, so the code is written beside the number. */
export const totalsOf = (orders: readonly Order[], language: string): readonly string[] =>
  [
    ...Map.groupBy(
      orders.flatMap(({ total }) => total ?? []),
      ({ currency }) => currency,
    ),
  ].map(
    ([currency, totals]) =>
      `${totals.reduce((sum, { amount }) => sum + Number(amount), 0).toLocaleString(language, { maximumFractionDigits: 0 })} ${currency}`,
  );
