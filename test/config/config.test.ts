import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { withKeySecret } from '../../src/app/data-folder.ts';
import { helpText } from '../../src/banner.ts';
import { SANDBOX_KEY_SECRET } from '../../src/config/core.ts';
import { addressSpecs, ConfigError, readConfig, resolveAddress, settings } from '../../src/config.ts';
import { modules, parts } from '../../src/modules/index.ts';

const fault = (env: Record<string, string>): string => {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
};

describe('the configuration', () => {
  it('needs no setting at all: an embedded database and the sandbox', () => {
    expect(readConfig({})).toMatchObject({
      port: 4000,
      host: '127.0.0.1',
      databaseUrl: undefined,
      sources: 'sandbox',
      logLevel: undefined,
    });
  });

  it.each([
    ['PORT', 'eighty'],
    ['PORT', '70000'],
    ['DATABASE_URL', 'mysql://secret@db/x'],
    ['REDIS_URL', 'http://secret'],
    ['QUIPU_SOURCES', 'production'],
    ['QUIPU_BOOTSTRAP_KEY', 'secret-without-prefix'],
    ['QUIPU_KEY_SECRET', 'short'],
    ['QUIPU_LIST_INTERVAL', '6 hours'],
    ['QUIPU_LIST_INTERVAL', '0s'],
    ['QUIPU_LIST_INTERVAL', '30d'],
    ['QUIPU_OUTBOUND_ALLOW', '10.0.0.0/8, 10.0.0.0/99'],
    ['QUIPU_OUTBOUND_ALLOW', '10/8'],
    ['QUIPU_EGRESS_PROXY', 'socks5://secret@proxy.example:1080'],
    ['QUIPU_EGRESS_PROXY', 'proxy.example:3128'],
    ['QUIPU_EGRESS_PROXY', 'http://user:secret%@proxy.example:3128'],
    ['QUIPU_DNS_SERVERS', '1.1.1.1:99999'],
    ['QUIPU_DNS_SERVERS', 'http://1.1.1.1'],
    ['QUIPU_METRICS_PORT', 'ninety'],
    ['QUIPU_TRUSTED_PROXIES', 'proxy.example'],
    ['QUIPU_SMTP_URL', 'https://secret@mail.example'],
    ['QUIPU_SMTP_URL', 'smtp://'],
    ['QUIPU_PUBLIC_URL', 'quipu.example'],
    ['QUIPU_PUBLIC_URL', 'https://quipu.example/?secret'],
    ['QUIPU_MAIL_FROM', 'secret'],
    ['QUIPU_MAIL_FROM', 'Secret <keys@example.com'],
    ['QUIPU_AUDIT_KEPT', '90000h'],
    ['QUIPU_USAGE_KEPT', '30d'],
    ['QUIPU_MAX_CONNECTIONS', '0'],
    ['QUIPU_EXECUTIONS', '0'],
    ['QUIPU_EXECUTIONS_PER_KEY', '0'],
    ['QUIPU_DRAIN', '20s'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'yaml'],
    ['QUIPU_RECEITA_URL', 'ftp://secret/'],
    ['QUIPU_RECEITA_URL', 'file:///secret'],
    ['QUIPU_LABOR_URL', 'file://secret/x.csv'],
    ['QUIPU_CEIS_URL', 'secret'],
    ['QUIPU_UN_URL', 'javascript:secret'],
  ])('SC-06 names %s when it is wrong and never prints its value', (name, value) => {
    expect(fault({ [name]: value })).toMatch(new RegExp(`^ {2}${name}: `, 'm'));
    expect(fault({ [name]: value })).not.toContain(value);
  });

  it('SC-06 names every variable at fault at once', () => {
    expect(fault({ PORT: 'x', LOG_LEVEL: 'y', QUIPU_CEIS_URL: 'z' }).match(/^ {2}\w+:/gm)).toHaveLength(3);
  });

  it('takes an empty value for one that is not set, and an empty fallback for none', () => {
    const config = readConfig({ PORT: '', QUIPU_CEIS_URL: '', QUIPU_RECEITA_FALLBACK_URL: '' });
    expect(config.port).toBe(4000);
    expect(resolveAddress(config, 'QUIPU_CEIS_URL', null).origin).toBe('live');
    expect(resolveAddress(config, 'QUIPU_RECEITA_FALLBACK_URL', null)).toEqual({ url: '', origin: 'given' });
  });

  it('finds each source where it was told, else in the sandbox or at its real address', () => {
    const config = readConfig({ QUIPU_CEIS_URL: 'file:///data/{date}_CEIS.zip' });
    expect(resolveAddress(config, 'QUIPU_CEIS_URL', 'http://127.0.0.1:1')).toEqual({
      url: 'file:///data/{date}_CEIS.zip',
      origin: 'given',
    });
    expect(resolveAddress(config, 'QUIPU_UN_URL', 'http://127.0.0.1:1')).toMatchObject({ origin: 'sandbox' });
    expect(resolveAddress(config, 'QUIPU_UN_URL', null).url).toBe('https://scsanctions.un.org/resources/xml/en/consolidated.xml');
  });

  it('reads durations', () => {
    expect(readConfig({ QUIPU_LIST_INTERVAL: '15m' }).listIntervalMs).toBe(900_000);
  });

  it('has a described setting for each address and each option of each source and service, under a name used once', () => {
    const names = settings().map(({ name }) => name);
    const owned = [
      ...modules.flatMap(({ sources }) =>
        sources.flatMap(({ addresses, settings = {} }) => [...Object.keys(addresses), ...Object.keys(settings)]),
      ),
      ...parts.flatMap(({ services = [] }) => services.flatMap(({ settings = {} }) => Object.keys(settings))),
    ];
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    expect(owned.filter((name) => !names.includes(name))).toEqual([]);
    expect(
      names.filter(
        (name) =>
          !/^(QUIPU_[A-Z_]+|OTEL_[A-Z_]+|PORT|HOST|DATABASE_URL|DATABASE_DIRECT_URL|DATABASE_READ_URL|REDIS_URL|LOG_LEVEL|LOG_FORMAT)$/.test(
            name,
          ),
      ),
    ).toEqual([]);
    expect(settings().filter(({ description }) => description.length <= 10)).toEqual([]);
  });

  it('prints every setting in --help', () => {
    const help = helpText();
    expect(settings().filter(({ name, description }) => !help.includes(`${name} `) || !help.includes(description))).toEqual([]);
  });
});

