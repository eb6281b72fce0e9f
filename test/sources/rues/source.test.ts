import { describe, expect, it } from 'vitest';
import type { SodaRow } from '../../../sandbox/upstreams/socrata/soql.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { RuesCompany, RuesFinding } from '../../../src/sources/rues/company.ts';
import { rues } from '../../../src/sources/rues/rues.ts';
import { built } from '../../modules/tenders/built.ts';
import { type Reply, upstream } from '../../support/upstream.ts';
import { BASE, findingOf, METADATA, NOW, nitOf, portalReply, register, row, sample, sampleRows } from './support.ts';

/** What must be read from the sample about one NIT. */
interface Expected {
  readonly status?: string;
  readonly error?: string;
  readonly [field: string]: unknown;
}
const expected = sample<Readonly<Record<string, Expected>>>('rues_c82u.expected.json');

/** The fields of a finding under the names of the expectations. */
function described({ record, absence }: RuesFinding): Readonly<Record<string, unknown>> {
  if (record === null) return { status: 'not_found', absence };
  return {
    status: record.status,
    verified: record.isVerified,
    registration: record.state,
    companyName: record.name,
    foundedYear: record.foundedOn && Number(record.foundedOn.slice(0, 4)),
    endDate: record.endedOn,
    activity: record.activities[0],
    activityDescription: null,
    officer: record.representative?.name,
    officerEntityType: record.representative?.isCompany ? 'company' : 'individual',
    region: record.chamber,
    isBranch: record.isBranch,
    legalForm: record.legalForm,
    identifier: `${record.nit.slice(0, -1)}-${record.nit.slice(-1)}`,
    warning: record.notRenewedSince && `registration not renewed since ${record.notRenewedSince}`,
  };
}

describe('the sample of the register', () => {
  it.each(Object.entries(expected))('%s is read as expected', async (base, { error, why, ...fields }) => {
    const { source } = await register(sampleRows);
    const finding = await findingOf(source, base);
    if (error) expect(finding).toBe('SOURCE_UNAVAILABLE');
    else expect(described(finding as RuesFinding)).toMatchObject(fields);
  });

  it('is read by two calls, with the date of the data and a failure for the company of the unknown state only', async () => {
    const { source, rowCalls } = await register(sampleRows);
    const { dataAsOf, findings } = await source.companies(Object.keys(expected).map(nitOf));
    expect(dataAsOf).toBe('2026-10-05');
    expect(rowCalls()).toHaveLength(2);
    expect(findings.flatMap((one, i) => (one instanceof AppError ? [Object.keys(expected)[i]] : []))).toEqual(['901700112']);
    expect(source.logged()).toContain('a state that is not known: EN REVISIÓN EXTRAORDINARIA');
  });
});

/** The decoded query of a request. */
const queryOf = (url = ''): Readonly<Record<string, string>> => Object.fromEntries(new URL(url, 'http://portal').searchParams);

