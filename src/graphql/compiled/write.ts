import { defaultFieldResolver, defaultTypeResolver, GraphQLError, locatedError, responsePathAsArray } from 'graphql';
import type { Awaitable } from '../../domain/answer.ts';
import { JsonTexts } from '../../domain/json-texts.ts';
import { SLICE_VALUES } from '../../scheduling/slices.ts';
import { chargeValues } from '../limits/answer-budget.ts';
import { withoutWaiting } from '../limits/list-slices.ts';
import { type Company, keepCompanyText, keptCompanyText, type Received, requestAnswers, withMoments } from './company-text.ts';
import { type JoinedText, joined, type Text, TextBuilder } from './json-text.ts';
import { keepText, keptTextOf } from './kept-text.ts';
import { isPlain, leavesText } from './leaves.ts';
import type { AbstractPlan, AnswersPlan, FieldPlan, ObjectPlan, ValuePlan } from './plan-types.ts';
import { argumentsOf, type Path, type Run } from './run.ts';

/*
 * These functions implement the algorithm of graphql-js (`execution/execute.js`), function by function, and return JSON text instead of
 * objects. They chain promises in the same way, because the order of errors depends on it. Values in memory are written without a promise.
 */

/** Writes an object. @throws the located error of a non-null field, or rejects with it */
export function writeObject(plan: ObjectPlan, object: unknown, run: Run, path?: Path): Awaitable<JoinedText> {
  if (plan.answers && !run.isKeeping) return writeCompany(plan, plan.answers, object as Company, run, path);
  const kept = plan.isInMemory && !run.isKeeping ? keptTextOf(object as object) : undefined;
  if (kept === undefined) return writeFields(plan, object, run, path);
  if (kept?.planId !== plan.id || kept.text === null) return writeAndKeep(plan, object as object, run, path);
  chargeValues(run.budget, kept.values);
  run.memory.touch(kept);
  return kept.text;
}

function writeAndKeep(plan: ObjectPlan, object: object, run: Run, path: Path | undefined): Awaitable<JoinedText> {
  const { budget, errors, memory } = run;
  const before = { values: budget.values, errors: errors.count };
  run.isKeeping = true;
  try {
    const written = withoutWaiting(() => writeFields(plan, object, run, path));
    if (isPromise(written) || errors.count > before.errors) return written;
    return keepText(object, { planId: plan.id, values: budget.values - before.values }, String(written), memory);
  } finally {
    run.isKeeping = false;
  }
}

/** Writes a company from the text that is kept with its answers, or writes its fields and keeps their text. */
function writeCompany(plan: ObjectPlan, answers: AnswersPlan, company: Company, run: Run, path: Path | undefined): Awaitable<JoinedText> {
  const received = requestAnswers(answers, company, run);
  if (!received) return writeFields(plan, company, run, path);
  return keptCompanyText(plan, company, received, run) ?? writeAndKeepCompany(plan, company, received, run, path);
}

function writeAndKeepCompany(
  plan: ObjectPlan,
  company: Company,
  received: Received,
  run: Run,
  path: Path | undefined,
): Awaitable<JoinedText> {
  const { budget, errors } = run;
  const before = { values: budget.values, errors: errors.count };
  run.isKeeping = true;
  run.marks = plan.answers?.marks ?? null;
  try {
    const written = withoutWaiting(() => writeFields(plan, company, run, path));
    if (isPromise(written)) return written.then((text) => withMoments(text, plan, received));
    if (errors.count === before.errors) keepCompanyText(plan, company, received, { written, values: budget.values - before.values }, run);
    return withMoments(written, plan, received);
  } finally {
    run.isKeeping = false;
    run.marks = null;
  }
}

