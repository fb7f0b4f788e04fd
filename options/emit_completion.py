# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The completion of bash that the table of options generates: verbs, the flags that a verb accepts, the
words of a choice, and files."""

SCRIPT = """\
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
  local current=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} words
  case " %(groups)s " in *" $verb "*) [[ $COMP_CWORD -gt 2 ]] && verb+=" ${COMP_WORDS[2]}" ;; esac
  # Bash splits --flag=value into three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $flag == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  fi
  [[ $COMP_CWORD -eq 1 ]] && verb=
  words=$(_convoy_words "$verb" "$flag")
  if [[ -z $words && ( $current == -* || -z $verb || " %(groups)s " == *" $verb "* ) ]]; then
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


def case(pattern, words):
    return f"    '{pattern}') echo '{' '.join(words)}' ;;\n"


def tool_flags(table):
    return [name for flag in table.all("ToolFlag") for name in flag.names.split(",")]


def flags_of(table, verb):
    """The flags of a verb, or the verbs of a group."""
    below = [other.name.split()[1] for other in table.verbs if other.name.startswith(verb.name + " ")]
    accepted = [name for entry in table.entries(verb) if not entry.is_refused for name in entry.flags]
    return below + accepted + ["-h", "--help", "--help-all"]


def script(table):
    top = [verb.name for verb in table.verbs if " " not in verb.name]
    flags = case("", top + tool_flags(table)) + "".join(case(verb.name, flags_of(table, verb)) for verb in table.verbs)
    words = "".join(case(f"{verb.name} {name}", entry.kind.words) for verb in table.verbs for entry in table.entries(verb)
                    if entry.kind.words and not entry.is_refused for name in entry.flags)
    return SCRIPT % {"flags": flags, "words": words, "groups": " ".join(verb.name for verb in table.verbs if not verb.run)}