/** The value below the lowest valid one, and the lowest valid one. */
const LOWEST: Readonly<Record<string, readonly [tooLow: string, lowest: string]>> = {
  PORT: ['-1', '0'],
  QUIPU_SANDBOX_PORT: ['-1', '0'],
  QUIPU_METRICS_PORT: ['-1', '0'],
  QUIPU_LIST_INTERVAL: ['999ms', '1s'],
  QUIPU_DEADLINE: ['0s', '1s'],
  QUIPU_WORKERS: ['0', '1'],
  QUIPU_MAX_CONNECTIONS: ['0', '1'],
  QUIPU_EXECUTIONS: ['0', '1'],
  QUIPU_EXECUTIONS_PER_KEY: ['0', '1'],
  QUIPU_LOOP_DELAY: ['9', '10'],
  QUIPU_HEAP_SHARE: ['0', '0.1'],
  QUIPU_CACHE_BYTES: ['999999', '1000000'],
  QUIPU_DRAIN: ['-1s', '0s'],
  QUIPU_USAGE_KEPT: ['92d', '93d'],
  QUIPU_AUDIT_KEPT: ['0d', '1d'],
  QUIPU_OIDC_SESSION: ['4m', '5m'],
  QUIPU_OIDC_IDLE: ['4m', '5m'],
  OTEL_TRACES_SAMPLER_ARG: ['-0.1', '0'],
  QUIPU_MERCADOPUBLICO_PAUSE: ['-1ms', '0ms'],
  QUIPU_MERCADOPUBLICO_QUOTA: ['0', '1'],
  QUIPU_MERCADOPUBLICO_SEARCH_DAYS: ['0', '1'],
  QUIPU_MERCADOPUBLICO_LIVE_DAYS: ['0', '1'],
  QUIPU_TENDERS_MONTHS: ['0', '1'],
  QUIPU_RECEITA_HISTORY_MONTHS: ['0', '1'],
  QUIPU_PNCP_MODALITIES: ['0', '1'],
  QUIPU_PNCP_SEARCH_DAYS: ['0', '1'],
  QUIPU_MONITOR_INTERVAL: ['0s', '1s'],
  QUIPU_MONITOR_GUARD_SHARE: ['0', '0.001'],
  QUIPU_MONITOR_GUARD_MIN: ['0', '1'],
  QUIPU_MONITOR_CHANGES_KEPT: ['0d', '1h'],
  QUIPU_MONITOR_DELIVERIES_KEPT: ['23h', '1d'],
  QUIPU_EVIDENCE_KEPT: ['23h', '1d'],
  QUIPU_SCREENINGS_KEPT: ['59m', '1h'],
  QUIPU_SCREENING_ROWS: ['0', '1'],
};

