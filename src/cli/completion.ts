import { Argument, Command } from 'commander';
import type { Io } from './run.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const HELP = `
Examples:
  echo 'source <(quipu completion bash)' >> ~/.bashrc
  echo 'source <(quipu completion zsh)' >> ~/.zshrc        after compinit
  quipu completion fish > ~/.config/fish/completions/quipu.fish
The command must have the name quipu: docs/cli.md#completion
`;

/** Creates `quipu completion SHELL`, which prints a script that completes the commands and options of `program`. */
export const completionCommand = (program: () => Command, io: Io): Command =>
  new Command('completion')
    .description('Print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'shell that reads the script').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => io.out(SCRIPTS[shell](levelsOf(program(), ''))));

/** The words that can follow a command. */
interface Level {
  /** Names of the command and of its parents, each after a blank; empty for the program. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly description: string }[];
}

function levelsOf(command: Command, path: string): readonly Level[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((one) => command.commands.includes(one as Command));
  const options = help.visibleOptions(command);
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const words = [
    ...choices.map((word) => ({ word, description: '' })),
    ...commands.map((one) => ({ word: one.name(), description: one.description() })),
    ...options.map(({ long, short, description }) => ({ word: long ?? short ?? '', description })),
  ];
  return [{ path, words }, ...commands.flatMap((one) => levelsOf(one as Command, `${path} ${one.name()}`))];
}

/** Quotes a word for a shell. Single quotes and backslashes inside it are replaced, because the three shells read them differently. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '’')}'`;

const bash = (levels: readonly Level[]): string => `# Completion of quipu: source this text.
_quipu() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at='' words='' word
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$at $word" in
      ${levels
        .slice(1)
        .map(({ path }) => quoted(path))
        .join('|')}) at="$at $word" ;;
    esac
  done
  case "$at" in
${levels.map(({ path, words }) => `    ${quoted(path)}) words=${quoted(words.map(({ word }) => word).join(' '))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _quipu quipu
`;

const fish = (levels: readonly Level[]): string => `# Completion of quipu.
function __quipu_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    contains -- "$at $word" ${levels
      .slice(1)
      .map(({ path }) => quoted(path))
      .join(' ')}; and set at "$at $word"
  end
  test "$at" = "$argv[1]"
end
${levels
  .flatMap(({ path, words }) =>
    words.map(({ word, description }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${quoted(word)}`;
      return `complete -c quipu -n ${quoted(`__quipu_at "${path}"`)} ${what} -d ${quoted(description)}`;
    }),
  )
  .join('\n')}
`;

const SCRIPTS: Readonly<Record<Shell, (levels: readonly Level[]) => string>> = {
  bash,
  // zsh runs the functions of bash.
  zsh: (levels) => `autoload -U +X bashcompinit && bashcompinit\n${bash(levels)}`,
  fish,
};
