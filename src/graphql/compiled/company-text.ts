import { ObjectSlot } from '../../cache/kept-results.ts';
import type { Answer } from '../../domain/answer.ts';
import type { CompanyKey } from '../../domain/company.ts';
import { chargePoints, chargeValues } from '../limits/answer-budget.ts';
import { priceOf } from '../limits/cost.ts';
import { type JoinedText, JsonText } from './json-text.ts';
import { type CountedText, inOnePiece, TEXT_BYTES, TEXTS } from './kept-text.ts';
import type { AnswersPlan, Moment, ObjectPlan } from './plan-types.ts';
import { type AnswerRequests, argumentsOf, type Run } from './run.ts';

/*
 * Keeps the JSON of a whole company for a selection whose fields are answers. A request still asks for each answer, so that permissions,
 * rate limits, usage and points are those of the full way; it then uses the kept text if every answer is the one that the text was written
 * from. So a text needs no age of its own, and what an answer depends on does not have to be known here. The times of the request in a text
 * are written for each request. Each answer has one text, that of the last selection, like the objects of `kept-text.ts`.
 */

/** A company as the resolvers of its fields get it. */
export type Company = CompanyKey & { readonly asOf?: string | null };

/** The kept text of a company. It is a property of a part of its first answer. It refers to no answer, so that it keeps none in memory. */
interface CompanyText extends CountedText {
  readonly planId: number;
  readonly variant: string;
  readonly country: string;
  readonly taxId: string;
  /** Numbers of the parts of its answers; 0 for a field that is not answered for the country. */
  readonly parts: readonly number[];
  /** The text between its moments. */
  text: readonly string[] | null;
  /** Indexes of moments of the plan, in the order of the text. A moment itself would keep the parsed operation in memory. */
  readonly moments: readonly number[];
  /** Number of values of the lists in the text, which are charged each time it is used. */
  readonly values: number;
}

/** The answers about a company that a request has received. */
export interface Received {
  /** Null for a field that is not answered for the country of the company. */
  readonly answers: readonly (Answer<unknown> | null)[];
  /** The parts of the answers that requests share. */
  readonly parts: readonly (object | null)[];
  readonly points: number;
  readonly variant: string;
}

const texts = new ObjectSlot<CompanyText>('text of a company');

/**
 * Requests the answers about a company, as the resolvers of its fields do. Returns null if the fields have to be resolved, because an answer
 * is not in memory, is refused or exceeds a limit. Nothing is counted twice then, because a request counts equal questions once.
 */
export function requestAnswers(plan: AnswersPlan, company: Company, run: Run): Received | null {
  const { context, budget } = run;
  if (company.asOf !== null || context.signal.aborted || budget.exceeded) return null;
  if (context.slices.last || context.slices.isFull) return null; // the fields wait for a slice
  const requests = requestsOf(plan, run);
  if (requests === null || budget.points + requests.points > budget.ceiling) return null;
  const answers: (Answer<unknown> | null)[] = [];
  const parts: (object | null)[] = [];
  let points = 0;
  for (let i = 0; i < plan.fields.length; i += 1) {
    const { source, countries } = plan.fields[i] as AnswersPlan['fields'][number];
    const { args, price } = requests.fields[i] as AnswerRequests['fields'][number];
    const isServed = !countries || countries.includes(company.country);
    const answer = isServed ? answerOf(source.loaderOf(company, args, context), company, run) : null;
    if (answer === undefined) return null;
    answers.push(answer);
    parts.push(answer && source.partOf ? source.partOf(answer) : answer);
    if (isServed) points += price;
  }
  return { answers, parts, points, variant: requests.variant };
}

/** Returns an answer in memory; undefined for any other, and without a loader. */
function answerOf(loader: ReturnType<AnswersPlan['fields'][number]['source']['loaderOf']>, company: Company, { context }: Run) {
  // A load that has to wait is left to the resolver, so that it belongs to the span of the field.
  const answer = loader && context.isKept(loader, company) ? context.ask(loader, company) : undefined;
  if (!(answer instanceof Promise)) return answer;
  answer.catch(() => undefined); // the resolver of the field gets its failure
  return undefined;
}

