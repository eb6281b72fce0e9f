/** The oldest Node that every dependency supports, which is the highest `engines.node` of package-lock.json. */
export const OLDEST_NODE = '22.19.0';

/**
 * Loads a program on a Node that can run it; on an older one, prints one sentence and sets the exit code to 1. `load` must import the
 * program dynamically: static imports are linked before any code runs, and fail inside a dependency.
 */
export async function onSupportedNode(load: () => Promise<unknown>): Promise<void> {
  const { node } = process.versions;
  if (isOlder(node, OLDEST_NODE)) {
    process.stderr.write(
      `Quipu needs Node ${OLDEST_NODE} or newer, and this is ${node}: start it with npm start, which uses the project's own Node.\n`,
    );
    process.exitCode = 1;
  } else {
    await load();
  }
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = than.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
