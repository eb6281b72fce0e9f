import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { credentialFindings } from '../../src/cli/credentials.ts';
import { clockFinding } from '../../src/cli/doctor.ts';
import { issuerFindings } from '../../src/cli/issuer-finding.ts';
import { listFinding, registryCopyFinding } from '../../src/cli/list-findings.ts';
import { diskFinding, usageFolder } from '../../src/cli/usage-folder.ts';
import { readConfig } from '../../src/config.ts';
import { TestIssuer } from '../support/issuer.ts';
import { issuerEnv } from '../support/sign-in.ts';
import { recordingProcess } from '../support/usage-journal.ts';

describe('the clock, as quipu doctor judges it', () => {
  it.each([
    { others: [], state: 'off', found: 'no other machine to compare it with' },
    { others: [{ name: 'Postgres', aheadMs: -400 }], state: 'ok', found: 'within 1 s of Postgres' },
    { others: [{ name: 'Postgres', aheadMs: 7_000 }], state: 'warning', found: '7.0 s behind Postgres' },
    { others: [{ name: 'pncp', aheadMs: -90_500 }], state: 'problem', found: '90.5 s ahead of pncp' },
  ])('is $state: $found', ({ others, state, found }) => {
    expect(clockFinding(others)).toMatchObject({ state, found });
  });

  it('is compared with the nearest of several clocks, because one of them may be wrong itself', () => {
    const others = [
      { name: 'pncp', aheadMs: 3_600_000 },
      { name: 'Redis', aheadMs: 900 },
    ];
    expect(clockFinding(others)).toMatchObject({ state: 'ok', found: 'within 1 s of Redis' });
  });
});

describe('the credentials, as quipu doctor lists them', () => {
  const findings = (env: Readonly<Record<string, string>>, every: boolean) =>
    credentialFindings(readConfig(env), every).map(({ check, state }) => `${check}: ${state}`);
  const TICKET = 'credential QUIPU_MERCADOPUBLICO_TICKET';
  const TOKEN = 'credential QUIPU_SECOP_APP_TOKEN';
  const KEY = 'credential QUIPU_WORLD_BANK_API_KEY';

  it('are, in live mode, those that are needed and missing', () => {
    expect(findings({ QUIPU_SOURCES: 'live' }, false)).toEqual([`${TICKET}: warning`]);
    expect(findings({ QUIPU_SOURCES: 'live', QUIPU_MERCADOPUBLICO_TICKET: 'F8537A18-6766' }, false)).toEqual([]);
    expect(findings({ QUIPU_SOURCES: 'live', QUIPU_MERCADOPUBLICO_URL: 'http://127.0.0.1/mp' }, false)).toEqual([]);
    expect(findings({}, false)).toEqual([]);
  });

  it('are all of live mode where that is asked for, each with its page and what does not work without it', () => {
    expect(findings({}, true)).toEqual([`${TOKEN}: off`, `${KEY}: off`, `${TICKET}: warning`]);
    expect(findings({ QUIPU_SOURCES: 'live', QUIPU_MERCADOPUBLICO_TICKET: 'F8537A18-6766' }, true)).toEqual([
      `${TOKEN}: off`,
      `${KEY}: off`,
      `${TICKET}: ok`,
    ]);
    for (const { found, advice } of credentialFindings(readConfig({}), true)) {
      expect(`${found} ${advice}`).toMatch(/https:\/\/\S+/);
      expect(found).toMatch(/Chile|Colombian|World Bank/);
    }
  });
});

describe('a list that is switched off, as quipu doctor sees it', () => {
  it('is off, with the reason and the setting that turns the list on', () => {
    const offBecause = { why: 'the list has no key', setting: 'QUIPU_WORLD_BANK_API_KEY' };
    const never = { list: null, lastErrorAt: null, lastError: null };
    expect(listFinding({ name: 'WORLD_BANK_DEBARRED', usable: false, off: true, offBecause, ...never })).toEqual({
      ...{ check: 'list WORLD_BANK_DEBARRED', state: 'off', advice: null },
      found: 'switched off: the list has no key (QUIPU_WORLD_BANK_API_KEY)',
    });
  });
});

describe('a list that is used, as quipu doctor sees it', () => {
  const AT = Date.parse('2026-11-28T12:00:00Z');
  const list = {
    ...{ id: '7', publishedOn: '2026-11-14', loadedAt: AT, checkedAt: AT, syncDueAt: AT + 86_400_000, goodUntil: AT + 8 * 86_400_000 },
    ...{ entries: 30, rowsUnmatched: 0, checksum: '' },
  };
  const failedAt = (lastErrorAt: number) =>
    listFinding({ name: 'ceis', usable: true, off: false, offBecause: null, list, lastErrorAt, lastError: 'timeout' } as never);

  it('is a warning if its last sync failed, and in order if that was before the last success', () => {
    expect(failedAt(AT + 1)).toMatchObject({ state: 'warning', found: expect.stringContaining('last sync: timeout') });
    expect(failedAt(AT - 1)).toMatchObject({ state: 'ok' });
  });
});

