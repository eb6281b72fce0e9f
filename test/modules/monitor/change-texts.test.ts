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
