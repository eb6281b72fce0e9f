import type { GraphQLAbstractType, GraphQLField, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import type { Country } from '../../domain/company.ts';
import type { AnswerSource } from './answer-source.ts';

/** Selection of an object, prepared before execution. It is created once per operation and values of the variables in its directives. */
export interface ObjectPlan {
  /** Number that distinguishes plans without keeping them in memory. */
  readonly id: number;
  readonly type: GraphQLObjectType;
  readonly fields: readonly FieldPlan[];
  /**
   * True if everything below is read from the object itself, without resolvers or arguments, so that its text depends on the object alone.
   */
  readonly isInMemory: boolean;
  /** The answers that its text depends on, if the text is kept with them; else null. */
  readonly answers: AnswersPlan | null;
}

export interface FieldPlan {
  /** The response key. */
  readonly key: string;
  /** JSON before the value of the field: `{"name":` for the first field, `,"name":` for the others. */
  readonly before: string;
  readonly field: GraphQLField<unknown, unknown>;
  readonly value: ValuePlan;
  /** The info of a resolver, except the request and the path in the result. */
  readonly info: Omit<GraphQLResolveInfo, 'path' | 'rootValue' | 'variableValues'>;
  readonly isInMemory: boolean;
}

/** Serialisation of a value of a type. */
export type ValuePlan =
  | { readonly kind: 'leaf'; readonly isRequired: boolean; readonly serialize: (value: unknown) => unknown }
  | { readonly kind: 'list'; readonly isRequired: boolean; readonly item: ValuePlan }
  | { readonly kind: 'object'; readonly isRequired: boolean; readonly plan: ObjectPlan }
  | AbstractPlan;

export interface AbstractPlan {
  readonly kind: 'abstract';
  readonly isRequired: boolean;
  readonly type: GraphQLAbstractType;
  /** Plans by the name of each possible type. */
  readonly plans: ReadonlyMap<string, ObjectPlan>;
}

/** A field of a company whose object is made from one answer. */
export interface AnswerField {
  readonly plan: FieldPlan;
  readonly source: AnswerSource;
  /** Countries for whose companies it is answered; undefined for all. It is null for others. */
  readonly countries: readonly Country[] | undefined;
}

/** A time of the request in the text of a company. */
export interface Moment {
  /** Index of the answer field whose value has it. */
  readonly answer: number;
  readonly name: string;
  readonly serialize: (value: unknown) => unknown;
  /** Control character that stands for it in a kept text. JSON has none, because it escapes them. */
  readonly mark: string;
}

/** Selection of a company whose text depends on answers alone, so that it is kept with them. */
export interface AnswersPlan {
  readonly fields: readonly AnswerField[];
  readonly moments: readonly Moment[];
  /** The marks of the moments by their fields. */
  readonly marks: ReadonlyMap<FieldPlan, string>;
}
