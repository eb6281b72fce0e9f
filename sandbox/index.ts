import { announceSandbox, lastPort } from './server/address.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './server/server.ts';
import { simulators, zones } from './upstreams/index.ts';
import { changingCompanies } from './world/brazil/companies/changing.ts';
import { companyByScenario } from './world/brazil/world.ts';
import { chileanByScenario } from './world/chile/world.ts';
import { colombianByScenario } from './world/colombia.ts';
import { type MadeUpDay, madeUpLevels } from './world/portfolio-history.ts';

/**
 * The sandbox: a loopback server that simulates every upstream in its real format over made-up companies. Only the composition root,
 * the CLI and tests import it, and the first two only in sandbox mode.
 */

export { findSandbox } from './server/address.ts';
export type { ControlReply } from './server/control.ts';

/**
 * Scenarios of the example portfolio, in addition to the companies that change. Together they are fewer than the twenty that the dashboard reads
 * without a click, so that a company that a person adds is read, too.
 */
const PORTFOLIO = {
  BR: [
    'clean',
    'sanctioned',
    'labor-listed',
    'debarred-ceis',
    'debarred-cnep-fine',
    'owners-level-1',
    'status-closed',
    'judicial-recovery',
    'homonym',
    'clean-school',
    'clean-software',
  ],
  CL: ['cl-clean', 'cl-large', 'cl-ended'],
  CO: ['co-fined'],
} as const;

/** The sandbox of a running service, with example companies. */
export interface RunningSandbox extends Sandbox {
  /** Companies for the example that the start prints, and for the portfolio of the demo key. */
  readonly examples: {
    /** Tax id of a company that is listed on CEIS. */
    readonly debarred: string;
    /** Tax ids by country that cover every risk level, and those of companies that change. */
    readonly portfolio: Readonly<Record<'BR' | 'CL' | 'CO', readonly string[]>>;
    /** Levels of this portfolio on the days before the start. */
    readonly levels: readonly MadeUpDay[];
  };
}

interface RunOptions extends Pick<SandboxOptions, 'port' | 'host' | 'log' | 'now'> {
  readonly dataDir: string;
}

/**
 * Starts the sandbox with all its upstreams. Writes its address to `dataDir` for commands that run beside the server. With a `port` of 0
 * it uses the port of the last start, so that the addresses of webhooks and scripts stay valid, or any free one.
 * @throws Error EADDRINUSE if a given port is in use
 */
export async function runSandbox({ dataDir, port = 0, ...options }: RunOptions): Promise<RunningSandbox> {
  const start = (port: number) => startSandbox({ ...options, port, simulators, zones });
  const sandbox = port === 0 ? await start(await lastPort(dataDir)).catch(() => start(0)) : await start(port);
  await announceSandbox(dataDir, sandbox);
  const portfolio = {
    BR: [...changingCompanies.map(({ cnpj }) => cnpj), ...PORTFOLIO.BR.map((scenario) => companyByScenario(scenario).cnpj)],
    CL: PORTFOLIO.CL.map((scenario) => chileanByScenario(scenario).rut),
    CO: PORTFOLIO.CO.map((scenario) => colombianByScenario(scenario).nit),
  };
  const levels = madeUpLevels(Object.values(portfolio).flat().length, (options.now ?? Date.now)());
  return { ...sandbox, examples: { debarred: companyByScenario('debarred-ceis').cnpj, portfolio, levels } };
}
