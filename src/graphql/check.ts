import 'reflect-metadata'; // type-graphql needs it when the first class is decorated
import { Field, ObjectType } from 'type-graphql';
import { keepByParts } from '../cache/kept-results.ts';
import type { Answer, Freshness } from '../domain/answer.ts';
import { allowKeptText } from './compiled/kept-text.ts';
import { DateScalar, DateTimeScalar } from './scalars.ts';

@ObjectType('Freshness', {
  description: 'Age of an answer: when its source was read, and whether it is cached or stale.',
  simpleResolvers: true,
})
export class FreshnessType implements Freshness {
  @Field(() => DateTimeScalar, { description: 'When the source was read.' }) fetchedAt!: number;
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Date of the underlying registry copy or list; null when it states none, and for sources without a copy.',
  })
  dataAsOf!: string | null;
  @Field(() => Boolean, { description: 'True when the answer is from a cache.' }) cached!: boolean;
  @Field(() => Boolean, {
    description: 'True when the answer is older than its TTL and is served while the source is read again, or because the source failed.',
  })
  stale!: boolean;
  @Field(() => DateTimeScalar, { nullable: true, description: 'When the TTL of the answer ends; null when it is not cached.' })
  expiresAt!: number | null;
}

/**
 * Creates a function that converts an answer, and what else its object depends on, to a GraphQL object that requests share. It returns the
 * same object for the same arguments, and the executor keeps the JSON of the object, so `convert` must be pure and nothing may change the
 * object.
 */
export const sharedObject = <P extends readonly [object, ...unknown[]], T extends object>(
  convert: (...parts: P) => T,
): ((...parts: P) => T) => keepByParts((...parts: P) => allowKeptText(convert(...parts)));

/** Converts an answer to a GraphQL object: the fields of its value, and `freshness`. It returns the same object for the same answer. */
export const check = <T extends object>(answer: Answer<T>): T & { freshness: FreshnessType } =>
  toCheck(answer) as T & { freshness: FreshnessType };

const toCheck = sharedObject(({ value, freshness }: Answer<object>) => ({ ...value, freshness }));
