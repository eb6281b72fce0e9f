import { describe, expect, it } from 'vitest';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import { isSubscription } from '../../dashboard/explorer/editor.ts';
import { explorerProblem, readVariables } from '../../dashboard/explorer/problem.ts';
import type { Texts } from '../../dashboard/texts/texts.ts';
import { textsIn } from '../support/dashboard-texts.ts';

/** Returns what a person reads of the failure of some work of the explorer. */
function problemOf(work: () => unknown, language: 'en' | 'es' | 'pt'): string {
  try {
    work();
  } catch (error) {
    return explorerProblem(error, Object.assign(textsIn(language), { language }) as Texts);
  }
  return '';
}

const thrown = (error: unknown) => (): never => {
  throw error;
};

describe.each(['en', 'es', 'pt'] as const)('a failure of the explorer in %s', (language) => {
  const text = textsIn(language);

  it.each(['{"identifier": ', '[]', 'null', '3'])('says in the language of the page that the variables are no object: %s', (variables) => {
    expect(problemOf(() => readVariables(variables), language)).toBe(text('explorer.wrongVariables'));
  });

  it('says in it from where on the operation cannot be read', () => {
    expect(problemOf(() => isSubscription('query {\n  company(\n'), language)).toBe(text('explorer.wrongAt', { line: 3, column: 1 }));
  });

  it('says in it that the server does not answer, or answers something else', () => {
    expect(problemOf(thrown(new QuipuError('NETWORK', 'The service does not answer.')), language)).toBe(text('unreachable'));
    expect(problemOf(thrown(new QuipuError('INVALID_ANSWER', 'The answer is no JSON.')), language)).toBe(text('unreachable'));
  });

  it('keeps the sentences of the service, which are in it already', () => {
    const errors = ['Una.', 'Otra.'].map((message) => ({ message }));
    const refused = new QuipuError('VALIDATION', 'Una.', { errors });
    expect(problemOf(thrown(refused), language)).toBe('Una. Otra.');
  });
});

it('the variables are read from JSON, and an empty field has none', () => {
  expect([readVariables(''), readVariables('{"n": 1}')]).toEqual([{}, { n: 1 }]);
});
