import { afterAll, beforeAll, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { type SignInRun, startSignIn, TestBrowser } from '../support/sign-in.ts';

const homonym = companyByScenario('homonym').cnpj;

let run: SignInRun;
beforeAll(async () => {
  run = await startSignIn({ listsTried: true });
  await run.db.knex('accounts').update({ needs_approval: true });
});
afterAll(() => run.close());

/** Signs a person in. */
async function browserOf(sub: string, name: string): Promise<TestBrowser> {
  run.issuer.person = { sub, claims: { name, roles: ['analysts'] } };
  const browser = new TestBrowser(run);
  await browser.signIn();
  return browser;
}

it('a decision of a person who signed in is approved by another person through the same key, and not by her own', async () => {
  const ana = await browserOf('person-1', 'Ana Pérez');
  const input = `{ identifier: "${homonym}", list: OFAC_SDN, entityId: "990040", reason: "Founded later." }`;
  const decided = await ana.query(`mutation { dismissMatch(input: ${input}) { dismissedMatch { id isWaiting } } }`);
  const { id, isWaiting } = decided.data.dismissMatch.dismissedMatch;
  expect(isWaiting).toBe(true);
  const approval = `mutation { approveDismissal(input: { id: "${id}" }) { dismissedMatch { decidedBy { name } approvedBy { name } } } }`;
  const renamed = await browserOf('person-1', 'Ana Pérez Rojas');
  expect((await renamed.query(approval)).errors).toMatchObject([{ extensions: { code: 'SECOND_PERSON_NEEDED' } }]);
  const bruno = await browserOf('person-2', 'Bruno Lima');
  expect((await bruno.query(approval)).data.approveDismissal.dismissedMatch).toEqual({
    decidedBy: { name: 'Ana Pérez' },
    approvedBy: { name: 'Bruno Lima' },
  });
});
