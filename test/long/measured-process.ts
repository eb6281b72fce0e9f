import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Runs the service and tells over HTTP how long its event loop was blocked: the most CPU time of the main thread between two ticks of a
 * timer since the last request. CPU time, since other work of a busy machine must not count.
 */
const TICK_MS = 5;
let last = process.threadCpuUsage();
let most = 0;
setInterval(() => {
  const { user, system } = process.threadCpuUsage(last);
  last = process.threadCpuUsage();
  most = Math.max(most, (user + system) / 1_000);
}, TICK_MS).unref();

const server = createServer((_, response) => {
  response.end(String(most));
  most = 0;
}).listen(0, '127.0.0.1', () => console.log(`Blocked: http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
server.unref();

await import('../../src/main.ts');
