import { describe, expect, it } from 'vitest';
import { buildSchema } from '../../src/graphql/schema.ts';
import { outputOf } from '../../src/mcp/output.ts';
import { resolvers } from '../../src/modules/index.ts';

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
