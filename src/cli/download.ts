import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import { invalidInput } from '../domain/errors.ts';
import { failureCode, type Server } from './client.ts';

/**
 * Saves an answer under its name in one step, once it is complete.
 * @throws QuipuError for an answer that fails, AppError INVALID_INPUT on `output` for a file that cannot be written
 */
export async function download(server: Server, at: string, output: string): Promise<void> {
  const part = `${output}.part`;
  try {
    await server.repeated(async () => {
      const body = await server.stream(at);
      await pipeline(body, createWriteStream(part), { signal: server.signal }).catch((error: NodeJS.ErrnoException) => {
        if (server.signal.aborted) throw error;
        if (/^E(ACCES|ROFS|NOSPC|NOENT|ISDIR)/.test(error.code ?? ''))
          throw invalidInput('output', `${output} cannot be written (${error.code}).`);
        throw new QuipuError('NETWORK', `The results were cut off (${failureCode(error)}).`, { status: 200, cause: error });
      });
    });
    await rename(part, output);
  } finally {
    await rm(part, { force: true });
  }
}
