import { isTextKey, type Texts } from '../texts/texts.ts';

/** Returns the name of a module in the language of the page: that of its check, if it has one. A module of a newer server has its code. */
export function moduleName(module: string, texts: Texts): string {
  const key = [`check.${module}`, `module.${module}`].find(isTextKey);
  return key ? texts(key) : module.toLowerCase();
}
