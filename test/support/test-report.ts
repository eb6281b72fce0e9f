import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

/**
 * Prints, when the run ends, each test that passed only on its second try, and each skipped test with its reason. A run of named tests
 * prints no skipped ones.
 */
export default class TestReport implements Reporter {
  #runs: Vitest | null = null;

  onInit(vitest: Vitest): void {
    this.#runs = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const passed = modules.flatMap((file) => [...file.children.allTests('passed')]);
    this.#print('Tests that passed on their second try', passed.filter((test) => test.diagnostic()?.flaky).map(nameOf));
    if (this.#runs?.config.testNamePattern) return;
    const skipped = modules.flatMap((file) => [...file.children.allTests('skipped')]);
    this.#print(
      'Skipped tests',
      skipped.map((test) => `${nameOf(test)}: ${reasonOf(test)}`),
    );
  }

  #print(title: string, lines: readonly string[]): void {
    if (lines.length > 0) this.#runs?.logger.log(`\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}\n`);
  }
}

const nameOf = (test: TestCase): string => `${test.module.relativeModuleId} > ${test.fullName}`;

function reasonOf(test: TestCase | TestSuite | TestModule): string {
  const because = test.meta().skippedBecause;
  if (because) return because;
  return test.type === 'module' ? 'no reason given' : reasonOf(test.parent);
}
