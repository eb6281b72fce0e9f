import { expect, it } from 'vitest';
import { requestsDuringSwitches } from '../sources/receita-copy/switches.ts';
import { rounds } from '../support/rounds.ts';

it('DB-11 60 switches of the version of the Brazilian registry make no request fail, and no company of an answer has texts of two versions', async () => {
  const switches = rounds(60);
  const { errors, mixed, versions, answers, perSecond } = await requestsDuringSwitches({ switches, clients: 64 });
  console.info(`${switches} switches, ${answers} answers, ${Math.round(perSecond)} requests/s`);
  expect({ errors, mixed }).toEqual({ errors: [], mixed: [] });
  expect(versions).toBeGreaterThan(switches / 3);
});
