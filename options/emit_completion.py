# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The completions of bash, zsh and fish that the table of options generates: verbs, the flags that a verb
accepts, the words of a choice, and files."""

HELP_FLAGS = ["-h", "--help", "--help-all"]

BASH = """\
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of `convoy` for bash. Generated from options/.

_convoy_flags() {
  case $1 in
%(flags)s  esac
}

# The words that a flag of a verb accepts; nothing for other values.
_convoy_words() {
  case "$1 $2" in
%(words)s  esac
}

_convoy() {
  local current=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]} verb="" group=1 words i
  for ((i = 1; i < COMP_CWORD && group; ++i)); do
    verb+="${verb:+ }${COMP_WORDS[i]}"
    case $verb in %(groups)s) ;; *) group= ;; esac
  done
  # Bash splits --flag=value into three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $flag == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  fi
  words=$(_convoy_words "$verb" "$flag")
  if [[ -z $words && ( $current == -* || -n $group ) ]]; then
    words=$(_convoy_flags "$verb")
  fi
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}

complete -o filenames -F _convoy convoy
"""

ZSH = """\
#compdef convoy
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of `convoy` for zsh. Generated from options/.

_convoy() {
  local verb="" group=1 flag=${words[CURRENT-1]} i
  local -a choices flags
  for ((i = 2; i < CURRENT && group; ++i)); do
    verb+="${verb:+ }${words[i]}"
    case $verb in %(groups)s) ;; *) group= ;; esac
  done
  if [[ $PREFIX == --*=* ]]; then
    flag=${PREFIX%%%%=*}
    compset -P '*='
  fi
  # The words that a flag of a verb accepts.
  case "$verb $flag" in
%(words)s  esac
  if (( $#choices )); then
    compadd -- $choices
    return
  fi
  if [[ $PREFIX != -* && -z $group ]]; then
    _files
    return
  fi
  case $verb in
%(flags)s  esac
  _describe -o convoy flags
}

_convoy "$@"
"""

FISH = """\
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of `convoy` for fish. Generated from options/.

# Prints the verb of the command line, "service jobs list".
function __convoy_verb
    set -l words (commandline -opc)
    set -e words[1]
    set -l verb
    for word in $words
        set verb "$verb $word"
        contains -- (string trim $verb) %(groups)s; or break
    end
    string trim -- $verb
end

function __convoy_at
    test (__convoy_verb; or echo) = "$argv"
end

complete -c convoy -f -n '__convoy_at ""'
%(lines)s"""


def case(pattern, words):
    return f"    '{pattern}') echo '{' '.join(words)}' ;;\n"


def tool_flags(table):
    return [name for flag in table.all("ToolFlag") for name in flag.names.split(",")]


def top_verbs(table):
    return [verb for verb in table.verbs if " " not in verb.name]


def listed(table, verb):
    return [entry for entry in table.entries(verb) if entry.is_listed]


def flags_of(table, verb):
    """The flags of a verb, or the verbs of a group."""
    below = [other.name.split()[-1] for other in table.below(verb)]
    return below + [name for entry in listed(table, verb) for name in entry.flags] + HELP_FLAGS


def group_pattern(table):
    return "|".join(f"'{name}'" for name in ["help"] + [verb.name for verb in table.groups])


def choices(table):
    """(verb, flag, words) of the flags with words."""
    return [(verb, name, entry.kind.words) for verb in table.verbs for entry in listed(table, verb) if entry.kind.words
            for name in entry.flags]


def bash(table):
    verbs = [verb.name for verb in top_verbs(table)]
    flags = case("", verbs + ["help"] + tool_flags(table)) + case("help", verbs)
    flags += "".join(case(verb.name, flags_of(table, verb)) for verb in table.verbs)
    words = "".join(case(f"{verb.name} {name}", words) for verb, name, words in choices(table))
    return BASH % {"flags": flags, "words": words, "groups": group_pattern(table)}


def summary(text):
    """The first clause of a help, which a shell shows beside a flag."""
    for end in (" (", ";", ":", ". "):
        text = text.split(end)[0]
    return text.rstrip(".").replace("'", "").replace("`", "")


def described(table, verb):
    """[(word, summary)] of the flags of a verb, or of the verbs of a group."""
    below = [(other.name.split()[-1], summary(other.help)) for other in table.below(verb)]
    flags = [(name, summary(entry.help)) for entry in listed(table, verb) for name in entry.flags]
    return below + flags + [(name, "Print the flags and exit") for name in HELP_FLAGS]


def top(table):
    """[(word, summary)] of the verbs and of the flags without a verb."""
    verbs = [(verb.name, summary(verb.help)) for verb in top_verbs(table)]
    flags = [(name, summary(flag.help)) for flag in table.all("ToolFlag") for name in flag.names.split(",")]
    return verbs + [("help", "Print the everyday flags of a verb")] + flags


def zsh(table):
    def flag_case(name, pairs):
        return f"    '{name}') flags=({' '.join(repr_zsh(word, text) for word, text in pairs)}) ;;\n"

    def repr_zsh(word, text):
        return f"'{word}:{text}'"

    flags = flag_case("", top(table)) + flag_case("help", [(verb.name, summary(verb.help)) for verb in top_verbs(table)])
    flags += "".join(flag_case(verb.name, described(table, verb)) for verb in table.verbs)
    words = "".join(f"    '{verb.name} {name}') choices=({' '.join(words)}) ;;\n" for verb, name, words in choices(table))
    return ZSH % {"flags": flags, "words": words, "groups": group_pattern(table)}


def fish_name(word):
    """The arguments of `complete` for a flag, or for a word without a dash."""
    return f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}" if word.startswith("-") else f"-f -a {word}"


def fish(table):
    def line(verb, word, text, values=""):
        return f"complete -c convoy -n '__convoy_at \"{verb}\"' {fish_name(word)}{values} -d '{text}'\n"

    lines = [line("", word, text) for word, text in top(table)]
    lines += [line("help", verb.name, summary(verb.help)) for verb in top_verbs(table)]
    for verb in table.verbs:
        lines += [line(verb.name, other.name.split()[-1], summary(other.help)) for other in table.below(verb)]
        for entry in listed(table, verb):
            words = " ".join(entry.kind.words)
            values = f" -x -a '{words}'" if words else " -r" if entry.kind.shown and entry.kind.method != "json" else ""
            lines += [line(verb.name, name, summary(entry.help), values) for name in entry.flags]
        lines += [line(verb.name, name, "Print the flags and exit") for name in HELP_FLAGS]
    return FISH % {"lines": "".join(lines), "groups": " ".join(f"'{verb.name}'" for verb in table.groups)}