describe('the own copy of the Brazilian registry, as quipu doctor sees it', () => {
  const DAY = 86_400_000;
  const AT = Date.parse('2026-11-28T12:00:00Z');
  const list = {
    ...{ id: '7', publishedOn: '2026-11-14', loadedAt: AT, checkedAt: AT, syncDueAt: AT + 31 * DAY, goodUntil: AT + 60 * DAY },
    ...{ entries: 30, rowsUnmatched: 0, checksum: '' },
  };
  const finding = (mode: string, given: typeof list | null, now = AT) =>
    registryCopyFinding({ name: 'receita_federal', list: given, lastError: 'share' }, mode, now);

  it('is a problem in the mode copy without a version and with an overdue one, with the command as advice', () => {
    expect(finding('copy', null)).toMatchObject({
      state: 'problem',
      found: 'never loaded; every check of a Brazilian company fails. Last error: share',
      advice: expect.stringMatching(/^quipu import receita/),
    });
    expect(finding('copy', list, AT + 60 * DAY)).toMatchObject({
      state: 'problem',
      found: expect.stringContaining('used until 2027-01-27, which is over'),
    });
  });

  it('is a warning in the mode copy-then-live, because the mirrors answer', () => {
    expect(finding('copy-then-live', null)).toMatchObject({ state: 'warning', found: expect.stringContaining('the mirrors answer') });
  });

  it('is its extract date, its rows and its limit while it answers, and off in the mode live', () => {
    const facts = 'extract of 2026-11-14, 30 establishments, used until 2027-01-27';
    expect(finding('copy', list)).toMatchObject({ state: 'ok', found: facts, advice: null });
    expect(finding('live', list)).toMatchObject({ state: 'off', found: expect.stringContaining(facts) });
  });
});

/** The finding about processes of another machine. */
const FOREIGN = /^1 processes that this machine/;

describe('the usage journal, as quipu doctor sees it', () => {
  async function folder(...files: readonly { readonly name: string; readonly ageMs: number }[]) {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'quipu-usage-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    await mkdir(path.join(dir, 'process'));
    for (const { name, ageMs } of files) {
      const file = path.join(dir, 'process', name);
      await writeFile(file, '');
      const at = new Date(Date.now() - ageMs);
      await utimes(file, at, at);
    }
    return usageFolder(dir);
  }

  it('is a problem with a file that cannot be read', async () => {
    expect(await folder({ name: 'a.journal.damaged', ageMs: 0 })).toMatchObject([
      { state: 'problem', found: expect.stringContaining('1 files') },
    ]);
  });

  it('is a warning with a file that nothing has drained for more than a minute', async () => {
    const [fresh] = await folder({ name: 'a.journal', ageMs: 1_000 });
    expect(fresh?.found).not.toMatch(/older/);
    expect(await folder({ name: 'a.journal', ageMs: 61_000 })).toMatchObject([
      { state: 'warning', found: expect.stringContaining('older than a minute') },
    ]);
  });

  it.each([
    [0x01021994, 'warning', 'is in memory'],
    [0x6969, 'problem', 'machines share'],
    [0xff534d42, 'problem', 'machines share'],
    [0xef53, 'ok', '/folder'],
  ])('on a file system of type %s is %s', (type, state, found) => {
    expect(diskFinding('/folder', type)).toMatchObject({ state, found: expect.stringContaining(found) });
  });

  it('is a problem when a process that this machine does not reach writes there, and none when such a process was killed', async () => {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'quipu-usage-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const { child, ended } = await recordingProcess({ dir, url: inject('databaseUrl'), keyId: randomUUID(), count: 1 });
    const [process = ''] = await readdir(dir);
    const writesOnElsewhere = async () => {
      const writing = setInterval(() => void writeFile(path.join(dir, process, `${Date.now()}.journal`), ''), 100);
      return usageFolder(dir).finally(() => clearInterval(writing));
    };
    expect((await writesOnElsewhere())[0]?.found).not.toMatch(FOREIGN); // it answers on its socket
    child.kill('SIGKILL');
    await ended;
    expect((await usageFolder(dir))[0]?.found).not.toMatch(FOREIGN);
    expect(await writesOnElsewhere()).toMatchObject([{ state: 'problem', found: expect.stringMatching(FOREIGN) }]);
  });

  it('is created by the first start', async () => {
    expect(await usageFolder('/no/such/folder')).toMatchObject([{ state: 'ok', found: expect.stringContaining('first start') }]);
  });

  it('is a problem if it is no folder', async () => {
    expect(await usageFolder(import.meta.filename)).toMatchObject([{ state: 'problem', found: expect.stringContaining('ENOTDIR') }]);
  });
});

describe('the issuer of people, as quipu doctor sees it', () => {
  it('is checked where people sign in with one: its document, and its address in it', async () => {
    expect(await issuerFindings(readConfig({}))).toEqual([]);
    const issuer = await new TestIssuer().start();
    onTestFinished(() => issuer.close());
    const config = readConfig(issuerEnv(issuer, randomUUID()));
    expect(await issuerFindings(config)).toMatchObject([
      { check: 'issuer', state: 'ok', found: expect.stringContaining('/auth/callback') },
    ]);
    issuer.faults = { answers: { status: 200, body: JSON.stringify({ issuer: 'https://issuer.example' }) } };
    expect(await issuerFindings(config)).toMatchObject([
      { state: 'problem', found: expect.stringMatching(/^ISSUER_ANSWER_INVALID/), advice: expect.stringContaining('QUIPU_OIDC_ISSUER') },
    ]);
    issuer.faults = { answers: { status: 500, body: '' } };
    expect(await issuerFindings(config)).toMatchObject([{ state: 'problem', found: expect.stringMatching(/^ISSUER_UNAVAILABLE/) }]);
  });
});