describe('a request to the register', () => {
  const bases = Array.from({ length: 100 }, (_, i) => String(900_100_001 + i));

  it('has 100 NITs in a URL of less than 4 kB', async () => {
    const { source, rowCalls } = await register((url) => ({
      body: queryOf(url).$where?.includes("nit in('") ? bases.map((nit) => row({ nit, numero_identificacion: nit })) : [],
    }));
    const { findings } = await source.companies(bases.map(nitOf));
    expect(findings.every((one) => !(one instanceof AppError) && one.record?.status === 'active')).toBe(true);
    expect(rowCalls()).toHaveLength(1);
    expect(rowCalls()[0]?.length).toBeLessThan(4_096);
  });

  it('names its columns, without those of identity cards and personal names', async () => {
    const { source, rowCalls } = await register(sampleRows);
    await findingOf(source, '901700001');
    const columns = queryOf(rowCalls()[0]).$select?.split(',') ?? [];
    expect(columns).toContain('estado_matricula');
    expect(columns.filter((name) => /num_identificacion|apellido|nombre|proponente|\*/.test(name))).toEqual([]);
    expect(queryOf(rowCalls()[0])).toMatchObject({ $where: "clase_identificacion='NIT' AND nit in('901700001')", $limit: '201' });
  });

  it('is repeated by the number of the document for companies that it does not find', async () => {
    const { source, rowCalls } = await register([{ ...row({ nit: '0' }) } as SodaRow]);
    expect(await findingOf(source, BASE)).toMatchObject({ record: { status: 'active', nit: nitOf(BASE) } });
    expect(rowCalls().map((url) => queryOf(url).$where)).toEqual([
      `clase_identificacion='NIT' AND nit in('${BASE}')`,
      `clase_identificacion='NIT' AND numero_identificacion in('${BASE}')`,
    ]);
  });

  it('is not sent for the NIT of a person, which is shorter', async () => {
    const { source, portal } = await register(sampleRows);
    expect(await findingOf(source, '7912345')).toEqual({ record: null, absence: 'natural_person' });
    expect(portal.asked.filter((url) => url.startsWith('/resource'))).toEqual([]);
  });

  it('has the token of the portal, for the date, too', async () => {
    const tokens: unknown[] = [];
    const { source } = await register(
      (url) => (request, response) => {
        tokens.push(request.headers['x-app-token']);
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify((portalReply(url, sampleRows) as { body: unknown }).body));
      },
      { QUIPU_SECOP_APP_TOKEN: 'a-token' },
    );
    await findingOf(source, '901700001');
    expect(tokens).toEqual(['a-token']);
  });
});

describe('an absence', () => {
  it('needs two empty answers', async () => {
    const { source, rowCalls } = await register([]);
    expect(await findingOf(source, BASE)).toEqual({ record: null, absence: 'not_in_register' });
    expect(rowCalls()).toHaveLength(2);
  });

  it('is stated if a person has the NIT beside another number', async () => {
    const { source } = await register([{ ...row({ numero_identificacion: '79123456', codigo_organizacion_juridica: '01' }) } as SodaRow]);
    expect(await findingOf(source, BASE)).toEqual({ record: null, absence: 'not_in_register' });
  });

  it('is a failure if the second call fails', async () => {
    const { source } = await register((_, nth) => (nth === 1 ? { body: [] } : { status: 500, body: 'down' }));
    expect(await findingOf(source, BASE)).toBe('SOURCE_UNAVAILABLE');
  });
});

it('a code of a state that is the name of a property of every object is a code that is not known', async () => {
  const { source } = await register([{ ...row({ codigo_estado_matricula: 'constructor' }) } as SodaRow]);
  expect(await findingOf(source, BASE)).toMatchObject({ record: { status: 'active', isVerified: true } });
});

