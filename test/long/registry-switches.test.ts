import { expect, it } from 'vitest';
import { requestsDuringSwitches } from '../sources/receita-copy/switches.ts';
import { OWN } from '../support/own-numbers.ts';
import { isFull, rounds } from '../support/rounds.ts';

/** Share of the requests of a second that must be answered in it: a switch may delay some. */
const ANSWERED = 0.95;

it('DB-11 60 switches of the version of the Brazilian registry under 2,000 requests a second make none fail, and no company of an answer has texts of two versions', async () => {
  const switches = rounds(OWN['DB-11'].switches);
  const plan = { switches, clients: 64, perSecond: rounds(OWN['DB-11'].perSecond), listEvery: 100 };
  const { errors, mixed, versions, answers, perSecond } = await requestsDuringSwitches(plan);
  console.info(`${switches} switches, ${answers} answers, ${Math.round(perSecond)} requests/s`);
  expect({ errors, mixed }).toEqual({ errors: [], mixed: [] });
  expect(versions).toBeGreaterThan(switches / 3);
  if (isFull) expect(perSecond).toBeGreaterThan(ANSWERED * plan.perSecond);
});

it('DB-11 60 switches of the version of the Brazilian registry while 16 clients send requests over HTTP make none fail, and no company of an answer has texts of two versions', async () => {
  const switches = rounds(OWN['DB-11'].switches);
  const plan = { switches, clients: 16, listEvery: 10, isOverHttp: true };
  const { errors, mixed, versions, answers } = await requestsDuringSwitches(plan);
  console.info(`${switches} switches, ${answers} answers over HTTP`);
  expect({ errors, mixed }).toEqual({ errors: [], mixed: [] });
  expect(versions).toBeGreaterThan(switches / 3);
});
