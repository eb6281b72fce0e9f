import { describe, expect, it } from 'vitest';
import { fieldNames } from '../../../../src/messages/changes.ts';
import { mailMessages } from '../../../../src/messages/mails.ts';
import type { ChangedField } from '../../../../src/modules/monitor/domain/change.ts';
import type { Digest } from '../../../../src/modules/monitor/domain/digest.ts';
import { digestMail } from '../../../../src/modules/monitor/domain/digest-mail.ts';
import { englishTexts } from '../../../support/shown-texts.ts';

const SINCE = Date.parse('2026-11-27T12:00:00Z');
const company = { country: 'BR', taxId: '99030001000146' } as const;
const NOTHING: Digest = {
  watched: 12,
  changed: { items: [], total: 0 },
  unchecked: { items: [], total: 0 },
  unreadLists: [],
  held: 0,
  openCandidates: null,
  lostChanges: false,
};
const CHANGED: Digest = {
  ...NOTHING,
  changed: {
    total: 51,
    items: [
      {
        company,
        name: 'A <b>& "C"</b>\r\nLTDA',
        total: 7,
        lists: ['CEIS'],
        changes: [
          {
            source: 'receita_federal',
            detectedAt: SINCE,
            fields: [
              { field: 'status', from: 'active', to: 'inactive' },
              { field: 'owners', from: 'MARIA SOUZA (***456789**)', to: 'JOAO LIMA' },
              { field: 'debarment', from: '0', to: '1', list: 'CEIS' },
            ],
          },
        ],
      },
    ],
  },
};
const CHANGE = { source: 'receita_federal', detectedAt: SINCE } as const;
/** Every field that can change, with each value that has a name in a language. */
const EVERY_FIELD = Object.keys(fieldNames).flatMap((field) =>
  [null, 'active', 'inactive', 'not_found', 'small', 'large', 'unknown'].map((to) => ({
    field: field as ChangedField,
    from: 'active',
    to,
  })),
);
const frame = {
  email: 'ana@acme.example',
  language: 'en',
  timeZone: 'America/Bogota',
  account: 'Acme',
  publicUrl: 'https://quipu.example',
  unsubscribeUrl: 'https://quipu.example/mail/token',
} as const;
const mailOf = (digest: Digest, language: 'en' | 'es' | 'pt' = 'en') => digestMail(digest, { ...frame, language }, SINCE);

describe('the mail of a day', () => {
  it('names each company with its changes, its lists and a link, in text and HTML', () => {
    const { subject, text, html } = mailOf(CHANGED);
    expect(subject).toBe('Acme: 51 companies changed');
    expect(text).toContain('* A <b>& "C"</b> LTDA · 99.030.001/0001-46\n');
    expect(text).toContain('Registration: active → inactive (27 Nov 2026, 07:00)');
    expect(text).toContain('Debarment entries · CEIS (barred from public contracts): 0 → 1');
    expect(text).toContain('On lists now: CEIS (barred from public contracts)');
    expect(text).toContain('6 more changes of this company');
    expect(text).toContain('50 more companies changed');
    expect(text).toContain('https://quipu.example/dashboard/company/BR/99030001000146');
    expect(html).toContain('A &lt;b&gt;&amp; &quot;C&quot;&lt;/b&gt; LTDA');
    expect(html).not.toContain('<b>');
  });

  it('names no owner, because they are people', () => {
    const { text, html } = mailOf(CHANGED);
    expect(text).toContain('Owners have changed');
    expect(text + html).not.toMatch(/MARIA|JOAO|456789/);
  });

  it('says of a Colombian company that its legal representative changed, because its owners are not published', () => {
    const colombian = { country: 'CO', taxId: '9009647055' } as const;
    const [one] = CHANGED.changed.items;
    const changed = { total: 1, items: one ? [{ ...one, company: colombian }] : [] };
    const { text } = mailOf({ ...CHANGED, changed }, 'es');
    expect(text).toContain('Cambió el representante legal (');
    expect(text).not.toMatch(/socios|MARIA|JOAO/i);
  });

  it('can be ended by one click of a mail program', () => {
    expect(mailOf(NOTHING).headers).toMatchObject({
      'List-Unsubscribe': '<https://quipu.example/mail/token>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    expect(mailOf(NOTHING).text).toContain('https://quipu.example/mail/token');
  });

  it.each<[string, Partial<Digest>, RegExp]>([
    [
      'a company',
      { unchecked: { total: 1, items: [{ company, name: null, checkedAt: SINCE }] } },
      /99\.030\.001\/0001-46\n {2}- last checked 27 Nov/,
    ],
    ['a company that was never checked', { unchecked: { total: 1, items: [{ company, name: null, checkedAt: null }] } }, /not checked yet/],
    ['a list', { unreadLists: [{ list: 'OFAC_SDN', readAt: SINCE }] }, /OFAC SDN list \(US\)\n {2}- last read 27 Nov/],
    ['a held change', { held: 3 }, /operator of the service: 3\./],
    ['a change that is not kept', { lostChanges: true }, /not kept any more/],
  ])('does not say that nothing changed if %s is missing', (_, missing, says) => {
    const { subject, text } = mailOf({ ...NOTHING, ...missing });
    expect(subject).toBe('Acme: no change known, but not everything could be checked');
    expect(text).toMatch(says);
    expect(text).not.toContain(mailMessages.nothing().in('en'));
  });

  it('says that nothing changed if everything was checked', () => {
    const { subject, text } = mailOf(NOTHING);
    expect(subject).toBe('Acme: no change in 12 watched companies');
    expect(text).toContain(mailMessages.nothing().in('en'));
  });

  it('counts candidates without a decision only if names are compared', () => {
    expect(mailOf({ ...NOTHING, openCandidates: 4 }).text).toContain('Candidates by name without a decision: 4');
    expect(mailOf(NOTHING).text).not.toContain('Candidates');
  });

  it('is in the language of its person', () => {
    expect(mailOf(CHANGED, 'es').subject).toBe('Acme: 51 empresas cambiaron');
    expect(mailOf(CHANGED, 'pt').text).toContain('Situação cadastral: ativa → inativa');
    expect(mailOf(CHANGED, 'pt').html).toContain('<html lang="pt">');
  });

  it.each(['es', 'pt'] as const)('has no English word in %s, whatever it reports', (language) => {
    const every: Digest = {
      ...CHANGED,
      changed: { total: 60, items: CHANGED.changed.items.map((item) => ({ ...item, changes: [{ ...CHANGE, fields: EVERY_FIELD }] })) },
      unchecked: { total: 30, items: [null, SINCE].map((checkedAt) => ({ company, name: null, checkedAt })) },
      unreadLists: [null, SINCE].map((readAt) => ({ list: 'OFAC_SDN', readAt })),
      held: 2,
      openCandidates: 3,
      lostChanges: true,
    };
    for (const digest of [every, NOTHING, { ...NOTHING, held: 1 }]) {
      const { subject, text, html } = mailOf(digest, language);
      const lines = [subject, ...text.split('\n'), ...(html ?? '').replaceAll(/<[^>]*>/g, '\n').split('\n')];
      expect(englishTexts(lines, ['https://quipu.example/dashboard/company'])).toEqual([]);
    }
  });
});
