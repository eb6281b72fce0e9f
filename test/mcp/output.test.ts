import { describe, expect, it } from 'vitest';
import { buildSchema } from '../../src/graphql/schema.ts';
import { outputOf } from '../../src/mcp/output.ts';
import { answerMessage } from '../../src/mcp/server.ts';
import { resolvers } from '../../src/modules/index.ts';
import { expectShortTurns } from '../support/longest-turn.ts';

describe('the schema of a tool’s result', () => {
  it('refuses a result that is not the answer to the document', () => {
    const schema = outputOf(
      buildSchema(resolvers),
      'query ($BR: Boolean!) { company(identifier: "x") { country compliance @include(if: $BR) { riskLevel } } }',
    );
    const answer = (company: unknown) => schema.safeParse({ data: { company } }).success;
    expect(
      [{ country: 'BR' }, { country: 'BR', compliance: null }, { country: 'BR', compliance: { riskLevel: 'LOW' } }].map(answer),
    ).toEqual([true, true, true]);
    expect([{ country: 'AR' }, { country: 1 }, {}, { country: 'BR', compliance: { riskLevel: null } }].map(answer)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(schema.safeParse({ data: null, errors: [{ message: 'no', extensions: {} }] }).success).toBe(true);
  });
});

it('the list of tools is written once, because anybody with a key may ask for it at any rate', async () => {
  const parts = { run: async () => ({ data: null }), texts: [], schema: buildSchema(resolvers) };
  const list = async (id: number) => {
    const answer = await answerMessage(parts, { jsonrpc: '2.0', id, method: 'tools/list' }, undefined);
    return (await answer.json()) as { readonly id: number; readonly result: object };
  };
  const [one, other] = [await list(1), await list(2)];
  expect([one.id, other.id, other.result]).toEqual([1, 2, one.result]);
  await expectShortTurns('list of tools', () => list(3), 30);
});
