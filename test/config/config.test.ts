import { describe, expect, it } from 'vitest';
import { helpText } from '../../src/banner.ts';
import { ConfigError, readConfig, resolveAddress, settings } from '../../src/config.ts';
import { modules } from '../../src/modules/index.ts';

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
    expect(readConfig({})).toMatchObject({ port: 4000, host: '127.0.0.1', databaseUrl: undefined, sources: 'sandbox', logLevel: 'info' });
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
    ['QUIPU_DNS_SERVERS', '1.1.1.1:99999'],
    ['QUIPU_DNS_SERVERS', 'http://1.1.1.1'],
    ['QUIPU_METRICS_PORT', 'ninety'],
    ['QUIPU_TRUSTED_PROXIES', 'proxy.example'],
    ['QUIPU_SMTP_URL', 'https://secret@mail.example'],
    ['QUIPU_SMTP_URL', 'smtp://'],
    ['QUIPU_MAIL_FROM', 'secret'],
    ['QUIPU_MAIL_FROM', 'Secret <keys@example.com'],
    ['QUIPU_AUDIT_KEPT', '90000h'],
    ['QUIPU_USAGE_KEPT', '30d'],
    ['QUIPU_MAX_CONNECTIONS', '0'],
    ['QUIPU_DRAIN', '20s'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['LOG_LEVEL', 'loud'],
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
    const owned = modules.flatMap(({ sources, services = [] }) => [
      ...sources.flatMap(({ addresses, settings = {} }) => [...Object.keys(addresses), ...Object.keys(settings)]),
      ...services.flatMap(({ settings = {} }) => Object.keys(settings)),
    ]);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    expect(owned.filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !/^(QUIPU_[A-Z_]+|OTEL_[A-Z_]+|PORT|HOST|DATABASE_URL|REDIS_URL|LOG_LEVEL)$/.test(name))).toEqual([]);
    expect(settings().filter(({ description }) => description.length <= 10)).toEqual([]);
  });

  it('prints every setting in --help', () => {
    const help = helpText();
    expect(settings().filter(({ name, description }) => !help.includes(`${name} `) || !help.includes(description))).toEqual([]);
  });
});
