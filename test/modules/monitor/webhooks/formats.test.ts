import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldChange } from '../../../../src/modules/monitor/domain/change.ts';
import { type TestApp, testApp } from '../../../support/app.ts';
import { data, HOOK, PATH, patch, subscribe, world } from '../api-requests.ts';
import { receiver, setup, taxIdOf } from './support.ts';

const CHANGES: readonly FieldChange[] = [
  { field: 'status', from: 'active', to: 'inactive' },
  { field: 'debarment', from: '0', to: '1', list: 'CEIS' },
];

describe('a webhook for a chat', () => {
  it.each([
    ['en', 'Change of', '*Registration*: active → inactive', '*Debarment entries · CEIS (barred from public contracts)*: 0 → 1'],
    [
      'es',
      'Cambio en',
      '*Situación registral*: activa → inactiva',
      '*Registros de inhabilitación · CEIS (inhabilitadas para contratar con el Estado)*: 0 → 1',
    ],
    [
      'pt',
      'Mudança em',
      '*Situação cadastral*: ativa → inativa',
      '*Registros de impedimento · CEIS (empresas inidôneas e suspensas)*: 0 → 1',
    ],
  ] as const)('has the change in the language of the endpoint, signed and with its id: %s', async (webhookLanguage, title, ...lines) => {
    const { monitor, change, drain } = await setup();
    const { url, received } = await receiver();
    await monitor(url, { webhookFormat: 'slack', webhookLanguage, listNews: true });
    await change([taxIdOf(1)], CHANGES);
    await drain();
    const { body = '', headers } = received[0] ?? {};
    const { text, blocks } = JSON.parse(body);
    expect(text).toBe(`${title} ${taxIdOf(1)} (BR)`);
    expect(blocks.slice(1, 3).map((block: { text: { text: string } }) => block.text.text)).toEqual(lines);
    expect(headers?.['webhook-id']).toMatch(/^evt_/);
    expect(headers?.['webhook-signature']).toMatch(/^v1,/);
  });

  it('has the fields that the webhook has in the standard format, and no more', async () => {
    const { monitor, change, drain } = await setup();
    const { url, received } = await receiver();
    await monitor(url, { webhookFormat: 'teams', recordNews: false });
    await change([taxIdOf(1)], [...CHANGES.slice(0, 1), { field: 'owners', from: null, to: 'MARIA MODELO (***456789**)' }]);
    await drain();
    expect(received[0]?.body).toContain('Registration');
    expect(received[0]?.body).not.toMatch(/MARIA|Owners/);
  });

  it('does not change the webhooks of other formats', async () => {
    const { monitor, change, drain } = await setup();
    const plain = await receiver();
    await monitor(plain.url);
    await change([taxIdOf(1)], CHANGES.slice(0, 1));
    await drain();
    expect(Object.keys(JSON.parse(plain.received[0]?.body ?? '{}'))).toEqual([
      'subscription_id',
      'identifier',
      'country',
      'changed_fields',
      'detected_at',
    ]);
  });
});

describe('the format of a webhook', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ listsTried: false });
  });
  afterAll(() => app.close());

  it('is standard unless a monitor chooses another, in REST and GraphQL alike', async () => {
    const plain = await subscribe(app);
    expect(plain).toMatchObject({ webhook_format: 'standard', webhook_language: 'en' });
    const { subscription_id: id } = await subscribe(app, { webhook_format: 'slack', webhook_language: 'pt' });
    const read = 'query ($id: ID!) { monitor(id: $id) { webhookFormat webhookLanguage } }';
    expect((await data(app, read, { id })).monitor).toEqual({ webhookFormat: 'SLACK', webhookLanguage: 'PT' });
    const change = `mutation ($id: ID!) { updateMonitor(input: { id: $id, webhookFormat: TEAMS, webhookLanguage: ES }) {
      monitor { webhookFormat webhookLanguage webhookUrl } } }`;
    expect((await data(app, change, { id })).updateMonitor.monitor).toEqual({
      webhookFormat: 'TEAMS',
      webhookLanguage: 'ES',
      webhookUrl: HOOK,
    });
    const { body } = await patch(app, `${PATH}/${id}`, { webhook_format: 'standard' });
    expect(body).toMatchObject({ webhook_format: 'standard', webhook_language: 'es' });
  });

  it('is refused if it is unknown', async () => {
    const { status, body } = await app.post(PATH, {
      identifiers: world.slice(0, 1),
      country: 'BR',
      webhook_url: HOOK,
      webhook_format: 'irc',
    });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ field: 'webhook_format' }]);
  });
});
