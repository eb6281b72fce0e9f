import { describe, expect, it } from 'vitest';
import type { Client } from '../../dashboard/api/client.ts';
import { NO_FILTER } from '../../dashboard/state/candidates.ts';
import { decisionsCsv } from '../../dashboard/state/decisions.ts';

describe('the decisions as CSV', () => {
  it.each([
    ['en', 'semicolon'],
    ['es', 'comma'],
    ['pt', 'semicolon'],
  ] as const)('have in %s the delimiter that a person chose: %s', async (language, delimiter) => {
    const asked: unknown[] = [];
    const client = {
      ask: async (_: unknown, variables: unknown) => {
        asked.push(variables);
        return { data: { decided: { csv: 'a\r\n', pageInfo: { hasNextPage: false, endCursor: null } } }, errors: [] };
      },
    } as unknown as Client;
    await decisionsCsv(client, NO_FILTER, language, delimiter);
    expect(asked).toMatchObject(Array(2).fill({ language: language.toUpperCase(), delimiter: delimiter.toUpperCase() }));
  });
});