/** Settings that are neither numbers nor durations. */
const OTHERS = [
  ...[
    'HOST',
    'QUIPU_SANDBOX_HOST',
    'DATABASE_URL',
    'DATABASE_DIRECT_URL',
    'DATABASE_READ_URL',
    'REDIS_URL',
    'QUIPU_DATA_DIR',
    'QUIPU_USAGE_DIR',
    'QUIPU_SOURCES',
    'QUIPU_BOOTSTRAP_KEY',
    'QUIPU_COMPILED_EXECUTOR',
    'QUIPU_FEDERATION',
    'QUIPU_KEY_SECRET',
    'QUIPU_EVIDENCE_KEY',
    'QUIPU_PLANS',
  ],
  ...[
    'QUIPU_OUTBOUND_ALLOW',
    'QUIPU_EGRESS_PROXY',
    'QUIPU_DNS_SERVERS',
    'QUIPU_ROLES',
    'QUIPU_NEWER_SCHEMA',
    'QUIPU_ALLOWED_ORIGINS',
    'QUIPU_TRUSTED_PROXIES',
    'QUIPU_SMTP_URL',
    'QUIPU_PUBLIC_URL',
  ],
  ...['QUIPU_MAIL_FROM', 'QUIPU_INTROSPECTION', 'QUIPU_TRUSTED_DOCUMENTS_ONLY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'LOG_LEVEL', 'LOG_FORMAT'],
  ...['QUIPU_DOMAINS_FILE', 'QUIPU_MERCADOPUBLICO_TICKET', 'QUIPU_SECOP_APP_TOKEN', 'QUIPU_TCU_TERMS', 'QUIPU_WEBHOOK_PLAIN_HTTP'],
  'QUIPU_WORLD_BANK_API_KEY',
  ...['QUIPU_OIDC_ISSUER', 'QUIPU_OIDC_CLIENT_ID', 'QUIPU_OIDC_CLIENT_SECRET', 'QUIPU_OIDC_NAME', 'QUIPU_OIDC_SCOPE', 'QUIPU_OIDC_KEY'],
  ...['QUIPU_OIDC_ROLE_CLAIM', 'QUIPU_OIDC_ROLES', 'QUIPU_OIDC_DEFAULT_ROLE'],
  ...['QUIPU_RECEITA_MODE', 'QUIPU_RECEITA_IMPORT', 'QUIPU_RECEITA_SHARE_PATH'],
];

describe('the lowest values', () => {
  it('SC-06 are stated here for every setting that is a number or a duration', () => {
    const named = [...Object.keys(LOWEST), ...OTHERS, ...addressSpecs().keys()];
    expect(named.sort()).toEqual(
      settings()
        .map(({ name }) => name)
        .sort(),
    );
  });

  it.each(Object.entries(LOWEST))('SC-06 %s accepts its lowest value and refuses a lower one', (name, [tooLow, lowest]) => {
    expect(fault({ [name]: lowest })).toBe('');
    expect(fault({ [name]: tooLow })).toMatch(new RegExp(`^ {2}${name}: `, 'm'));
  });
});

describe('the sign-in of people', () => {
  const signIn = {
    QUIPU_OIDC_ISSUER: 'https://login.example.com/realms/acme',
    QUIPU_OIDC_CLIENT_ID: 'quipu',
    QUIPU_OIDC_KEY: '0b0f3a2e-3c5e-4a53-9d0d-5d3b1f2f6a11',
    QUIPU_OIDC_ROLES: '{"quipu-admins":"administer","analysts":"decide"}',
    QUIPU_PUBLIC_URL: 'https://quipu.example.com/',
  };

  it('SC-06 needs an issuer, a client, a key, roles and the public address', () => {
    expect(readConfig({}).signIn).toBeNull();
    expect(readConfig(signIn).signIn).toMatchObject({
      name: 'login.example.com',
      publicUrl: 'https://quipu.example.com',
      clientSecret: null,
      roles: { claim: 'roles', fallback: null },
      maxAgeMs: 43_200_000,
      idleMs: 3_600_000,
    });
    for (const name of ['QUIPU_OIDC_CLIENT_ID', 'QUIPU_OIDC_KEY', 'QUIPU_OIDC_ROLES', 'QUIPU_PUBLIC_URL'])
      expect(fault({ ...signIn, [name]: '' })).toContain(`${name}: QUIPU_OIDC_ISSUER needs it`);
    expect(fault({ ...signIn, QUIPU_OIDC_ROLES: '', QUIPU_OIDC_DEFAULT_ROLE: 'read' })).toBe('');
  });

  it.each([
    ['QUIPU_OIDC_ISSUER', 'http://login.example.com'],
    ['QUIPU_OIDC_ISSUER', 'https://user@login.example.com'],
    ['QUIPU_OIDC_ISSUER', 'https://login.microsoftonline.com/common/v2.0'],
    ['QUIPU_OIDC_ISSUER', 'https://login.microsoftonline.com/organizations/v2.0'],
    ['QUIPU_OIDC_KEY', 'sk_a-key-and-no-id'],
    ['QUIPU_OIDC_ROLES', '{"analysts":"owner"}'],
    ['QUIPU_OIDC_ROLES', 'analysts=decide'],
    ['QUIPU_OIDC_DEFAULT_ROLE', 'root'],
    ['QUIPU_OIDC_SCOPE', 'profile email'],
    ['QUIPU_OIDC_SESSION', '31d'],
  ])('SC-06 refuses %s=%s', (name, value) => {
    const text = fault({ ...signIn, [name]: value });
    expect(text).toContain(`  ${name}: expected`);
    expect(text).not.toContain(value);
  });
});

describe('the secret of stored keys', () => {
  it('SC-06 live mode on a database of its own refuses to start without one, and names a command that generates one', () => {
    const live = { QUIPU_SOURCES: 'live', DATABASE_URL: 'postgres://db/quipu' };
    expect(fault(live)).toMatch(/QUIPU_KEY_SECRET: .*openssl rand -hex 32/);
    expect(fault({ ...live, QUIPU_KEY_SECRET: SANDBOX_KEY_SECRET })).toMatch(/QUIPU_KEY_SECRET: this text is public/);
    expect(fault({ ...live, QUIPU_KEY_SECRET: '0123456789abcdef' })).toBe('');
  });

  it('SC-06 the embedded Postgres has one that is generated and kept in the data folder, readable by its owner only', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-secret-'));
    try {
      const config = readConfig({ QUIPU_DATA_DIR: path.join(folder, 'data') });
      const [first, second] = await Promise.all([withKeySecret(config), withKeySecret(config)]);
      expect(first.keySecret).toMatch(/^[0-9a-f]{64}$/);
      expect(second.keySecret).toBe(first.keySecret);
      expect((await withKeySecret(config)).keySecret).toBe(first.keySecret);
      expect((await stat(path.join(folder, 'data', 'key.secret'))).mode & 0o777).toBe(0o600);
      expect((await withKeySecret({ ...config, keySecret: 'a-configured-secret' })).keySecret).toBe('a-configured-secret');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
