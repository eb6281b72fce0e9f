import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { largeMonth } from '../../sandbox/upstreams/receita-federal/large-month.ts';
import { largeRegistry } from '../../sandbox/world/brazil/large/registry.ts';

/** A month in a folder. */
export interface MonthFolder {
  readonly folder: string;
  /** Bytes of the unpacked files. */
  readonly bytes: number;
}

/**
 * Writes a made-up month in the layout of the registry: a zip with one file for each part, whose name has the date of the extract.
 * @param extractedOn ISO date
 */
export async function writeMonth(folder: string, establishments: number, extractedOn: string, isLater: boolean): Promise<MonthFolder> {
  await mkdir(folder, { recursive: true });
  let bytes = 0;
  for (const [name, read] of largeMonth(largeRegistry(establishments, isLater))) {
    function* encoded(): Generator<Buffer, void, void> {
      for (const part of read()) {
        bytes += part.length;
        yield Buffer.from(part, 'latin1');
      }
    }
    const zip = new ZipFile();
    const member = `K3241.K03200Y0.D${extractedOn.slice(3).replaceAll('-', '')}.CSV`;
    zip.addReadStream(Readable.from(encoded(), { objectMode: false }), member, { compressionLevel: 3 });
    zip.end();
    await pipeline(zip.outputStream, createWriteStream(path.join(folder, `${name}.zip`)));
  }
  return { folder, bytes };
}
