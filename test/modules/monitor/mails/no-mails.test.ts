import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caller } from '../../../../src/context.ts';
import { createMailSubscriptions } from '../../../../src/modules/monitor/service/mail-subscriptions.ts';
import { type TestApp, testApp } from '../../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

it('an address cannot be subscribed where the service sends no mails', async () => {
  const { save: saveWithout } = createMailSubscriptions({ db: app.db, now: Date.now, mailing: null });
  const settings = { email: 'ana@acme.example', language: 'en', timeZone: 'UTC', hour: 7, everyDay: false } as const;
  const refused = saveWithout({ keyId: '', accountId: '' } as Caller, settings);
  await expect(refused).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('QUIPU_SMTP_URL') });
});
