/** Polls a condition every 10 ms until it is true. The test's own timeout is the limit. */
export async function until(met: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await met())) await new Promise((resolve) => setTimeout(resolve, 10));
}
