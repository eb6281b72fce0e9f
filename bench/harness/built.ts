/**
 * Imports a module of the build. Benchmarks measure the compiled files, as the shipped service runs them: code that a transpiler (tsx) loads at
 * run time is slower.
 * @param file its path below `dist`, without the ending
 */
export const built = <T>(file: string): Promise<T> => import(`../../dist/${file}.js`) as Promise<T>;
