import { expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { testApp } from '../../support/app.ts';
import { startUpstream } from '../../support/upstream.ts';

const { cnpj } = companyByScenario('clean');

it('adds the request id to every log line of the request, and to the answer', async () => {
  const registry = await startUpstream(() => ({ status: 404, body: 'not what was expected' }));
  const app = await testApp({ env: { QUIPU_RECEITA_URL: registry.url, QUIPU_RECEITA_FALLBACK_URL: registry.url } });
  onTestFinished(async () => {
    await app.close();
    await registry.close();
  });
  const before = app.lines.length;
  const answers = [
    await app.post('/v1/kyb', { identifier: cnpj, country: 'BR' }),
    await app.query(`{ company(identifier: "${cnpj}") { owners { owners { name } } } }`),
    await app.post('/v1/kyb', '{'),
    await app.post('/v1/nothing', {}),
  ];
  const lines = app.lines.slice(before).filter(({ component }) => component !== 'jobs');
  const ids = answers.map(({ headers }) => headers['x-request-id']);
  expect(lines.map(({ reqId }) => ids.includes(reqId))).toEqual(lines.map(() => true));
  expect(lines.filter(({ msg }) => msg === 'answered').map(({ reqId, status }) => [reqId, status])).toEqual(
    answers.map(({ status }, i) => [ids[i], status]),
  );
  expect(lines.find(({ msg }) => msg === 'source call failed')).toMatchObject({ reqId: ids[0] });
  expect(lines.every((line) => !('traceId' in line))).toBe(true);
});
