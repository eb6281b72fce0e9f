import type { Found } from '../../domain/answer.ts';
import { TIME_BUDGETS } from '../../domain/catalogue.ts';
import { cnpjRoot } from '../../domain/tax-id.ts';
import { DAY_MS, SECOND_MS } from '../../domain/time.ts';
import { createDataDate } from '../data-date.ts';
import { defineLiveSource, type LiveApi } from '../live-source.ts';
import { defineSource, type SourceInstance } from '../source.ts';
import type { ReceitaCompany } from './company.ts';
import { statusWithCopy } from './copy/health.ts';
import { LOOK_EVERY_MS } from './copy/monthly.ts';
import { createReceitaCopy, type ReceitaCopy, SUPPRESSED } from './copy/reader.ts';
import type { CopyHealth } from './copy/store/attempts.ts';
import { createErasures, type Erasures, withoutErased } from './erasures.ts';
import { readCopyDate, readMinhaReceita } from './minha-receita.ts';
import { readOpenCnpj, readReleaseDate } from './opencnpj.ts';
import { isFinal, type MirroredCompany, reading, reconcile, requireName } from './reconcile.ts';

interface DatedCompany extends Pick<Found<ReceitaCompany | null>, 'value' | 'dataAsOf'>, Pick<MirroredCompany, 'mirror' | 'standsIn'> {
  /** True if the second mirror stands in and its date, which could not be read, is tried again within a minute. */
  readonly isDateAwaited?: true;
}

/** Values of QUIPU_RECEITA_MODE. */
export type RegistryMode = 'live' | 'copy' | 'copy-then-live';

export interface ReceitaFederalCalls {
  /** Looks up an establishment like `company`, and returns the mirror that answered and the date of its copy; null if it states none. */
  datedCompany(cnpj: string): Promise<DatedCompany>;
  /** Source of the answers: the mirrors, the own copy, or the copy and then the mirrors. */
  readonly mode: RegistryMode;
  readonly copy: ReceitaCopy;
  /** People and companies that the operator has erased. In the mode `live` the list is not read. */
  readonly erasures: Erasures;
  /** Looks up an establishment by bare CNPJ; null when neither mirror has it. @throws AppError SOURCE_UNAVAILABLE */
  company(cnpj: string): Promise<ReceitaCompany | null>;
}

/**
 * Part of the time budget that is reserved for the steps after the answer of the first mirror: one call of the second one, and the date.
 */
const SECOND_MIRROR_MS = 2 * SECOND_MS;
const COPY_DATE_MS = SECOND_MS;

const SHARE_SETTING = 'QUIPU_RECEITA_SHARE_URL';
/** Addresses of the registry. An operator who gives one wants its answers, and not those of the made-up months. */
const ADDRESS_SETTINGS = ['QUIPU_RECEITA_URL', 'QUIPU_RECEITA_FALLBACK_URL', SHARE_SETTING];
/** Time after which a copy that is imported by hand is late. The registry publishes monthly. */
const PUBLISHED_EVERY_MS = 31 * DAY_MS;

/**
 * Brazilian tax registry, called live at its mirrors, one company per call, within its time budget. The first mirror (minha-receita or
 * BrasilAPI JSON) is called for every company. The second, independent one (OpenCNPJ) is called once if the first one failed, answered
 * with gaps, or has no such company. Mirrors answer 404 when their own database is slow, so both must report an absence before a company
 * counts as unknown. The circuit breaker opens for a mirror that returns many records without a name.
 */
