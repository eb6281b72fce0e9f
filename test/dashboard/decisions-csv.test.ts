import { describe, expect, it } from 'vitest';
import type { Client } from '../../dashboard/api/client.ts';
import { NO_FILTER } from '../../dashboard/state/candidates.ts';
import { decisionsCsv } from '../../dashboard/state/decisions.ts';

describe('the decisions as CSV', () => {
  it.each([
    ['en', 'COMMA'],
    ['es', 'SEMICOLON'],
    ['pt', 'SEMICOLON'],
  ] as const)('have the delimiter of the other CSV files in %s', async (language, delimiter) => {
    const asked: unknown[] = [];
    const client = {
      ask: async (_: unknown, variables: unknown) => {
        asked.push(variables);
        return { data: { decided: { csv: 'a\r\n', pageInfo: { hasNextPage: false, endCursor: null } } }, errors: [] };
      },
    } as unknown as Client;
    await decisionsCsv(client, NO_FILTER, language);
    expect(asked).toMatchObject(Array(2).fill({ language: language.toUpperCase(), delimiter }));
  });
});
