import type { z } from 'zod';

/*
 * Agent programs send null or an empty text for what they leave out, a list or an object as text, one item in place of a list, and codes in
 * small letters. This file reads such arguments as they are meant. Everything else stays unchanged, and the input of the tool refuses it.
 */

/** The parts of a schema on which the reading of an argument depends. */
interface Shape {
  readonly type: string;
  readonly isOptional: boolean;
  /** Fields of an object. */
  readonly fields: Readonly<Record<string, z.core.$ZodType>>;
  /** Values of an enum. */
  readonly values: readonly unknown[];
}

interface Def {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
  readonly shape?: Shape['fields'];
  readonly entries?: Readonly<Record<string, unknown>>;
}

/** Finds the schema within defaults, conversions and marks of optional fields. */
function shapeOf(schema: z.core.$ZodType): Shape {
  let def = schema._zod.def as Def;
  let isOptional = false;
  for (;;) {
    if (def.type === 'optional' || def.type === 'default') isOptional = true;
    const inner = def.innerType ?? def.out;
    if (!inner) return { type: def.type, isOptional, fields: def.shape ?? {}, values: Object.values(def.entries ?? {}) };
    def = inner._zod.def as Def;
  }
}

/** Words by which programs write that there is no value. */
const NOTHING = /^(?:null|none|undefined)?$/i;

/** Reads the arguments of a call by the input of its tool. */
export function meantArguments(input: z.core.$ZodType, given: unknown): unknown {
  const { fields } = shapeOf(input);
  const object = given === null ? {} : parsed(given, '{');
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return given;
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (!field) return [[name, value]];
      return isLeftOut(value, shapeOf(field)) ? [] : [[name, meant(value, field)]];
    }),
  );
}

/** True for null in place of an optional value, and for a text that says so where no text is expected. */
const isLeftOut = (value: unknown, { isOptional, type }: Shape): boolean =>
  isOptional && (value === null || value === '' || (type !== 'string' && typeof value === 'string' && NOTHING.test(value.trim())));

function meant(value: unknown, schema: z.core.$ZodType): unknown {
  const { type, values } = shapeOf(schema);
  if (type === 'object') return meantArguments(schema, value);
  if (type === 'array') return listOf(value);
  if (type !== 'enum' || typeof value !== 'string' || values.includes(value)) return value;
  const code = value.trim().toUpperCase();
  return values.includes(code) ? code : value;
}

/** Reads a list that was sent as JSON text, and one item in place of a list. A text that begins like JSON is no item. */
function listOf(value: unknown): unknown {
  const list = parsed(value, '[');
  const isItem = typeof list === 'number' || (typeof list === 'string' && /^\s*[^\s[{"]/.test(list));
  return isItem ? [list] : list;
}

/** Maximum length of a list or an object as JSON text, in characters. The longest valid one, 500 ids of monitors, is shorter. */
const MAX_JSON_TEXT = 60_000;

/** Returns the value of a text that is JSON and begins with a bracket; any other value unchanged. */
function parsed(value: unknown, bracket: '[' | '{'): unknown {
  if (typeof value !== 'string' || value.length > MAX_JSON_TEXT || !value.trimStart().startsWith(bracket)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