describe('a row with two numbers', () => {
  const OTHER = '800123456';
  const rows = (...changes: Parameters<typeof row>[0][]) => register(changes.map((one) => ({ ...row(one) }) as SodaRow));
  const cancelled = { estado_matricula: 'CANCELADA', fecha_cancelacion: '20240101', matricula: '99' };
  const ofOther = { numero_identificacion: OTHER, razon_social: 'DE OTRA S.A.S.' };

  it.each<[string, Parameters<typeof row>[0]]>([
    ['the number of the document is', ofOther],
    ['the NIT is', { nit: OTHER }],
    ['the number of the document is the card of a person, which is not', { numero_identificacion: '1023456789' }],
  ])('UP-03 is a failure if %s that of another company, and no other row is certain', async (_, changes) => {
    const { source } = await rows(changes);
    expect(await findingOf(source, BASE)).toBe('SOURCE_UNAVAILABLE');
    expect(source.logged()).toContain('other_company');
  });

  it('UP-03 is a failure if the company would be active by it alone', async () => {
    const { source } = await rows(ofOther, cancelled);
    expect(await findingOf(source, BASE)).toBe('SOURCE_UNAVAILABLE');
    const unregistered = await rows(ofOther, { ...cancelled, estado_matricula: 'NO MATRICULADO' });
    expect(await findingOf(unregistered.source, BASE)).toBe('SOURCE_UNAVAILABLE');
  });

  it('does not count, but is counted, if other rows of the company are certain and it would not make the company active', async () => {
    const { source, rowCalls } = await rows({ ...ofOther, estado_matricula: 'INACTIVA' }, cancelled);
    expect(await findingOf(source, BASE)).toMatchObject({
      record: { status: 'inactive', name: 'INVENTADA DIGITAL S.A.S.', registrations: [{ number: '99' }] },
    });
    expect(rowCalls()).toHaveLength(1);
    expect(source.logged()).toContain('"others":1');
  });

  it('does not count if rows with the number of the document alone are certain', async () => {
    const { source } = await rows({ ...ofOther, estado_matricula: 'INACTIVA' }, { ...cancelled, nit: '0' });
    expect(await findingOf(source, BASE)).toMatchObject({ record: { status: 'inactive', registrations: [{ number: '99' }] } });
  });

  it.each(['', '0', '000000000', 'SIN', nitOf(BASE), `${BASE}0`, `0${BASE}`, '901.700.001'])('has one number beside %j', async (number) => {
    const [first, second] = await Promise.all([rows({ numero_identificacion: number }), rows({ nit: number })]);
    expect(await findingOf(first.source, BASE)).toMatchObject({ record: { status: 'active' } });
    expect(await findingOf(second.source, BASE)).toMatchObject({ record: { status: 'active' } });
  });
});

describe('an answer of the register', () => {
  const many = Array.from({ length: 201 }, (_, i) => row({ matricula: String(i) }));

  it.each<[string, Reply, string]>([
    ['has renamed a column', { status: 400, body: { code: 'query.soql.no-such-column', error: true } }, 'schema_drift'],
    ['has renamed a column, in the words of SECOP', { status: 400, body: { errorCode: 'query.soql.no-such-column' } }, 'schema_drift'],
    ['refuses the token', { status: 403, body: { code: 'permission_denied', error: true } }, 'status_403'],
    ['refuses with 401', { status: 401, body: '' }, 'status_401'],
    ['is not ready', { status: 202, body: [] }, 'status_202'],
    ['asks for fewer calls', { status: 429, body: 'Too many requests', headers: { 'retry-after': '30' } }, 'status_429'],
    ['asks for fewer calls without saying when', { status: 429, body: 'Too many requests' }, 'status_429'],
    ['is a page of maintenance', { status: 503, body: '<html>mantenimiento</html>' }, 'status_503'],
    ['is HTML', { body: '<html></html>' }, 'not_json'],
    ['is an object', { body: {} }, 'unknown_shape'],
    ['has a number for a text', { body: [{ ...row(), nit: 901700001 }] }, 'unknown_shape'],
    ['has a column that was not requested', { body: [{ ...row(), num_identificacion_representante_legal: '79123456' }] }, 'unknown_shape'],
    ['lacks the class of the document', { body: [{ ...row(), clase_identificacion: undefined }] }, 'unknown_shape'],
    ['lacks the NIT', { body: [{ ...row(), nit: undefined }] }, 'wrong_company'],
    ['is about another company', { body: [row({ nit: '800123456' })] }, 'wrong_company'],
    ['is about a person', { body: [row({ clase_identificacion: 'CEDULA DE CIUDADANIA' })] }, 'wrong_company'],
    ['has as many rows as were requested at most', { body: many }, 'too_many_rows'],
  ])('UP-03 is a failure if it %s', async (_, reply, kind) => {
    const { source } = await register(() => reply);
    expect(await findingOf(source, BASE)).toBe('SOURCE_UNAVAILABLE');
    expect(await source.status()).toMatchObject({ lastError: kind });
  });

  it('is about one company of a damaged one as well', async () => {
    const good = '900964705';
    const { source } = await register(() => ({
      body: [row({ estado_matricula: 'NUEVO ESTADO' }), row({ nit: good, numero_identificacion: good })],
    }));
    const { findings } = await source.companies([nitOf(BASE), nitOf(good)]);
    expect(findings.map((one) => (one instanceof AppError ? one.code : one.record?.status))).toEqual(['SOURCE_UNAVAILABLE', 'active']);
  });

  it('states nothing about a company in the log', async () => {
    const { source } = await register(() => ({ body: [{ ...row(), num_identificacion_representante_legal: '79123456' }] }));
    await findingOf(source, BASE);
    expect(source.logged()).not.toContain('79123456');
    expect(source.logged()).not.toContain('INVENTADO');
  });
});

