/** An operation that comes with the service. */
export interface ShippedOperation {
  /** Name of its file, such as `company-changed`. */
  readonly name: string;
  readonly text: string;
}

/** Those that select everything are left out, because the page would load more script for them than for all others. */
const files = import.meta.glob<string>(['../../schema/operations/*.graphql', '!../../schema/operations/everything*.graphql'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

export const OPERATIONS: readonly ShippedOperation[] = Object.entries(files).map(([file, text]) => ({
  name: file.replace(/^.*\/|\.graphql$/g, ''),
  text,
}));

/** The operation that is shown first. */
export const FIRST = 'compliance';

/** A company that fills the variables `identifier`, `identifiers` and `country` of an operation. */
export interface Company {
  readonly identifier: string;
  readonly country: string;
}

/** Returns JSON of the variables that an operation declares: those that a company fills, and other required ones, which are empty. */
export function variablesFor(text: string, company: Company | null): string {
  const declared = [...text.matchAll(/\$(\w+):\s*([\w[\]!]+)/g)].map(([, name = '', type = '']) => ({ name, type }));
  const filled = declared.flatMap(({ name, type }): readonly (readonly [string, unknown])[] => {
    if (company && name === 'identifier') return [[name, company.identifier]];
    if (company && name === 'identifiers') return [[name, [company.identifier]]];
    if (company && name === 'country') return [[name, company.country]];
    return type.endsWith('!') && !text.includes(`$${name}: ${type} =`) ? [[name, type.startsWith('[') ? [] : '']] : [];
  });
  return JSON.stringify(Object.fromEntries(filled), null, 2);
}
