import type { AddressInfo } from 'node:net';
import { type App, createApp } from './app.ts';
import { banner, helpText } from './banner.ts';
import { type Config, ConfigError, processConfig } from './config.ts';
import { MODULES } from './domain/modules.ts';
import { SECOND_MS } from './domain/time.ts';

const out = (text: string): void => void process.stdout.write(text);

/** A closing that takes longer is cut off. */
const CLOSE_DEADLINE_MS = 15 * SECOND_MS;

async function main(): Promise<void> {
  if (process.argv.slice(2).some((arg) => arg === '--help' || arg === '-h')) return out(helpText());
  const config = processConfig();
  const app = await createApp(config);
  closeOnSignals(app);
  await listen(app, config);
  const demoKey = app.sandbox ? await firstDemoKey(app) : null;
  await app.lists.firstRound;
  out(banner({ config, url: addressOf(app), demoKey, sandboxUrl: app.sandbox?.url ?? null }));
}

async function listen(app: App, { host, port }: Config): Promise<void> {
  try {
    await app.server.listen({ host, port });
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new ConfigError(`Port ${port} on ${host} is in use: stop what listens there, or set PORT to another one.`);
    }
    throw error;
  }
}

/** The first start of a sandbox makes a key to try things with; later starts cannot show it again. */
async function firstDemoKey({ keys }: App): Promise<string | null> {
  const known = await keys.list();
  if (known.some(({ name }) => name === 'demo')) return null;
  return (await keys.create({ name: 'demo', modules: MODULES })).key;
}

function addressOf({ server }: App): string {
  const { address, port } = server.server.address() as AddressInfo;
  return `http://${['::', '0.0.0.0', '::1', '127.0.0.1'].includes(address) ? 'localhost' : address}:${port}`;
}

/** SIGINT or SIGTERM closes in order; a second one does not wait. */
function closeOnSignals(app: App): void {
  let closing = false;
  const stop = (signal: NodeJS.Signals) => {
    if (closing) process.exit(1);
    closing = true;
    app.log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), CLOSE_DEADLINE_MS).unref();
    app.close().then(
      () => process.exit(0),
      (err) => {
        app.log.error({ err }, 'did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
