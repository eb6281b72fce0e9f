import { AppError } from '../../../domain/errors.ts';
import { orUnavailable } from '../../../loaders/derived-from.ts';
import type { FetchingLoader, Load } from '../../../loaders/loader.ts';
import { copyLoader } from '../../../loaders/registry-copy.ts';
import { type RegistryNodeAnswer, readNodes } from '../../../sources/receita-federal/copy/levels.ts';
import type { RegistryNode } from '../../../sources/receita-federal/copy/nodes.ts';

/** Root of a CNPJ → company of the copy, or why it has none. */
export const registryNodeLoader: FetchingLoader<string, RegistryNodeAnswer> = copyLoader({
  name: 'receita_nodes',
  key: (root) => root,
  read: readNodes,
});

/** Loads a company of the copy; null if the copy does not have it, cannot be read, or does not exist. */
export async function registryNodeOrNull(root: string, load: Load): Promise<RegistryNode | null> {
  try {
    const answer = await orUnavailable(load(registryNodeLoader, root));
    return answer === null || answer.value === 'unread' ? null : answer.value;
  } catch (error) {
    if (error instanceof AppError && error.code === 'SOURCE_NOT_CONFIGURED') return null;
    throw error;
  }
}
