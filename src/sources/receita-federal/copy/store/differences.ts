import { type ComparedVersion, type Difference, GAP, type Pair } from '../../../copies/store/comparisons.ts';
import type { RegistryField } from '../change-field.ts';
import { partnerDocument, tableOf } from './tables.ts';

/** Code of the status of a closed establishment (BAIXADA). */
const CLOSED = 8;

/** SQL: true for a root of which both versions have read every row. Changes of the others are unknown. */
const isReadable = (root: string, { from, to }: Pair): string =>
  `NOT EXISTS (SELECT FROM receita_unread u WHERE u.version_id IN (${from.id}, ${to.id}) AND u.root = ${root})`;

/** SQL: the field, or a gap if a version cannot prove the absence that the change is concluded from. */
const unlessLost = (field: RegistryField, { hasUnattributed }: ComparedVersion): string => `'${hasUnattributed ? GAP : field}'`;

const hasRows = (table: 'companies' | 'establishments', { id }: ComparedVersion, root: string): string =>
  `EXISTS (SELECT FROM ${tableOf(table, id)} h WHERE h.root = ${root})`;

/**
 * SQL: joins that keep the roots with establishments in both versions. A legal person without any is one that the version does not have. Each
 * row costs two look-ups: with EXISTS, Postgres looks up all companies, because it takes nearly all of them for changed.
 */
const inBoth = (root: string, { from, to }: Pair): string =>
  [from, to]
    .map(({ id }) => `CROSS JOIN LATERAL (SELECT FROM ${tableOf('establishments', id)} h WHERE h.root = ${root} LIMIT 1) AS of_${id}`)
    .join(' ');

/** Roots of which a row could not be read. */
const unread: Difference = ({ comparison, target, from, to }) => `
  INSERT INTO ${target} (comparison_id, root, field)
  SELECT DISTINCT ${comparison}, root, '${GAP}' FROM receita_unread WHERE version_id IN (${from.id}, ${to.id})`;

/** Fields of the legal person. */
const companies: Difference = (pair) => `
  WITH changed AS MATERIALIZED (
    SELECT b.root, x.field, x.before, x.after
    FROM ${tableOf('companies', pair.from.id)} a JOIN ${tableOf('companies', pair.to.id)} b ON b.root = a.root
      CROSS JOIN LATERAL (VALUES ('name', a.name, b.name), ('size', a.size::text, b.size::text),
        ('capital', a.capital_cents::text, b.capital_cents::text), ('nature', a.nature::text, b.nature::text)) AS x (field, before, after)
    WHERE (a.name, a.size, a.capital_cents, a.nature) IS DISTINCT FROM (b.name, b.size, b.capital_cents, b.nature)
      AND x.before IS DISTINCT FROM x.after)
  INSERT INTO ${pair.target} (comparison_id, root, field, before, after)
  SELECT ${pair.comparison}, root, field, before, after
  FROM changed ${inBoth('changed.root', pair)} WHERE ${isReadable('changed.root', pair)}`;

/** Legal persons with establishments in both versions, of which one version alone has the row: the other one does not say what changed. */
const orphaned: Difference = (pair) => `
  INSERT INTO ${pair.target} (comparison_id, root, field)
  SELECT ${pair.comparison}, c.root, '${GAP}'
  FROM (SELECT coalesce(a.root, b.root) AS root
    FROM ${tableOf('companies', pair.from.id)} a FULL JOIN ${tableOf('companies', pair.to.id)} b ON b.root = a.root
    WHERE a.root IS NULL OR b.root IS NULL) c
    ${inBoth('c.root', pair)}`;

const placeOf = (of: string): string => `nullif(coalesce(${of}.state, '') || '/' || coalesce(${of}.municipality::text, ''), '/')`;

/** Fields of an establishment that both versions have. */
const establishments: Difference = (pair) => `
  INSERT INTO ${pair.target} (comparison_id, root, branch, field, before, after, details)
  SELECT ${pair.comparison}, b.root, b.branch, x.field, x.before, x.after, x.details
  FROM ${tableOf('establishments', pair.from.id)} a
    JOIN ${tableOf('establishments', pair.to.id)} b ON b.root = a.root AND b.branch = a.branch
    CROSS JOIN LATERAL (VALUES
      (CASE WHEN b.status = ${CLOSED} AND NOT b.is_head THEN 'branch_closed' ELSE 'status' END, a.status::text, b.status::text,
        jsonb_build_object('since', a.status_since, 'reason', a.reason)),
      ('activity', a.activity::text, b.activity::text, NULL),
      ('address', ${placeOf('a')}, ${placeOf('b')}, NULL),
      ('special_situation', a.special_situation, b.special_situation, jsonb_build_object('since', a.special_since))
    ) AS x (field, before, after, details)
  WHERE (a.status, a.activity, a.state, a.municipality, a.special_situation)
      IS DISTINCT FROM (b.status, b.activity, b.state, b.municipality, b.special_situation)
    AND x.before IS DISTINCT FROM x.after AND ${isReadable('b.root', pair)}`;

