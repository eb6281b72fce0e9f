/** Waits for something that is bound to come; the test's own time limit is the limit. */
export async function until(met: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await met())) await new Promise((resolve) => setTimeout(resolve, 10));
}
