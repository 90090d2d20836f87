import { parseArguments, positionalsAmong } from './arguments.js';
import { exitCodes, UsageError, type Command, type CommandTable } from './command.js';

// Each script asks this program for the words, so that it never differs from the commands.
const scripts = {
  bash: String.raw`_corridor() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${'$'}{line%%$'\t'*}")
  done < <(corridor completion words -- "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -o default -F _corridor corridor
`,
  zsh: String.raw`#compdef corridor
_corridor() {
  local -a lines
  lines=("${'$'}{(@f)$(corridor completion words -- "${'$'}{(@)words[2,CURRENT]}" 2> /dev/null)}")
  lines=("${'$'}{(@)${'$'}{(@)lines/$'\t'/:}%:}")
  if [[ -n "${'$'}{lines[1]}" ]]; then
    _describe corridor lines
  else
    _files
  fi
}
if [[ "${'$'}{funcstack[1]}" == _corridor ]]; then
  _corridor "$@"
else
  compdef _corridor corridor
fi
`,
  fish: String.raw`function __corridor_words
    set -l token (commandline -ct)
    set -l lines (corridor completion words -- (commandline -opc)[2..-1] "$token" 2> /dev/null)
    if test (count $lines) -gt 0
        printf '%s\n' $lines
    else
        __fish_complete_path "$token"
    end
end
complete -c corridor -f -a '(__corridor_words)'
`,
} as const;

/** Creates `corridor completion` for a table of commands. */
export function completionOf(table: CommandTable): Command {
  return {
    options: {},
    wordsAfter: (positionals) => (positionals.length === 0 ? Object.keys(scripts) : []),
    help: () => `Usage: corridor completion <bash|zsh|fish>

Prints a script that completes commands, options, calls and profiles. corridor must be on the PATH.

  bash  add to ~/.bashrc:  eval "$(corridor completion bash)"
  zsh   add to ~/.zshrc, after compinit:  eval "$(corridor completion zsh)"
  fish  corridor completion fish > ~/.config/fish/completions/corridor.fish
`,
    async run(argv, { output }) {
      const [shell = '', ...words] = parseArguments(argv, {}).positionals;
      if (shell === 'words') {
        for (const [word, about] of await wordsFor(table, words)) await output.line(`${word}\t${about}`);
        return exitCodes.done;
      }
      if (!Object.hasOwn(scripts, shell)) throw new UsageError('pass a shell: bash, zsh or fish');
      await output.write(scripts[shell as keyof typeof scripts]);
      return exitCodes.done;
    },
  };
}

type Word = readonly [word: string, about: string];

/** Returns the words that can replace the last of the typed words. */
async function wordsFor(table: CommandTable, typed: readonly string[]): Promise<readonly Word[]> {
  const [name = '', ...rest] = typed;
  const prefix = typed.at(-1) ?? '';
  const known = rest.length === 0 ? commandWords(table) : await argumentWords(table, name, rest);
  return known.filter(([word]) => word.startsWith(prefix));
}

function commandWords(table: CommandTable): readonly Word[] {
  return [
    ...Object.entries(table).map(([name, { about }]): Word => [name, about]),
    ['--help', 'prints the commands'],
    ['--version', 'prints the version'],
  ];
}

async function argumentWords(table: CommandTable, name: string, rest: readonly string[]): Promise<readonly Word[]> {
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry === undefined) return [];
  const { options, wordsAfter } = (await entry.load()).command;
  const [before, prefix = ''] = [rest.slice(0, -1), rest.at(-1)];
  const last = before.at(-1) ?? '';
  const option = last.startsWith('--') ? options[last.slice(2)] : undefined;
  const plain = (words: readonly string[] = []): readonly Word[] => words.map((word) => [word, '']);
  if (option?.value !== undefined && option.isOptional !== true) return plain(await option.values?.());
  if (!prefix.startsWith('-')) return plain(wordsAfter?.(positionalsAmong(before, options)));
  const all = Object.entries(options).map(([key, { about }]): Word => [`--${key}`, about]);
  return [...all, ['--help', 'prints the help of the command'] as const].filter(([word]) => !before.includes(word));
}
