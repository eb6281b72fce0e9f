import { Command } from 'commander';
import type { Knex } from 'knex';
import { formatTaxId } from '../domain/company.ts';
import { AppError } from '../domain/errors.ts';
import { isoOrNull, isoWithOffset } from '../domain/time.ts';
import { parseDomain, parseOwnerId } from '../sources/domains/domain.ts';
import { createDomainStore, type DomainStore, type KnownOwner } from '../sources/domains/store.ts';
import { type Io, JSON_HELP, json, runOn, tableText } from './run.ts';

/** The database with the known domains. */
export interface DomainsDb {
  readonly db: Knex;
  close(): Promise<void>;
}

const DOMAIN_HELP = 'e.g. example.cl; the URL of its site or an e-mail address is accepted too';
const SOON = 'Effective within 30 seconds.';

/**
 * Creates `domains set|get|list|forget` for the owners of domains, set by an operator or found. Errors go to `io.err` in one line, with
 * exit code 1.
 * @param openDb called when the command's arguments are valid; closed when it ends
 */
export function domainsCommand(openDb: () => Promise<DomainsDb>, io: Io): Command {
  const act = (work: (store: () => Promise<DomainStore>) => Promise<string>) =>
    runOn(openDb, io, (open) => work(async () => createDomainStore((await open()).db, Date.now)));
  const domains = new Command('domains')
    .description('Companies that own domains: entered by an operator, or detected')
    .configureOutput({ writeOut: io.out, writeErr: io.err });

  domains
    .command('set')
    .description('set the owner of a domain; it does not expire')
    .argument('<domain>', DOMAIN_HELP)
    .argument('<identifier>', 'RUT or CNPJ of the owner')
    .option('--json', JSON_HELP)
    .action((pasted: string, identifier: string, options: { json?: boolean }) =>
      act(async (open) => {
        const { domain } = parseDomain(pasted);
        const company = parseOwnerId(identifier);
        await (await open()).set([{ domain, company }], 'command');
        if (options.json) return json({ domain, country: company.country, identifier: company.taxId });
        return `${domain} is ${formatTaxId(company)} (${company.country}). ${SOON}\n`;
      }),
    );

  domains
    .command('get')
    .description('show the owner of a domain')
    .argument('<domain>', DOMAIN_HELP)
    .option('--json', JSON_HELP)
    .action((pasted: string, { json = false }: { json?: boolean }) =>
      act(async (open) => {
        const { domain } = parseDomain(pasted);
        const known = await (await open()).get(domain);
        if (!json && known.length === 0) throw unknown(domain);
        return json ? toJson(known) : table(known);
      }),
    );

  domains
    .command('list')
    .description('list all known domains')
    .option('--json', JSON_HELP)
    .action(({ json = false }: { json?: boolean }) =>
      act(async (open) => {
        const known = await (await open()).list();
        if (json) return toJson(known);
        return known.length === 0 ? 'There are no known domains yet.\n' : table(known);
      }),
    );

  domains
    .command('forget')
    .description('delete the owner of a domain; the next request looks it up again')
    .argument('<domain>', DOMAIN_HELP)
    .option('--json', JSON_HELP)
    .action((pasted: string, options: { json?: boolean }) =>
      act(async (open) => {
        const { domain } = parseDomain(pasted);
        if ((await (await open()).forget(domain)) === 0) throw unknown(domain);
        return options.json ? json({ domain, forgotten: true }) : `${domain} is forgotten. ${SOON}\n`;
      }),
    );

  return domains;
}

const unknown = (domain: string): AppError => new AppError('INVALID_INPUT', `No owner of ${domain} is stored.`, { field: 'domain' });

const toJson = (known: readonly KnownOwner[]): string =>
  json(
    known.map((owner) => ({
      domain: owner.domain,
      start: owner.start || null,
      country: owner.company?.country ?? null,
      identifier: owner.company?.taxId ?? null,
      method: owner.method,
      set_by: owner.setBy,
      confidence: owner.confidence,
      reason: owner.reason,
      found_at: isoOrNull(owner.foundAt),
      expires_at: isoOrNull(owner.expiresAt),
    })),
  );

function table(known: readonly KnownOwner[]): string {
  const rows = known.map((owner) => [
    owner.start || owner.domain,
    owner.company ? formatTaxId(owner.company) : `nobody: ${owner.reason}`,
    owner.setBy ? `set by ${owner.setBy}` : `found by ${owner.method}, ${Math.round(owner.confidence * 100)} %`,
    owner.expiresAt === null ? 'for good' : `until ${isoWithOffset(owner.expiresAt)}`,
  ]);
  return tableText(['domain', 'company', 'origin', 'valid'], rows);
}