/** SQL: establishments of a version that the other one lacks; `known` is true if the other one has the legal person. */
const missing = (version: ComparedVersion, other: ComparedVersion): string => `
    SELECT e.root, e.branch, e.status, ${hasRows('establishments', other, 'e.root')} AS known
    FROM ${tableOf('establishments', version.id)} e
    WHERE NOT EXISTS (SELECT FROM ${tableOf('establishments', other.id)} o WHERE o.root = e.root AND o.branch = e.branch)`;

/** SQL: the field, or a gap if a version cannot prove that it lacks a legal person: it has the row, although no establishment. */
const unlessListed = (field: RegistryField, version: ComparedVersion, root: string): string =>
  `CASE WHEN ${hasRows('companies', version, root)} THEN '${GAP}' ELSE ${unlessLost(field, version)} END`;

/** Establishments and legal persons of the later version that the earlier one lacks. */
const added: Difference = (pair) => `
  WITH added AS MATERIALIZED (${missing(pair.to, pair.from)})
  INSERT INTO ${pair.target} (comparison_id, root, branch, field, after)
  SELECT ${pair.comparison}, root, branch, ${unlessLost('branch_opened', pair.from)}, status::text FROM added
  WHERE known AND ${isReadable('added.root', pair)}
  UNION ALL
  SELECT DISTINCT ${pair.comparison}, root, NULL, ${unlessListed('registered', pair.from, 'added.root')}, NULL FROM added
  WHERE NOT known AND ${isReadable('added.root', pair)}`;

/** Establishments and legal persons of the earlier version that the later one lacks. What they were before is not kept, hence the gaps. */
const removed: Difference = (pair) => `
  WITH gone AS MATERIALIZED (${missing(pair.from, pair.to)})
  INSERT INTO ${pair.target} (comparison_id, root, branch, field, before)
  SELECT ${pair.comparison}, root, branch, field, status::text
  FROM gone, unnest(ARRAY[${unlessLost('branch_closed', pair.to)}, '${GAP}']) AS field
  WHERE known AND (field = '${GAP}' OR status <> ${CLOSED}) AND ${isReadable('gone.root', pair)}
  UNION ALL
  SELECT DISTINCT ${pair.comparison}, root, NULL, field, NULL
  FROM gone, unnest(ARRAY[${unlessListed('removed', pair.to, 'gone.root')}, '${GAP}']) AS field
  WHERE NOT known AND ${isReadable('gone.root', pair)}`;

/** SQL: the kind of a partner. A version of an earlier release calls some partners with a CNPJ foreign. */
const KIND = 'CASE WHEN length(document) = 14 THEN 1 ELSE kind END';

/**
 * SQL: the partners of a version with the columns by which they are compared. A company is identified by its root, because its name in the
 * file was wrong for months and both 8 and 14 digits of its document occur; one whose document is a masked CPF is compared as a person. Equal
 * partners are numbered.
 */
const partnersOf = ({ id }: ComparedVersion): string => `
    SELECT root, kind, who, role, at, row_number() OVER (PARTITION BY root, kind, who, role ORDER BY line) AS nth
    FROM (SELECT root, ${KIND} AS kind, coalesce(role, -1) AS role, line, ctid AS at,
        CASE WHEN ${KIND} = 1 AND length(document) IN (8, 14) THEN left(document, 8) ELSE coalesce(name, '') || '|' || coalesce(document, '') END
          COLLATE "C" AS who
      FROM ${tableOf('partners', id)}) AS keyed`;

/** SQL: the row of a partner as it is kept. Name and CNPJ of a company are those of its own record. */
const partnerRow = ({ id }: ComparedVersion, at: string): string => `
    LEFT JOIN LATERAL (SELECT to_jsonb(p) - '{root,representative_document}'::text[] || jsonb_build_object('name', coalesce(
        (SELECT o.name FROM ${tableOf('companies', id)} o WHERE p.kind = 1 AND o.root = left(p.document, 8)), p.name), 'document', ${partnerDocument(id)}) AS row
      FROM ${tableOf('partners', id)} p WHERE p.ctid = ${at})`;

/** Partners of a legal person that both versions have, as a difference of multisets. */
const partners: Difference = (pair) => `
  INSERT INTO ${pair.target} (comparison_id, root, field, before, after, details)
  SELECT ${pair.comparison}, d.root, CASE WHEN d.is_left THEN ${unlessLost('partner_left', pair.to)} ELSE ${unlessLost('partner_joined', pair.from)} END,
    b.row->>'name', a.row->>'name', coalesce(b.row, a.row)
  FROM (SELECT coalesce(o.root, n.root) AS root, o.at AS old_at, n.at AS new_at, n.root IS NULL AS is_left
    FROM (${partnersOf(pair.from)}) o FULL JOIN (${partnersOf(pair.to)}) n
      ON n.root = o.root AND n.kind = o.kind AND n.who = o.who AND n.role = o.role AND n.nth = o.nth
    WHERE o.root IS NULL OR n.root IS NULL) d
    ${inBoth('d.root', pair)} ${partnerRow(pair.from, 'd.old_at')} b ON true ${partnerRow(pair.to, 'd.new_at')} a ON true
  WHERE ${isReadable('d.root', pair)}`;

/** The statements of a comparison. Each is one join of the two versions, whose memory Postgres bounds (`work_mem`). */
export const DIFFERENCES: readonly Difference[] = [unread, orphaned, companies, establishments, added, removed, partners];
