import { UsageError } from '../harness/arguments.ts';
import { capacityCommand } from './command.ts';

try {
  process.stdout.write(capacityCommand(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\nSee: npm run capacity -- --help\n`);
  process.exitCode = 1;
}