const mirrors = defineLiveSource({
  name: 'receita_federal',
  attribution: 'Receita Federal do Brasil, Cadastro Nacional da Pessoa Jurídica (public data), through minha-receita and OpenCNPJ.',
  bases: {
    registry: {
      setting: 'QUIPU_RECEITA_URL',
      live: 'https://minhareceita.org',
      sandbox: '/receita_federal',
      description: 'Brazilian tax registry, minha-receita or BrasilAPI JSON: base URL; the service requests {base}/{cnpj}.',
    },
    second_opinion: {
      setting: 'QUIPU_RECEITA_FALLBACK_URL',
      live: 'https://api.opencnpj.org',
      sandbox: '/opencnpj',
      description:
        'OpenCNPJ: base URL of the second mirror, which answers where the first one failed, and confirms that a company is unknown. Empty for none.',
      optional: true,
    },
    share: {
      setting: SHARE_SETTING,
      live: 'https://arquivos.receitafederal.gov.br/index.php/s/YggdBLfdninEJX9',
      sandbox: '/receita_share/index.php/s/sandbox',
      description: "The registry's monthly files: address of the public share, with its token, for `quipu import receita`.",
    },
  },
  settings: {
    QUIPU_RECEITA_MODE: {
      description:
        'Source of the records of Brazilian companies. live: the mirrors. copy: the own copy that `quipu import receita` loads. copy-then-live: the copy, and the mirrors for companies that it lacks or while it is missing or overdue. In the sandbox copy-then-live is the default, unless an address of the registry is given.',
      fallback: 'live',
      sandbox: 'copy-then-live',
      sandboxUnless: ADDRESS_SETTINGS,
      pattern: /^(?:live|copy|copy-then-live)$/,
      expected: 'expected live, copy or copy-then-live',
    },
    QUIPU_RECEITA_HISTORY_MONTHS: {
      description: 'Number of months for which the differences between the extracts of the own copy are kept, 1 to 600.',
      fallback: '24',
      pattern: /^(?:[1-9]\d?|[1-5]\d\d|600)$/,
      expected: 'expected a number of months from 1 to 600',
    },
    QUIPU_RECEITA_IMPORT: {
      description:
        'on: a process with the role worker looks at the share daily and imports a new month into the own copy. off: only `quipu import receita` does. Give all processes the same value. In the sandbox on is the default, unless QUIPU_RECEITA_MODE or an address of the registry is given.',
      fallback: 'off',
      sandbox: 'on',
      sandboxUnless: ['QUIPU_RECEITA_MODE', ...ADDRESS_SETTINGS],
      pattern: /^(?:on|off)$/,
      expected: 'expected on or off',
    },
    QUIPU_RECEITA_SHARE_PATH: {
      description: 'Folder of the share that has a folder for each month; empty for its root.',
      fallback: '',
      pattern: /^[\w./ -]{0,200}$/,
      expected: 'expected a path such as dados/cnpj',
    },
  },
  standIn: ({ registry, second_opinion: second }) => (mayAnswer(second, registry) ? second : null),
  calls({ registry, second_opinion: second, share }, deps): ReceitaFederalCalls {
    const { now, setting } = deps;
    const dates = {
      minha_receita: createDataDate({ api: registry, path: '/updated', deadlineMs: COPY_DATE_MS, read: readCopyDate }, now),
      opencnpj: createDataDate({ api: second, path: '/info', deadlineMs: COPY_DATE_MS, read: readReleaseDate }, now),
    };
    const ask = (api: LiveApi, cnpj: string, deadlineMs: number, read: typeof readMinhaReceita) =>
      reading(() => api.get(`/${cnpj}`, { deadlineMs, read: (answer) => requireName(read(answer, cnpj)) }));

    const mode = setting('QUIPU_RECEITA_MODE') as RegistryMode;
    const erasures = createErasures({ db: () => deps.db, secret: deps.keySecret ?? null, now });

    /** @throws AppError SOURCE_UNAVAILABLE, also for a company that the operator has erased */
    async function find(cnpj: string): Promise<MirroredCompany> {
      const isErased = mode === 'live' ? () => false : await erasures.read();
      if (isErased({ kind: 'company', root: cnpjRoot(cnpj) })) throw SUPPRESSED;
      const { company, ...origin } = await findAtMirrors(cnpj);
      return { company: company && withoutErased(company, isErased), ...origin };
    }

    async function findAtMirrors(cnpj: string): Promise<MirroredCompany> {
      const first = await ask(registry, cnpj, TIME_BUDGETS.receita_federal - SECOND_MIRROR_MS - COPY_DATE_MS, readMinhaReceita);
      const needsSecond = !isFinal(first) && mayAnswer(second, registry);
      return reconcile(first, needsSecond ? await ask(second, cnpj, SECOND_MIRROR_MS, readOpenCnpj) : null);
    }

    return {
      mode,
      erasures,
      copy: createReceitaCopy(() => deps.db, copyOrigin(share), now, deps.copyReads),
      company: async (cnpj) => (await find(cnpj)).company,
      async datedCompany(cnpj) {
        const { company, ...origin } = await find(cnpj);
        const { date, isAwaited } = await dates[origin.mirror === 'opencnpj' ? 'opencnpj' : 'minha_receita']();
        return { value: company, ...origin, ...(origin.standsIn && isAwaited && { isDateAwaited: true }), dataAsOf: date };
      },
    };
  },
});

const NO_COPY: CopyHealth = { version: null, checkedAt: null, failedAt: null, lastError: null };

/** The mirrors of the registry and its own copy, whose health is reported as that of one source. */
export const receitaFederal = defineSource({
  ...mirrors,
  create(deps): ReceitaFederalCalls & SourceInstance {
    const instance = mirrors.create(deps);
    const { mode, copy } = instance;
    const { origin } = deps.address(SHARE_SETTING);
    return {
      ...instance,
      copyEveryMs: deps.setting('QUIPU_RECEITA_IMPORT') === 'on' ? LOOK_EVERY_MS : PUBLISHED_EVERY_MS,
      async status() {
        const health = copy.health();
        // The mirrors need no database, so their health does not either.
        const known = await (mode === 'live' ? health.catch(() => NO_COPY) : health);
        return statusWithCopy(await instance.status(), { mode, origin, now: deps.now() }, known);
      },
    };
  },
});

/** Returns the origin of the copy. Made-up data never answer for the registry's. */
export const copyOrigin = ({ origin }: Pick<LiveApi, 'origin'>): string => (origin === 'sandbox' ? 'sandbox' : 'publisher');

/**
 * True if the second mirror may answer. Its default address is used with the default registry only, because sandbox data must not answer
 * for a real registry, nor a public mirror for the operator's own.
 */
const mayAnswer = (second: LiveApi, registry: LiveApi): boolean =>
  second.url !== '' && (second.origin === 'given' || second.origin === registry.origin);