/** Returns the arguments and prices of the answers; null if arguments are wrong, which the fields report. */
function requestsOf(plan: AnswersPlan, run: Run): AnswerRequests | null {
  const known = run.requests.get(plan);
  if (known !== undefined) return known;
  const requests = readRequests(plan, run);
  run.requests.set(plan, requests);
  return requests;
}

function readRequests(plan: AnswersPlan, run: Run): AnswerRequests | null {
  try {
    const fields = plan.fields.map(({ plan: field }) => {
      const args = argumentsOf(field, run);
      return { args, price: priceOf(field.field, args) };
    });
    const points = fields.reduce((sum, { price }) => sum + price, 0);
    return { fields, points, variant: JSON.stringify([run.context.language, fields.map(({ args }) => args)]) };
  } catch {
    return null;
  }
}

/** Returns the kept text of a company with the moments of this request, and charges it; undefined if it has to be written. */
export function keptCompanyText({ id, answers: plan }: ObjectPlan, company: Company, received: Received, run: Run): string | undefined {
  const kept = texts.get(received.parts.find((part) => part !== null));
  if (!plan || !kept?.text || kept.planId !== id || !isTextOf(kept, company, received)) return undefined;
  chargePoints(run.budget, received.points);
  chargeValues(run.budget, kept.values);
  run.memory.touch(kept);
  if (run.observer) for (const { plan: field } of plan.fields) run.observer.startSpan(spanOf(field)).end('ok');
  let [text = ''] = kept.text;
  for (const [i, index] of kept.moments.entries()) text += momentText(plan.moments[index] as Moment, received) + (kept.text[i + 1] ?? '');
  return text;
}

const spanOf = ({ info: { parentType, fieldName } }: AnswersPlan['fields'][number]['plan']) =>
  ({ kind: 'field', name: `${parentType.name}.${fieldName}` }) as const;

const isTextOf = ({ country, taxId, variant, parts }: CompanyText, company: Company, received: Received): boolean =>
  taxId === company.taxId &&
  country === company.country &&
  variant === received.variant &&
  parts.every((number, i) => number === numberOf(received.parts[i] ?? null));

/** Numbers of the parts of answers, by which a text knows them. */
const numbers = new ObjectSlot<number>('number');
let lastNumber = 0;

function numberOf(part: object | null): number {
  if (part === null) return 0;
  const known = numbers.get(part);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(part, lastNumber);
  return lastNumber;
}

function momentText({ answer, name, serialize }: Moment, { answers }: Received): string {
  const value = answers[answer]?.value as Readonly<Record<string, unknown>> | undefined;
  return JSON.stringify(serialize(value?.[name]));
}

/** Keeps the text of a company, which was written with marks, in place of the last one with its first answer. */
export function keepCompanyText(
  { id, answers: plan }: ObjectPlan,
  { country, taxId }: Company,
  { parts, variant }: Received,
  { written, values }: { readonly written: JoinedText; readonly values: number },
  { memory }: Run,
): void {
  const owner = parts.find((part) => part !== null);
  if (!owner || !plan) return;
  const whole = String(written);
  const moments: number[] = [];
  const text: string[] = [];
  let rest = whole;
  for (const [index, { mark }] of plan.moments.entries()) {
    const at = rest.indexOf(mark);
    if (at < 0) continue;
    moments.push(index);
    text.push(inOnePiece(rest.slice(0, at)));
    rest = rest.slice(at + 1);
  }
  text.push(inOnePiece(rest));
  const last = texts.get(owner);
  if (last) memory.remove(last);
  const bytes = COMPANY_BYTES + TEXT_BYTES * text.length + whole.length;
  const kept: CompanyText = { owner: TEXTS, planId: id, variant, country, taxId, parts: parts.map(numberOf), text, moments, values, bytes };
  texts.set(owner, kept);
  memory.add(kept);
}

/** Bytes of a kept text besides those of its pieces. */
const COMPANY_BYTES = 200;

/** Replaces the marks in a text by the moments of a request. */
export function withMoments(text: JoinedText, { answers: plan }: ObjectPlan, received: Received): JoinedText {
  const replace = (piece: string): string => {
    let replaced = piece;
    for (const moment of plan?.moments ?? [])
      if (replaced.includes(moment.mark)) replaced = replaced.replace(moment.mark, () => momentText(moment, received));
    return replaced;
  };
  return typeof text === 'string' ? replace(text) : new JsonText(text.pieces.map(replace));
}
