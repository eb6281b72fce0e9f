/**
 * Imports a module of the build. Benchmarks measure the compiled files of the shipped service, because code that a transpiler (tsx) loads
 * at run time is slower.
 * @param file path below `dist`, without the extension
 */
export const built = <T>(file: string): Promise<T> => import(`../../dist/${file}.js`) as Promise<T>;
