import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

/** Prints each skipped test with its reason when the run ends. A run of named tests prints none. */
export default class SkippedTests implements Reporter {
  #runs: Vitest | null = null;

  onInit(vitest: Vitest): void {
    this.#runs = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#runs?.config.testNamePattern) return;
    const lines = modules.flatMap((file) => [...file.children.allTests('skipped')].map((test) => lineOf(file, test)));
    if (lines.length > 0) this.#runs?.logger.log(`\nSkipped tests:\n${lines.map((line) => `  ${line}`).join('\n')}\n`);
  }
}

const lineOf = (file: TestModule, test: TestCase): string => `${file.relativeModuleId} > ${test.fullName}: ${reasonOf(test)}`;

function reasonOf(test: TestCase | TestSuite | TestModule): string {
  const because = test.meta().skippedBecause;
  if (because) return because;
  return test.type === 'module' ? 'no reason given' : reasonOf(test.parent);
}