function writeFields(plan: ObjectPlan, object: unknown, run: Run, prev: Path | undefined): Awaitable<JoinedText> {
  const written: Awaitable<Text>[] = [];
  let waits = false;
  try {
    for (const field of plan.fields) {
      const text = run.marks?.get(field) ?? scalarText(field, object) ?? writeField(field, plan, object, run, prev);
      waits ||= isPromise(text);
      written.push(text);
    }
  } catch (error) {
    if (!waits) throw error;
    return joinLater(plan, written).finally(() => {
      throw error;
    });
  }
  return waits ? joinLater(plan, written) : join(plan, written as Text[]);
}

const joinLater = (plan: ObjectPlan, written: readonly Awaitable<Text>[]): Promise<JoinedText> =>
  Promise.all(written).then((texts) => join(plan, texts));

function join({ fields }: ObjectPlan, texts: readonly Text[]): JoinedText {
  if (fields.length === 0) return '{}'; // directives skip every field
  const json = new TextBuilder();
  for (let i = 0; i < texts.length; i += 1) json.add(fields[i]?.before ?? '', joined(texts[i] ?? 'null'));
  return json.end('}');
}

/** Writes a scalar property of the object. Returns undefined for all other fields, and for a value with an error. */
function scalarText({ field, value: plan, info }: FieldPlan, object: unknown): string | undefined {
  if (field.resolve || plan.kind !== 'leaf' || typeof object !== 'object' || object === null) return undefined;
  const value = (object as Readonly<Record<string, unknown>>)[info.fieldName];
  if (value === null) return plan.isRequired ? undefined : 'null';
  if (!isPlain(value)) return undefined;
  try {
    return JSON.stringify(plan.serialize(value) ?? undefined);
  } catch {
    return undefined;
  }
}

function writeField(field: FieldPlan, { type }: ObjectPlan, object: unknown, run: Run, prev: Path | undefined): Awaitable<Text> {
  const path = { prev, key: field.key, typename: type.name };
  let value: unknown;
  try {
    value = resolveField(field, object, run, path);
  } catch (error) {
    return toNull(error, field.value, field, run, path);
  }
  return orNull(field.value, value, field, run, path);
}

function resolveField(plan: FieldPlan, object: unknown, run: Run, path: Path): unknown {
  const { field, info } = plan;
  if (!field.resolve) {
    const value: unknown = (object as Readonly<Record<string, unknown>> | null | undefined)?.[info.fieldName];
    if (typeof object === 'object' && typeof value !== 'function') return value;
  }
  const { context, variables } = run;
  const resolve = field.resolve ?? defaultFieldResolver;
  return resolve(object, argumentsOf(plan, run), context, { ...info, path, rootValue: undefined, variableValues: variables });
}

/**
 * Writes a value. An error is recorded and null is written, or it is thrown if the type is non-null. Code with closures is in separate
 * functions, because a function with closures allocates memory for them at each call, even if it does not use them.
 */
function orNull(plan: ValuePlan, given: unknown, field: FieldPlan, run: Run, path: Path): Awaitable<Text> {
  try {
    const text = isPromise(given) ? writeLater(plan, given, field, run, path) : writeValue(plan, given, field, run, path);
    return isPromise(text) ? orNullLater(plan, text, field, run, path) : text;
  } catch (error) {
    return toNull(error, plan, field, run, path);
  }
}

const writeLater = (plan: ValuePlan, given: Promise<unknown>, field: FieldPlan, run: Run, path: Path): Promise<Text> =>
  given.then((value) => writeValue(plan, value, field, run, path));

const orNullLater = (plan: ValuePlan, text: Promise<Text>, field: FieldPlan, run: Run, path: Path): Promise<Text> =>
  text.then(undefined, (reason) => toNull(reason, plan, field, run, path));

function toNull(reason: unknown, { isRequired }: ValuePlan, { info }: FieldPlan, { errors }: Run, path: Path): string {
  const error = locatedError(reason, info.fieldNodes, responsePathAsArray(path));
  if (isRequired) throw error;
  errors.add(error, path);
  return 'null';
}

