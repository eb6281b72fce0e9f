import { announceSandbox } from './server/address.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './server/server.ts';
import { simulators, zones } from './upstreams/index.ts';
import { changingCompanies } from './world/brazil/companies/changing.ts';
import { companyByScenario } from './world/brazil/world.ts';

/**
 * The sandbox: a loopback server that simulates every upstream in its real format over made-up companies. Only the composition root,
 * the CLI and tests import it, and the first two only in sandbox mode.
 */

export { findSandbox } from './server/address.ts';

/** The sandbox of a running service, with example companies. */
export interface RunningSandbox extends Sandbox {
  /** CNPJs of companies for the examples that the start prints. */
  readonly examples: {
    /** Listed on CEIS. */
    readonly debarred: string;
    /** Companies whose records change on a schedule. */
    readonly changing: readonly string[];
  };
}

/**
 * Starts the sandbox with all its upstreams. Writes its address to `dataDir` for commands that run beside the server.
 * @throws Error EADDRINUSE where the port is taken
 */
export async function runSandbox({
  dataDir,
  ...options
}: Pick<SandboxOptions, 'port' | 'log' | 'now'> & { readonly dataDir: string }): Promise<RunningSandbox> {
  const sandbox = await startSandbox({ ...options, simulators, zones });
  const withdraw = await announceSandbox(dataDir, sandbox);
  return {
    ...sandbox,
    examples: { debarred: companyByScenario('debarred-ceis').cnpj, changing: changingCompanies.map(({ cnpj }) => cnpj) },
    async close() {
      await withdraw();
      await sandbox.close();
    },
  };
}
