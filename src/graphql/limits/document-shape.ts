import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Counted } from '../../messages/operations.ts';
import { LIMITS, type LimitCode, limitExceeded } from '../limits.ts';

/** Counts of a part of a document, with fragments expanded wherever they are spread. */
export interface Shape {
  /** Nesting of fields. */
  readonly depth: number;
  /** Number of fields without `__typename`. */
  readonly fields: number;
  /** Number of fields at the top level. */
  readonly rootFields: number;
  /** Number of fields `__schema` and `__type`. */
  readonly introspections: number;
  readonly aliases: number;
  readonly directives: number;
  /** Number of AST nodes that the analysis visited. A fragment is visited once, however often it is spread, so the work is linear. */
  readonly visits: number;
}

/** The shape of an operation or a fragment. */
export interface DefinitionShape extends Shape {
  readonly isOperation: boolean;
}

const NOTHING: Shape = { depth: 0, fields: 0, rootFields: 0, introspections: 0, aliases: 0, directives: 0, visits: 0 };

const CHECKS: readonly (readonly [measure: keyof Shape & keyof typeof LIMITS, code: LimitCode, what: Counted])[] = [
  ['depth', 'QUERY_TOO_DEEP', 'levels of fields'],
  ['rootFields', 'TOO_MANY_ROOT_FIELDS', 'fields at its root'],
  ['introspections', 'TOO_MANY_ROOT_FIELDS', 'introspection fields'],
  ['aliases', 'TOO_MANY_ALIASES', 'aliases'],
  ['directives', 'TOO_MANY_DIRECTIVES', 'directives'],
  ['fields', 'TOO_MANY_FIELDS', 'fields'],
];

/** Returns an error for a document with an operation or fragment that is too large to validate, else null. */
export function shapeProblem(document: DocumentNode): GraphQLError | null {
  for (const shape of shapesOf(document)) {
    for (const [measure, code, what] of CHECKS) {
      // The position of a spread is unknown for a fragment alone: it may be at the root, or in introspection, which may be deep.
      const counts = shape.isOperation || (measure !== 'rootFields' && measure !== 'depth');
      if (counts && shape[measure] > LIMITS[measure]) return limitExceeded(code, what, shape[measure], LIMITS[measure]);
    }
  }
  return null;
}

/**
 * Measures every operation and fragment. Each fragment is measured once, and its numbers are added wherever it is spread, so that the work
 * is linear in the text, however large the expanded document would be. A fragment that spreads itself, which validation refuses, adds
 * nothing.
 */
export function shapesOf(document: DocumentNode): readonly DefinitionShape[] {
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
  );
  const shapes = new Map<string, Shape>();

  function spread(name: string): Shape {
    const known = shapes.get(name);
    if (known) return { ...known, visits: 1 };
    const fragment = fragments.get(name);
    if (!fragment) return NOTHING;
    shapes.set(name, NOTHING);
    const shape = withDirectives(ofSelections(fragment.selectionSet), fragment);
    shapes.set(name, shape);
    return shape;
  }

  function ofSelections({ selections }: SelectionSetNode): Shape {
    return selections.map(ofSelection).reduce(add, NOTHING);
  }

  function ofSelection(node: SelectionNode): Shape {
    if (node.kind === Kind.FRAGMENT_SPREAD) return withDirectives(spread(node.name.value), node);
    if (node.kind === Kind.INLINE_FRAGMENT) return withDirectives(ofSelections(node.selectionSet), node);
    // Introspection is answered from memory. It may be deep, and it spreads the same fragments many times.
    const isSchema = node.name.value === '__schema' || node.name.value === '__type';
    const below = node.selectionSet ? ofSelections(node.selectionSet) : NOTHING;
    return withDirectives(
      {
        depth: isSchema ? 1 : below.depth + 1,
        fields: (isSchema ? below.visits : below.fields) + (node.name.value === '__typename' ? 0 : 1),
        rootFields: 1,
        introspections: isSchema ? 1 : 0,
        aliases: below.aliases + (node.alias ? 1 : 0),
        directives: below.directives,
        visits: below.visits + 1,
      },
      node,
    );
  }

  return document.definitions.flatMap((one): readonly DefinitionShape[] => {
    if (one.kind === Kind.OPERATION_DEFINITION) {
      const ofVariables = (one.variableDefinitions ?? []).reduce((sum, { directives = [] }) => sum + directives.length, 0);
      const shape = withDirectives(ofSelections(one.selectionSet), one);
      return [{ ...shape, directives: shape.directives + ofVariables, isOperation: true }];
    }
    return one.kind === Kind.FRAGMENT_DEFINITION ? [{ ...spread(one.name.value), isOperation: false }] : [];
  });
}

const add = (one: Shape, other: Shape): Shape => ({
  depth: Math.max(one.depth, other.depth),
  fields: one.fields + other.fields,
  rootFields: one.rootFields + other.rootFields,
  introspections: one.introspections + other.introspections,
  aliases: one.aliases + other.aliases,
  directives: one.directives + other.directives,
  visits: one.visits + other.visits,
});

const withDirectives = (shape: Shape, { directives = [] }: SelectionNode | Pick<FragmentDefinitionNode, 'directives'>): Shape => ({
  ...shape,
  directives: shape.directives + directives.length,
});
