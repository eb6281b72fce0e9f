import pino from 'pino';
import { createDns } from '../../../src/sources/dns/client.ts';
import { createOutboundClient } from '../../../src/sources/outbound/client.ts';
import { OutboundFailure } from '../../../src/sources/outbound/outbound.ts';

/**
 * A process of its own that asks `{url}/bomb` for a gzip bomb, so that nobody else's memory is measured with it.
 * Arguments: URL of a site that answers any other path with a small gzip, and its address. It prints as JSON the failure's `kind`,
 * the bytes of the answer where it is cut instead (`cutBytes`), and `grownBytes`: how far the resident memory rose meanwhile.
 */
const [url = '', address = ''] = process.argv.slice(2);
const log = pino({ level: 'silent' });
const dns = createDns({ servers: ['127.0.0.1:1'], now: Date.now, log });
const client = createOutboundClient({ dns, allow: [`${address}/32`], log });
const get = (path: string, overflow: 'fail' | 'cut' = 'fail') => client.request({ url: new URL(url + path), overflow });

// What is needed for any answer is loaded before the measure is taken.
for (let i = 0; i < 20; i += 1) await get('/small');

const before = process.memoryUsage.rss();
let peak = before;
const look = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
const timer = setInterval(look, 1);
const failure: unknown = await get('/bomb').catch((cause: unknown) => cause);
const { body } = await get('/bomb', 'cut');
look();
// What was under way when the answer was refused must not go on unpacking either.
await new Promise((resolve) => setTimeout(resolve, 500));
clearInterval(timer);

const kind = failure instanceof OutboundFailure ? failure.kind : null;
process.stdout.write(JSON.stringify({ kind, cutBytes: body.length, grownBytes: peak - before }));
await client.close();
