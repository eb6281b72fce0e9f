import {
  type DirectiveNode,
  type DocumentNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getArgumentValues,
  type OperationDefinitionNode,
  type SelectionSetNode,
  separateOperations,
} from 'graphql';

/** A valid operation with its coerced variables. */
export interface ConditionedOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Checks the conditions of `@skip` and `@include`. A nullable variable with a default value is allowed there, and the caller may send null
 * for it.
 * @throws GraphQLError for a condition that is null, which graphql-js would throw while it executes
 */
export function requireConditions({ document, operation, variables }: ConditionedOperation): void {
  if (!Object.values(variables).includes(null)) return;
  const own = separateOperations(document)[operation.name?.value ?? ''] ?? document;
  const directives = own.definitions.flatMap((one) => ('selectionSet' in one && one.selectionSet ? directivesIn(one.selectionSet) : []));
  for (const node of directives) {
    const directive = [GraphQLSkipDirective, GraphQLIncludeDirective].find(({ name }) => name === node.name.value);
    if (directive) getArgumentValues(directive, node, variables);
  }
}

const directivesIn = ({ selections }: SelectionSetNode): readonly DirectiveNode[] =>
  selections.flatMap((node) => [
    ...(node.directives ?? []),
    ...('selectionSet' in node && node.selectionSet ? directivesIn(node.selectionSet) : []),
  ]);
