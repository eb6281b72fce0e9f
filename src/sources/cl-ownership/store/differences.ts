import { type ComparedVersion, type Difference, GAP } from '../../copies/store/comparisons.ts';
import { partitionOf } from '../../registry/version-store.ts';
import { type OwnershipField, PEOPLE, WITHDRAWN } from '../change-field.ts';
import { KINDS } from '../composition.ts';
import { PARENT, shareSql } from './tables.ts';

const tableOf = ({ id }: ComparedVersion): string => partitionOf(PARENT, id);

/** SQL: the owners of each company of a version, each with its share. Rows of one owner are added up. */
const ownersOf = (version: ComparedVersion): string => `
    SELECT c.society, coalesce(c.partner, ${PEOPLE}) AS partner, ${shareSql('c.share')} AS share
    FROM ${tableOf(version)} c WHERE c.kind <> ${KINDS.unread} GROUP BY 1, 2`;

/** SQL: true for a company that a version has. */
const isListed = (version: ComparedVersion, society: string): string =>
  `EXISTS (SELECT FROM ${tableOf(version)} x WHERE x.society = ${society})`;

/** SQL: the field, or a gap if a row that one of the versions lost may be the reason for the difference. */
const unlessLost = (field: OwnershipField, ...versions: readonly ComparedVersion[]): string =>
  `'${versions.some(({ hasUnattributed }) => hasUnattributed) ? GAP : field}'`;

/** Companies of which a row could not be read. Their changes are unknown. */
const unread: Difference = ({ comparison, target, from, to }) => `
  INSERT INTO ${target} (comparison_id, society, field)
  SELECT ${comparison}, society, '${GAP}' FROM ${tableOf(from)} WHERE kind = ${KINDS.unread}
  UNION SELECT ${comparison}, society, '${GAP}' FROM ${tableOf(to)} WHERE kind = ${KINDS.unread}`;

/**
 * Owners that joined or left, or whose share changed, by one join of the two versions. A company that one of the files does not have is
 * reported as a whole, because the file does not say that it has no owners. A share is a sum of rows, so a lost row of either file may be a
 * part of it.
 */
const owners: Difference = ({ comparison, target, from, to }) => `
  WITH changed AS MATERIALIZED (
    SELECT d.*, CASE WHEN d.is_new THEN ${isListed(from, 'd.society')} ELSE true END AS was_listed,
      CASE WHEN d.is_gone THEN ${isListed(to, 'd.society')} ELSE true END AS is_listed
    FROM (
      SELECT coalesce(o.society, n.society) AS society, coalesce(o.partner, n.partner) AS partner, o.share AS before, n.share AS after,
        o.society IS NULL AS is_new, n.society IS NULL AS is_gone
      FROM (${ownersOf(from)}) o FULL JOIN (${ownersOf(to)}) n ON n.society = o.society AND n.partner = o.partner
      WHERE o.society IS NULL OR n.society IS NULL OR o.share IS DISTINCT FROM n.share) d
    WHERE NOT EXISTS (SELECT FROM ${target} g WHERE g.society = d.society AND g.field = '${GAP}'))
  INSERT INTO ${target} (comparison_id, society, field, partner, before, after)
  SELECT ${comparison}, society, CASE WHEN is_new THEN ${unlessLost('partner_joined', from)} WHEN is_gone THEN ${unlessLost('partner_left', to)}
    ELSE ${unlessLost('partner_share', from, to)} END, partner, before::text, after::text
  FROM changed WHERE was_listed AND is_listed
  UNION ALL
  SELECT DISTINCT ${comparison}, society, ${unlessLost('registered', from)}, NULL::integer, NULL, NULL FROM changed WHERE NOT was_listed
  UNION ALL
  SELECT DISTINCT ${comparison}, society, ${unlessLost('removed', to)}, NULL::integer, NULL, NULL FROM changed WHERE NOT is_listed
  UNION ALL
  SELECT ${comparison}, society, '${WITHDRAWN}', partner, before::text, NULL FROM changed WHERE NOT is_listed`;

/** The statements of a comparison. */
export const DIFFERENCES: readonly Difference[] = [unread, owners];
