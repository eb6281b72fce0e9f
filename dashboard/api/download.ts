import { ApiError, type Client } from './client.ts';

const TIMEOUT_MS = 60_000;

/** Saves a file of the REST API under a name. @throws ApiError with the sentence of the server */
export async function download({ key }: Client, path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: { 'x-api-key': key }, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) {
    const { detail } = await response.json().catch(() => ({}));
    throw new ApiError('INVALID_INPUT', detail ?? `HTTP status ${response.status}`);
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), TIMEOUT_MS);
}
