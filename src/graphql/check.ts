import 'reflect-metadata'; // type-graphql asks for it when the first class is decorated
import { Field, ObjectType } from 'type-graphql';
import { type Answer, type Freshness, keepByParts } from '../domain/answer.ts';
import { allowKeptText } from './compiled/write.ts';
import { DateScalar, DateTimeScalar } from './scalars.ts';

@ObjectType('Freshness', { description: 'How old an answer is, and why it may be trusted.', simpleResolvers: true })
export class FreshnessType implements Freshness {
  @Field(() => DateTimeScalar, { description: 'When the source was read.' }) fetchedAt!: number;
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Date of the underlying registry copy or list; null when it states none, and for sources without a copy.',
  })
  dataAsOf!: string | null;
  @Field(() => Boolean, { description: 'True when the answer was kept from an earlier fetch.' }) cached!: boolean;
  @Field(() => Boolean, {
    description: 'True when the answer is past its fresh age: its source is being asked again, or failed, and this one stands in.',
  })
  stale!: boolean;
  @Field(() => DateTimeScalar, { nullable: true, description: 'When the answer stops being fresh; null when it is not kept.' })
  expiresAt!: number | null;
}

/** Converts an answer to a GraphQL object: the fields of its value, and `freshness`. The same answer gives the same object. */
export const check = <T extends object>(answer: Answer<T>): T & { freshness: FreshnessType } =>
  toCheck(answer) as T & { freshness: FreshnessType };

const toCheck = keepByParts(({ value, freshness }: Answer<object>) => allowKeptText({ ...value, freshness }));
