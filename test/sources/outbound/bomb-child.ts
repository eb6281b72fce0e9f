import pino from 'pino';
import { createDns } from '../../../src/sources/dns/client.ts';
import { createOutboundClient } from '../../../src/sources/outbound/client.ts';
import { OutboundFailure } from '../../../src/sources/outbound/outbound.ts';

/**
 * Child process that requests the gzip bomb at `{url}/bomb`, so that only this request's memory is measured.
 * Arguments: URL of a site that answers any other path with a small gzip, and its address. It prints as JSON the failure's `kind`,
 * the size of the body when it is cut instead (`cutBytes`), and `grownBytes`: how far the resident memory rose during the requests.
 */
const [url = '', address = ''] = process.argv.slice(2);
const log = pino({ level: 'silent' });
const dns = createDns({ servers: ['127.0.0.1:1'], now: Date.now, log });
const client = createOutboundClient({ dns, allow: [`${address}/32`], log });
const get = (path: string, overflow: 'fail' | 'cut' = 'fail') => client.request({ url: new URL(url + path), overflow });

// A first request loads all code before the memory is measured.
for (let i = 0; i < 20; i += 1) await get('/small');

const before = process.memoryUsage.rss();
let peak = before;
const sample = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
const timer = setInterval(sample, 1);
const failure: unknown = await get('/bomb').catch((cause: unknown) => cause);
const { body } = await get('/bomb', 'cut');
sample();
// Waits, so that unpacking that continued after the refusal would be measured too.
await new Promise((resolve) => setTimeout(resolve, 500));
clearInterval(timer);

const kind = failure instanceof OutboundFailure ? failure.kind : null;
process.stdout.write(JSON.stringify({ kind, cutBytes: body.length, grownBytes: peak - before }));
await client.close();
