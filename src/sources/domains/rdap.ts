import { z } from 'zod';
import { TIME_BUDGETS } from '../../domain/catalogue.ts';
import { maskCpfsInName } from '../../domain/personal-ids.ts';
import { isProblem, readCnpj } from '../../domain/tax-id.ts';
import { type HttpAnswer, HttpFailure, parseJson } from '../http/failure.ts';
import { rowsOf } from '../http/rows.ts';
import { defineLiveSource } from '../live-source.ts';

/** Maximum number of values of an answer. Answers have some 200. Entities nest, and each is checked as a whole. */
const MAX_VALUES = 5_000;

interface RdapCalls {
  /** Returns the registrant of a registrable `.br` domain in A-labels. @throws AppError SOURCE_UNAVAILABLE */
  registrant(domain: string): Promise<Registrant>;
}

/**
 * RDAP of registro.br, called live, one domain per call. The registry throttles and blocks heavy users and publishes no limits, so at most two calls run at once.
 */
export const rdap = defineLiveSource({
  name: 'rdap',
  attribution: 'Núcleo de Informação e Coordenação do Ponto BR (registro.br), RDAP.',
  bases: {
    registry: {
      setting: 'QUIPU_RDAP_BR_URL',
      live: 'https://rdap.registro.br',
      sandbox: '/rdap',
      description: 'Registrants of .br domains: RDAP base URL; the service requests {base}/domain/{name}.',
    },
  },
  concurrency: 2,
  calls: ({ registry }): RdapCalls => ({
    registrant: (domain) =>
      registry.get(`/domain/${domain}`, {
        deadlineMs: TIME_BUDGETS.rdap,
        headers: { accept: 'application/rdap+json, application/json' },
        maxValues: MAX_VALUES,
        read: (answer) => readRegistrant(answer, domain),
      }),
  }),
});

/**
 * Holder of a `.br` domain. `company`: a company, with its CNPJ and its registered name. `person`: a holder with a CPF, which is not
 * returned. `hidden`: the registry shows no tax id. `none`: the domain is not registered.
 */
type Registrant =
  | { readonly kind: 'company'; readonly cnpj: string; readonly name: string | null }
  | { readonly kind: 'person' | 'hidden' | 'none' };

/** Schema of a list. RDAP servers may send a single value instead of a list of one, and null or nothing instead of an empty list. */
const listOf = <T>(item: z.ZodType<T>) =>
  z.preprocess((value) => (value === undefined || value === null ? [] : [value].flat()), rowsOf(item));

interface Entity {
  readonly handle?: string | null;
  readonly roles: readonly string[];
  readonly publicIds: readonly { readonly type: string; readonly identifier: string }[];
  readonly vcardArray?: unknown;
  readonly entities: readonly Entity[];
}

const entity: z.ZodType<Entity> = z.lazy(() =>
  z.object({
    handle: z.string().nullish(),
    roles: listOf(z.string()),
    publicIds: listOf(z.object({ type: z.string(), identifier: z.string() })),
    vcardArray: z.unknown().optional(),
    entities: listOf(entity),
  }),
);
const found = z.object({ objectClassName: z.literal('domain'), ldhName: z.string(), entities: listOf(entity) });
const absent = z.object({ errorCode: z.literal(404) });
const vcard = z.tuple([z.literal('vcard'), z.array(z.tuple([z.string(), z.unknown(), z.unknown()], z.unknown()))]);

/**
 * Reads an RDAP response of registro.br (RFC 9083): returns the registrant of the requested domain.
 * @throws HttpFailure for everything but a domain object and the registry's own 404: a block (403), another domain, another shape
 */
export function readRegistrant({ status, text }: HttpAnswer, requested: string): Registrant {
  if (status !== 200 && status !== 404) throw new HttpFailure(`status_${status}`, `answered ${status}`);
  const json = parseJson(text);
  if (status === 404) {
    if (absent.safeParse(json).success) return { kind: 'none' };
    throw new HttpFailure('status_404', "a 404 that is not the registry's own");
  }
  const got = found.safeParse(json);
  if (!got.success) throw new HttpFailure('unknown_shape', z.prettifyError(got.error));
  if (got.data.ldhName.toLowerCase() !== requested) throw new HttpFailure('wrong_domain', 'answered for another domain');
  const holder = withRole(got.data.entities, 'registrant');
  return holder ? toRegistrant(holder) : { kind: 'hidden' };
}

/** Returns the first entity with a role, searching nested entities too; null when there is none. */
function withRole(entities: readonly Entity[], role: string): Entity | null {
  for (const one of entities) {
    if (one.roles.includes(role)) return one;
    const inner = withRole(one.entities, role);
    if (inner) return inner;
  }
  return null;
}

/** Reads an entity. Public bodies and schools may have no public id; their handle is the CNPJ then. */
function toRegistrant({ handle, publicIds, vcardArray }: Entity): Registrant {
  const idOf = (type: string) => publicIds.find((one) => one.type.toLowerCase() === type)?.identifier;
  const given = idOf('cnpj');
  const cnpj = readCnpj(given ?? handle ?? '');
  if (!isProblem(cnpj)) return { kind: 'company', cnpj, name: nameIn(vcardArray) };
  if (given !== undefined) throw new HttpFailure('unknown_shape', 'a CNPJ that is empty or whose check digits are wrong');
  return { kind: idOf('cpf') ? 'person' : 'hidden' };
}

/** Returns the display name of a jCard (RFC 7095), with CPFs masked; null when it has none. */
function nameIn(vcardArray: unknown): string | null {
  const card = vcard.safeParse(vcardArray);
  const name = card.success ? card.data[1].find(([property]) => property === 'fn')?.[3] : null;
  return typeof name === 'string' ? maskCpfsInName(name.trim()) || null : null;
}
