import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toCursor } from '../../../src/domain/paging.ts';
import { readStreamHead } from '../../../src/modules/monitor/store/change-log.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { codes, data, publishChanges, subscribe, world } from './api-requests.ts';
import { restoreTo } from './feed-support.ts';

let app: TestApp;
let monitor: string;
const [one = '', two = '', three = ''] = world;
beforeAll(async () => {
  app = await testApp();
  monitor = (await subscribe(app, { identifiers: [one, two, three] })).subscription_id;
  await publishChanges(app, [one, two, three]);
  await publishChanges(app, [one], { fields: [{ field: 'size', from: 'small', to: 'large' }] });
  await publishChanges(app, [two], { fields: [{ field: 'sanctions', from: '0', to: '1', list: 'OFAC_SDN' }] });
});
afterAll(() => app.close());

const LOG = `query ($first: Int! = 20, $after: String, $monitorIds: [ID!], $identifiers: [String!]) {
  changes(first: $first, after: $after, monitorIds: $monitorIds, identifiers: $identifiers) {
    nodes { id cursor company { identifier } } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

const LEFT = 'query ($after: String) { changesLeft(after: $after) }';

interface ChangeLogPage {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

describe('the changes query', () => {
  it('returns every change once over several pages, in the order of one large page', async () => {
    const whole = (await data(app, LOG)).changes;
    const paged: string[] = [];
    let after: string | null = null;
    for (let more = true; more; ) {
      const page: ChangeLogPage = (await data(app, LOG, { first: 2, after })).changes;
      paged.push(...page.nodes.map(({ id }) => id));
      after = page.pageInfo.endCursor;
      more = page.pageInfo.hasNextPage;
    }
    expect(paged).toEqual(whole.nodes.map(({ id }: { id: string }) => id));
    expect(paged).toHaveLength(5);
    expect(whole.edges.map(({ cursor }: { cursor: string }) => cursor)).toEqual(
      whole.nodes.map(({ cursor }: { cursor: string }) => cursor),
    );
  });

  it('returns an end cursor for an empty page that is past the changes of other keys', async () => {
    const { endCursor } = (await data(app, LOG)).changes.pageInfo;
    const key = await app.keyFor('monitor');
    await subscribe(app, { identifiers: [world[5]] }, key);
    await publishChanges(app, [world[5] ?? '']);
    const { nodes, pageInfo } = (await data(app, LOG, { after: endCursor })).changes;
    expect([nodes, pageInfo.hasNextPage, pageInfo.startCursor]).toEqual([[], false, null]);
    expect(pageInfo.endCursor).toBe(toCursor('change', ['6']));
    expect((await data(app, LOG, { after: pageInfo.endCursor })).changes.nodes).toEqual([]);
  });

  it('filters by monitors and by companies in several spellings', async () => {
    const other = await subscribe(app, { identifiers: [one] });
    await publishChanges(app, [one]);
    const of = async (narrow: object) =>
      (await data(app, LOG, narrow as Record<string, unknown>)).changes.nodes.map(
        ({ company }: { company: { identifier: string } }) => company.identifier,
      );
    expect(await of({ monitorIds: [other.subscription_id] })).toEqual([one]);
    expect(await of({ identifiers: [two, three.replace(/^(..)/, '$1.')] })).toEqual([two, three, two]);
    expect(await of({ monitorIds: [other.subscription_id], identifiers: [two] })).toEqual([]);
    expect((await of({ monitorIds: [other.subscription_id, monitor] })).length).toBe(7);
  });

  it('changesLeft counts what changes returns after a cursor, without the changes of other keys', async () => {
    const { nodes } = (await data(app, LOG, { first: 100 })).changes;
    const left = async (after: string | null) => (await data(app, LEFT, { after })).changesLeft;
    expect(await left(null)).toBe(nodes.length);
    expect(await left(nodes[1].cursor)).toBe(nodes.length - 2);
    expect(await left(nodes.at(-1).cursor)).toBe(0);
    const { body } = await app.query(LEFT, { after: null }, await app.keyFor('monitor'));
    expect(body.data.changesLeft).toBe(0);
  });

  it.each([
    ['an empty list', { monitorIds: [] }, 'INVALID_INPUT'],
    ['a malformed tax id', { identifiers: ['123'] }, 'INVALID_INPUT'],
    ['a text that is no cursor', { after: 'x' }, 'INVALID_INPUT'],
    ['a cursor of another connection', { after: toCursor('monitor', ['1']) }, 'INVALID_INPUT'],
    ['a cursor ahead of the log', { after: toCursor('change', ['999999']) }, 'INVALID_INPUT'],
    ['an unknown monitor', { monitorIds: ['mon_00000000000000000000000000000000'] }, 'MONITOR_NOT_FOUND'],
    ['what is no monitor', { monitorIds: ['evt_00000000000000000000000000000000'] }, 'MONITOR_NOT_FOUND'],
    ['none at a time', { first: 0 }, 'INVALID_INPUT'],
  ])('rejects %s', async (_, variables, code) => {
    expect(await codes(app, LOG, variables)).toEqual([`changes ${code}`]);
  });

  it('rejects a cursor whose following changes were deleted, and returns the oldest usable cursor', async () => {
    await app.db('changes').where('position', '<', 4).delete();
    await app.db('log_heads').where({ stream: 'changes' }).update({ kept_from: 4 });
    const { body } = await app.query(LOG, { after: toCursor('change', ['2']) });
    expect([body.data.changes, body.errors[0].extensions]).toMatchObject([
      null,
      { code: 'CURSOR_TOO_OLD', cursor: toCursor('change', ['3']) },
    ]);
    const kept = (await data(app, LOG, { after: body.errors[0].extensions.cursor })).changes;
    expect(kept.nodes).toEqual((await data(app, LOG)).changes.nodes);
    expect(kept.nodes[0].cursor).toBe(toCursor('change', ['4']));
    expect(await codes(app, LEFT, { after: toCursor('change', ['2']) })).toEqual(['changesLeft CURSOR_TOO_OLD']);
  });
});

it('changes refuses a cursor from after the moment that the database was restored to, and returns the one to continue from', async () => {
  const { position } = await readStreamHead(app.db);
  await publishChanges(app, [one]);
  const lost = (await data(app, LOG)).changes.pageInfo.endCursor;
  const { id } = await restoreTo(app.db, position);
  await publishChanges(app, [two, three]);
  const { body } = await app.query(LOG, { after: lost });
  expect([body.data.changes, body.errors[0].extensions]).toMatchObject([
    null,
    { code: 'CURSOR_TOO_OLD', cursor: toCursor('change', [String(position)]) },
  ]);
  const { nodes, pageInfo } = (await data(app, LOG, { after: body.errors[0].extensions.cursor })).changes;
  expect(nodes.map(({ company }: { company: { identifier: string } }) => company.identifier)).toEqual([two, three]);
  expect(nodes[1].cursor).toBe(toCursor('change', [String(position + 2), id]));
  expect(pageInfo.endCursor).toBe(nodes[1].cursor);
});

it('changesLeft counts 10,000 at most', async () => {
  const columns = 'epoch, observation_id, monitor_id, key_id, country, tax_id, identifier, source, fields, detected_at, observed_at';
  await app.db.raw(
    `INSERT INTO changes (position, id, ${columns}) SELECT 1000000 + n, gen_random_uuid(), ${columns} FROM changes, generate_series(1, 10001) AS n
     WHERE position = (SELECT max(position) FROM changes)`,
  );
  expect((await data(app, LEFT)).changesLeft).toBe(10_000);
  await app.db('changes').where('position', '>', 1_000_000).delete();
});

describe('a cursor', () => {
  const forged = (kind: string, ...key: string[]) => toCursor(kind, key);
  const ID = '00000000-0000-0000-0000-000000000000';
  const FIELDS: Readonly<Record<string, readonly [fields: string, kind: string]>> = {
    'Query.monitors': ['monitors(after: $after) { nodes { id } }', 'monitor'],
    'Query.changes': ['changes(after: $after) { nodes { id } }', 'change'],
    'Query.changesLeft': ['changesLeft(after: $after)', 'change'],
    'Monitor.companies': ['monitor(id: $id) { companies(after: $after) { nodes { id } } }', 'watched'],
    'Monitor.changes': ['monitor(id: $id) { changes(after: $after) { nodes { id } } }', 'change'],
    'Monitor.deliveries': ['monitor(id: $id) { deliveries(after: $after) { nodes { id } } }', 'delivery'],
    'Company.changes': [`company(identifier: "${one}") { changes(after: $after) { nodes { id } } }`, 'change'],
  };

  it.each(Object.keys(FIELDS))('that is forged causes no error except INVALID_INPUT and CURSOR_TOO_OLD: %s', async (name) => {
    const [fields = '', kind = ''] = FIELDS[name] ?? [];
    const cursors = [
      '',
      'x',
      forged('another', '1'),
      forged(kind),
      ...['-1', '1e3', '999999999999999', '9'.repeat(30), "1'"].map((key) => forged(kind, key)),
      ...['2026-02-31T00:00:00.000Z', '0000-01-01T00:00:00.000Z', '2026-11-21', 'now'].map((at) => forged(kind, at, ID)),
      ...[ID.replaceAll('0', '-'), 'x', `${ID}0`].map((id) => forged(kind, '2026-11-21T00:00:00.000Z', id)),
    ];
    for (const after of cursors) {
      const query = `query ($id: ID!, $after: String) { monitor(id: $id) { id } ${fields} }`;
      const { body } = await app.query(query, { id: monitor, after });
      const errorCodes = (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);
      expect([after, errorCodes]).toEqual([
        after,
        errorCodes.length === 0 ? [] : [expect.stringMatching(/^(INVALID_INPUT|CURSOR_TOO_OLD)$/)],
      ]);
    }
  });
});