function writeValue(plan: ValuePlan, value: unknown, field: FieldPlan, run: Run, path: Path): Awaitable<Text> {
  if (value instanceof Error) throw value;
  if (value === null || value === undefined) {
    if (plan.isRequired) throw new Error(`Cannot return null for non-nullable field ${nameOf(field)}.`);
    return 'null';
  }
  switch (plan.kind) {
    case 'leaf':
      return writeLeaf(plan.serialize(value), field);
    case 'list':
      return writeList(plan.item, value, field, run, path);
    case 'object':
      return writeObject(plan.plan, value, run, path);
    case 'abstract':
      return writeAbstract(plan, value, field, run, path);
  }
}

const nameOf = ({ info: { parentType, fieldName } }: FieldPlan): string => `${parentType.name}.${fieldName}`;

function writeLeaf(serialized: unknown, field: FieldPlan): string {
  if (serialized === null || serialized === undefined) throw new Error(`The scalar of ${nameOf(field)} serialized a value to null.`);
  return JSON.stringify(serialized);
}

function writeList(item: ValuePlan, values: unknown, field: FieldPlan, run: Run, prev: Path): Awaitable<Text> {
  if (typeof values !== 'object' || values === null || !(Symbol.iterator in values))
    throw new GraphQLError(`Expected Iterable, but did not find one for field "${nameOf(field)}".`);
  if (item.kind === 'leaf' && values instanceof JsonTexts) return values.json;
  const text = item.kind === 'leaf' && Array.isArray(values) ? leavesText(values, item.serialize) : null;
  if (text) return text;
  if (item.kind === 'object' && item.plan.answers && Array.isArray(values)) return writeCompanies(item, values, [], field, run, prev);
  const written: Awaitable<Text>[] = [];
  try {
    for (const value of values as Iterable<unknown>) {
      written.push(orNull(item, value, field, run, { prev, key: written.length, typename: undefined }));
    }
  } catch (error) {
    for (const text of written) if (isPromise(text)) text.catch(() => undefined); // nobody awaits these items any more
    throw error;
  }
  return written.some(isPromise) ? Promise.all(written) : (written as Text[]);
}

/** Fixed cost of a company whose text is kept, in values: a hundred of them are a slice. */
const COMPANY_VALUES = SLICE_VALUES / 100;

/**
 * Writes the companies of a list from the one after those that are written, in slices. As soon as one has to wait for an answer, the others
 * are requested at once, so that their loads share batches.
 * @param reserved index of the company for which a part of the current slice is reserved already
 */
function writeCompanies(
  item: ValuePlan,
  values: readonly unknown[],
  written: Awaitable<Text>[],
  field: FieldPlan,
  run: Run,
  prev: Path,
  reserved = -1,
): Awaitable<Text> {
  let waits = false;
  try {
    for (let i = written.length; i < values.length; i += 1) {
      const slice = waits || i === reserved ? null : run.context.slices.reserve(COMPANY_VALUES);
      if (slice) return slice.then(() => writeCompanies(item, values, written, field, run, prev, i));
      const text = orNull(item, values[i], field, run, { prev, key: i, typename: undefined });
      waits ||= isPromise(text);
      written.push(text);
    }
  } catch (error) {
    for (const text of written) if (isPromise(text)) text.catch(() => undefined); // nobody awaits these items any more
    throw error;
  }
  return waits ? Promise.all(written) : (written as Text[]);
}

function writeAbstract({ type, plans }: AbstractPlan, value: unknown, field: FieldPlan, run: Run, path: Path): Awaitable<JoinedText> {
  const info = { ...field.info, path, rootValue: undefined, variableValues: run.variables };
  const write = (name: unknown) => {
    const plan = plans.get(String(name));
    if (!plan) throw new GraphQLError(`The type of a value of "${nameOf(field)}" is not known.`, { nodes: field.info.fieldNodes });
    return writeObject(plan, value, run, path);
  };
  const name = (type.resolveType ?? defaultTypeResolver)(value, run.context, info, type);
  return isPromise(name) ? name.then(write) : write(name);
}

const isPromise = <T>(value: T | PromiseLike<T>): value is Promise<T> =>
  typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
