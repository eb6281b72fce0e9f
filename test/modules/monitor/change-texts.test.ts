import { expect, it } from 'vitest';
import { toChatMessage } from '../../../src/modules/monitor/domain/chat-payload.ts';

const CHANGE = { fields: [{ field: 'owners', from: 'ANA RUIZ', to: 'LUIS PAZ' }], detectedAt: Date.parse('2026-11-27T12:00:00Z') } as const;

it.each([
  ['CO', '9009647055', 'es', 'Representante legal'],
  ['CO', '9009647055', 'en', 'Legal representative'],
  ['CL', '965057609', 'es', 'Socios'],
  ['BR', '99030001000146', 'pt', 'Sócios'],
] as const)(
  'a chat message about owners of a company of %s (%s) names in %s what its register has: %s',
  (country, taxId, language, name) => {
    const { facts } = toChatMessage('mon_1', { ...CHANGE, identifier: taxId, company: { country, taxId } }, language);
    expect(facts).toEqual([{ name, value: 'ANA RUIZ → LUIS PAZ' }]);
  },
);

it.each([
  ['en', '27 Nov 2026, 12:00 (UTC)'],
  ['es', '27 nov 2026, 12:00 (UTC)'],
  ['pt', '27 de nov. de 2026, 12:00 (UTC)'],
] as const)('a chat message has its time in the form of the pages, in %s', (language, time) => {
  const company = { country: 'BR', taxId: '99030001000146' } as const;
  expect(toChatMessage('mon_1', { ...CHANGE, identifier: company.taxId, company }, language).footer).toBe(`Quipu · ${time} · mon_1`);
});
