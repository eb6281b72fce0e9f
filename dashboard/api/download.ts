import { read, send } from '../../clients/typescript/src/http.ts';
import { type Client, serviceOf } from './client.ts';

const TIMEOUT_MS = 60_000;

/** Saves a file of the REST API under a name. @throws QuipuError with the sentence of the server */
export async function download({ key }: Client, path: string, name: string): Promise<void> {
  const service = serviceOf(key, TIMEOUT_MS);
  const response = await send(service, path, {});
  if (!response.ok) await read(service, response); // `read` throws the error of the answer
  saveFile(await response.blob(), name);
}

/** Saves content as a file of the browser's downloads. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), TIMEOUT_MS);
}
