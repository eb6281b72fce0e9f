import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';

/** Starts a command line and kills it after the test. `out` returns its output so far. */
export function startShell(line: string): { readonly out: () => string } {
  const child = spawn('sh', ['-c', `exec ${line}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { out: () => out };
}
