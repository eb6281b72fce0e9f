import pino, { type Logger } from 'pino';
import type { Config } from '../config.ts';
import { logScope } from '../server/telemetry/request-scope.ts';

/** JSON lines on stderr; stdout is for the output of commands. Secrets are redacted. Lines of a request have its id. */
export const createLog = ({ logLevel }: Pick<Config, 'logLevel'>): Logger =>
  pino(
    { level: logLevel, base: null, mixin: logScope, redact: ['req.headers["x-api-key"]', '*.url', '*.key'] },
    pino.destination({ dest: 2, sync: false }),
  );