describe('the date of the data', () => {
  const dated = async (metadata: Reply) => {
    const portal = await upstream((url) => (url.startsWith('/api/views') ? metadata : portalReply(url, sampleRows)));
    const source = built(rues, { url: portal.url, now: () => NOW });
    return { portal, source, answer: () => source.companies([nitOf('901700001')]) };
  };
  const updated = (day: string): Reply => ({ body: { id: 'c82u-588k', dataUpdatedAt: `${day}T19:15:35+0000` } });

  it('is in the state of the source, and is reported and logged there above 60 days, while the source goes on answering', async () => {
    const old = await dated(updated('2026-08-06'));
    expect(await old.source.status()).toMatchObject({ dataAsOf: null, lastError: null });
    expect((await old.answer()).findings[0]).toMatchObject({ record: { status: 'active' } });
    const lastErrorAt = Date.UTC(2026, 9, 5);
    expect(await old.source.status()).toMatchObject({ dataAsOf: '2026-08-06', lastError: 'old_data', lastErrorAt, usable: true });
    expect(old.source.logged()).toContain('older than 60 days');

    const recent = await dated(updated('2026-08-08'));
    await recent.answer();
    expect(await recent.source.status()).toMatchObject({ dataAsOf: '2026-08-08', lastError: null, lastErrorAt: null });
    expect(recent.source.logged()).not.toContain('older than');
  });

  it('does not hide a failure', async () => {
    let replies = 0;
    const portal = await upstream((url) => {
      if (url.startsWith('/api/views')) return updated('2026-08-06');
      replies += 1;
      return replies === 1 ? portalReply(url, sampleRows) : { status: 403, body: '' };
    });
    let now = NOW;
    const source = built(rues, { url: portal.url, now: () => now });
    await source.companies([nitOf('901700001')]);
    now += 1_000;
    await expect(source.companies([nitOf('901700001')])).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await source.status()).toMatchObject({ lastError: 'status_403', lastErrorAt: now });
  });

  it('is read once for many answers', async () => {
    const { portal, answer } = await dated({ body: METADATA });
    expect((await answer()).dataAsOf).toBe('2026-10-05');
    await answer();
    expect(portal.asked.filter((url) => url === '/api/views/metadata/v1/c82u-588k')).toHaveLength(1);
  });

  it.each<[string, Reply]>([
    ['its page fails', { status: 500, body: 'down' }],
    ['its page is HTML', { body: '<html>' }],
    ['its page is about another table', { body: { id: 'aaaa-bbbb', dataUpdatedAt: '2026-10-05T19:15:35+0000' } }],
    ['it is in the future', { body: { id: 'c82u-588k', dataUpdatedAt: '2027-10-05T19:15:35+0000' } }],
    ['it is not a date', { body: { id: 'c82u-588k', dataUpdatedAt: 'ayer' } }],
    ['it is missing', { body: { id: 'c82u-588k' } }],
  ])('is unknown if %s, and the company is still read', async (_, reply) => {
    const { dataAsOf, findings } = await (await dated(reply)).answer();
    expect(dataAsOf).toBeNull();
    expect((findings[0] as { record: RuesCompany }).record.nit).toBe(nitOf('901700001'));
  });
});
