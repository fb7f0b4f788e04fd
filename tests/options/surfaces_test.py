# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every option of the table is in each of its surfaces, and a surface has no other option: the flags and
the help of each verb, the completions, the manual page, the request, the Python keywords, the stubs and the
reference pages. A flag has one meaning and one default in all verbs.

  surfaces_test.py --root SOURCES --build BUILD --model MODEL.onnx [--packages FOLDER]

Without --packages, the Python packages are not built.
"""

import argparse
import ast
import functools
import inspect
import os
import re
import shutil
import subprocess
import sys
import unittest

PARSER = argparse.ArgumentParser()
for argument in ("--root", "--build", "--model", "--packages"):
    PARSER.add_argument(argument)
ARGS = PARSER.parse_args()
sys.path.insert(0, os.path.join(ARGS.root, "options"))

import option_table  # noqa: E402

TABLE = option_table.read_table()
CONVOY = os.path.join(ARGS.build, "bin", "convoy")
COMPLETION = os.path.join(ARGS.build, "share", "bash-completion", "completions", "convoy")
ZSH = os.path.join(ARGS.build, "share", "zsh", "site-functions", "_convoy")
FISH = os.path.join(ARGS.build, "share", "fish", "vendor_completions.d", "convoy.fish")
MANUAL = os.path.join(ARGS.build, "share", "man", "man1", "convoy.1")
MOST_EVERYDAY = 10
HELP_FLAGS = ["-h", "--help", "--help-all"]
FUNCTIONS = ("compile", "quantize", "tune")
# Python functions that are verbs, and their parameters that are no flags.
VERB_FUNCTIONS = ("compile", "tune", "quantize", "check", "explain", "bench", "run", "inspect", "sweep")
NO_FLAGS = {"model", "build", "progress"}
VERBS = [verb for verb in TABLE.verbs if verb.run]


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def words(text):
    """The text with single blanks, as the help breaks lines."""
    return " ".join(text.split())


@functools.lru_cache(maxsize=None)
def help_of(verb, flag):
    return subprocess.run([CONVOY, *verb.name.split(), flag], stdout=subprocess.PIPE, check=True, text=True).stdout


def listed_flags(text):
    """The flags that a help lists, one row per flag."""
    rows = re.findall(r"^  (-.*?)(?:  .*)?$", text, re.MULTILINE)
    return sorted(name for row in rows for name in re.findall(r"(?:^|, )(--?[a-z][\w-]*)", row))


def listed_arguments(text):
    """The arguments without a flag that a help lists."""
    section = re.search(r"^Arguments:\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    return re.findall(r"^  (\S+)", section[1], re.MULTILINE) if section else []


def flags(entries):
    return sorted([name for entry in entries for name in entry.flags] + HELP_FLAGS)


def accepted(verb):
    return [entry for entry in TABLE.entries(verb) if entry.is_listed]


def default(entry):
    """The default that a help states; None for a required flag."""
    stated = re.search(r"\(default: (.*)\)\.$", entry.help)
    return stated[1] if stated else None


def completed(lines):
    """The replies of the completion for command lines whose last word is incomplete, from one shell."""
    script = f"source '{COMPLETION}'\n"
    for typed in lines:
        line = " ".join(f"'{word}'" for word in ("convoy", *typed))
        script += f"COMP_WORDS=({line}); COMP_CWORD={len(typed)}; _convoy; echo \"${{COMPREPLY[@]}}\"\n"
    done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, check=True, text=True)
    return [sorted(line.split()) for line in done.stdout.splitlines()]


class CommandLine(unittest.TestCase):
    def test_help_lists_what_the_verb_accepts(self):
        for verb in VERBS:
            with self.subTest(verb.name):
                text = help_of(verb, "--help-all")
                self.assertEqual(listed_flags(text), flags(accepted(verb)))
                self.assertEqual(listed_arguments(text), [entry.kind.shown for entry in accepted(verb) if not entry.flags])
                everyday = [entry for entry in accepted(verb) if not entry.is_rare]
                self.assertEqual(listed_flags(help_of(verb, "--help")), flags(everyday))

    def test_help_has_the_words_of_the_table(self):
        for verb in VERBS:
            text = words(help_of(verb, "--help-all"))
            for entry in accepted(verb):
                with self.subTest(f"{verb.name} {entry.names}"):
                    self.assertIn(words(f"{entry.kind.shown} {entry.help}"), text)

    def test_a_refused_flag_is_an_error_with_a_reason(self):
        for verb in VERBS:
            for entry in TABLE.entries(verb):
                if not entry.is_refused:
                    continue
                with self.subTest(f"{verb.name} {entry.names}"):
                    value = [] if entry.kind.type == "bool" and not entry.kind.words else [(entry.kind.words or ["2"])[0]]
                    if entry.kind.method == "goal":
                        value = ["memory"]
                    target = ["--target", "abstract"] if verb.name == "sweep" else ["--list-tasks"]
                    done = subprocess.run([CONVOY, verb.name, ARGS.model, *target, entry.names, *value], stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE, text=True)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertNotIn("unknown flag", done.stderr)
                    self.assertIn(entry.names.lstrip("-"), done.stderr)

    def test_tool_flags(self):
        text = words(subprocess.run([CONVOY, "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout)
        for flag in TABLE.all("ToolFlag"):
            self.assertIn(f"{flag.names.replace(',', ', ')} {flag.help}", text)


class OneMeaning(unittest.TestCase):
    """A flag means the same in all verbs: it is one option, or options that say that they share the flag."""

    def uses(self):
        found = {}
        for verb in VERBS:
            for entry in TABLE.entries(verb):
                for name in entry.flags:
                    found.setdefault(name, []).append((verb, entry))
        return found

    def test_a_flag_has_one_meaning(self):
        for name, uses in self.uses().items():
            options = {entry.option.id: entry.option for _, entry in uses}
            with self.subTest(name):
                own = [option.id for option in options.values() if not option.sharesFlag]
                self.assertLessEqual(len(own), 1, f"{own} have different meanings; rename a flag, or set sharesFlag")
                # One verb reads a list of what another verb reads.
                kinds = {entry.kind.shown.split("[,")[0] for _, entry in uses}
                self.assertEqual(len(kinds), 1, f"{name} has values of different kinds: {kinds}")
                self.assertEqual(len({entry.names for _, entry in uses}), 1)

    def test_a_flag_has_one_default(self):
        for name, uses in self.uses().items():
            stated = {default(entry) for _, entry in uses if default(entry) is not None and not entry.differs}
            with self.subTest(name):
                self.assertLessEqual(len(stated), 1, f"{name} has the defaults {stated}; the table must say why (differs)")

    def test_every_flag_states_its_default(self):
        for name, uses in self.uses().items():
            for verb, entry in uses:
                with self.subTest(f"{verb.name} {name}"):
                    self.assertTrue(default(entry) is not None or "required" in entry.help, entry.help)

    def test_no_verb_has_more_everyday_flags_than_a_reader_takes_in(self):
        for verb in VERBS:
            everyday = [entry.names for entry in accepted(verb) if entry.flags and not entry.is_rare]
            with self.subTest(verb.name):
                self.assertLessEqual(len(everyday), MOST_EVERYDAY, everyday)
                shown = {entry.option.id for entry in TABLE.entries(verb)}
                self.assertLessEqual({option.id for option in verb.everyday}, shown, "an everyday flag that the verb lacks")

    def test_a_duration_needs_a_unit(self):
        for name, uses in self.uses().items():
            for verb, entry in uses:
                if entry.kind.method == "duration":
                    self.assertNotIn("without a unit", entry.help, f"{verb.name} {name}")

    def test_old_names_are_old(self):
        for verb in VERBS:
            names = {name for entry in TABLE.entries(verb) for name in entry.flags}
            for old in TABLE.old_flags(verb):
                with self.subTest(f"{verb.name} {old.was}"):
                    self.assertNotIn(old.was, names)
                    self.assertTrue(old.now in names or not old.now)


class Manual(unittest.TestCase):
    def test_every_flag_of_every_verb(self):
        page = read(MANUAL).replace("\\-", "-")
        for verb in VERBS:
            section = page.split(f".Ss convoy {verb.name}\n")[1].split("\n.S")[0]
            self.assertEqual(sorted(re.findall(r"Fl (-?[a-z][\w-]*)", section.replace("\n", " \n"))),
                             sorted(name[1:] for entry in accepted(verb) for name in entry.flags), verb.name)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_lint(self):
        done = subprocess.run(["mandoc", "-T", "lint", MANUAL], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.stdout, "")
        text = subprocess.run(["mandoc", "-T", "ascii", MANUAL], stdout=subprocess.PIPE, check=True, text=True).stdout
        self.assertIn("compile ONNX models", words(text))


class OtherShells(unittest.TestCase):
    """What zsh and fish propose after some words. Each shell runs once."""

    LINES = [("",), ("comp",), ("service", ""), ("service", "jobs", ""), ("compile", "--th"), ("run", "--"),
             ("compile", "--emit", ""), ("help", "")]

    def expected(self, typed):
        verbs = [verb.name for verb in TABLE.verbs if " " not in verb.name]
        path = " ".join(typed[:-1])
        if typed[-2:-1] == ("--emit",):
            return {"library", "c", "program"}
        if typed == ("comp",):
            return {"compile"}
        if path in ("", "help"):
            return set(verbs)
        group = [verb for verb in TABLE.groups if verb.name == path]
        if group:
            return {other.name.split()[-1] for other in TABLE.below(group[0])}
        verb = next(verb for verb in VERBS if verb.name == path)
        return {name for entry in accepted(verb) for name in entry.flags if name.startswith(typed[-1]) and name.startswith("--")}

    def check(self, replies):
        for typed, reply in zip(self.LINES, replies):
            with self.subTest(" ".join(typed)):
                self.assertLessEqual(self.expected(typed), set(reply))
                wrong = {word for word in reply if word.startswith("--") and word not in HELP_FLAGS}
                self.assertLessEqual(wrong, self.expected(typed) | {flag for flag in wrong if not typed[:-1]})

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        # Stand-ins for the functions of zsh's completion print what they get.
        script = ("compadd() { shift; print -r -- $@ }\n_files() { print -r -- FILES }\ncompset() { PREFIX=${PREFIX#*=} }\n"
                  "_describe() { local list=$argv[-1]; local -a words; words=(${(P)list}); print -r -- ${words%%:*} }\n")
        for typed in self.LINES:
            line = " ".join(f"'{word}'" for word in ("convoy", *typed))
            script += (f"words=({line}); CURRENT={len(typed) + 1}; PREFIX='{typed[-1]}'\n"
                       f"source '{ZSH}' | tr '\\n' ' '; print\n")
        done = subprocess.run(["zsh", "-f", "-c", script], stdout=subprocess.PIPE, check=True, text=True)
        # zsh itself drops the words that do not begin with what was typed.
        self.check([[word for word in line.split() if word.startswith(typed[-1])]
                    for typed, line in zip(self.LINES, done.stdout.splitlines())])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        script = f"source '{FISH}'\n" + "".join(f"complete -C 'convoy {' '.join(typed)}'; echo\n" for typed in self.LINES)
        done = subprocess.run(["fish", "--no-config", "-c", script], stdout=subprocess.PIPE, check=True, text=True,
                              env={**os.environ, "HOME": os.path.join(ARGS.build, "tests")})
        replies = [[line.split("\t")[0] for line in part.splitlines()] for part in done.stdout.split("\n\n")]
        self.check(replies)


class Completion(unittest.TestCase):
    def test_verbs(self):
        tool_flags = [name for flag in TABLE.all("ToolFlag") for name in flag.names.split(",")]
        verbs = [verb.name for verb in TABLE.verbs if " " not in verb.name]
        self.assertEqual(completed([[""]])[0], sorted(verbs + ["help"] + tool_flags))
        self.assertEqual(completed([["help", ""]])[0], sorted(verbs))
        for group in TABLE.groups:
            below = [verb.name.split()[-1] for verb in TABLE.below(group)]
            self.assertEqual(completed([[*group.name.split(), ""]])[0], sorted(below + HELP_FLAGS))

    def test_flags(self):
        replies = completed([[*verb.name.split(), "-"] for verb in VERBS])
        for verb, reply in zip(VERBS, replies):
            with self.subTest(verb.name):
                self.assertEqual(reply, flags(accepted(verb)))

    def test_words_of_choices(self):
        choices = [(verb, entry) for verb in VERBS for entry in accepted(verb) if entry.kind.words]
        for end in ("", "="):  # --flag WORD and --flag=WORD
            replies = completed([[*verb.name.split(), entry.flags[-1], end] for verb, entry in choices])
            for (verb, entry), reply in zip(choices, replies):
                with self.subTest(f"{verb.name} {entry.names}{end}"):
                    self.assertEqual(reply, sorted(entry.kind.words))


class Request(unittest.TestCase):
    def test_members(self):
        header, page = read(ARGS.build, "compiler", "convoy", "options.h"), read(ARGS.root, "docs", "reference", "cpp-api.md")
        for record in TABLE.all("Option", "RequestField"):
            if record.request:
                with self.subTest(record.request):
                    self.assertRegex(header, rf"\b{record.request.rsplit('.', 1)[1]}( = .*)?;")
                    self.assertIn(words(record.doc), words(header.replace("///", "")))
                    self.assertIn(words(record.doc), words(page.replace("///", "")))


class Pages(unittest.TestCase):
    def test_command_line(self):
        page = read(ARGS.root, "docs", "reference", "command-line.md")
        sections = dict(re.findall(r"^## convoy (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
        for verb in VERBS:
            text = words(sections[verb.name.split()[0]])
            for entry in accepted(verb):
                with self.subTest(f"{verb.name} {entry.names}"):
                    self.assertIn(words(f"{entry.kind.shown} {entry.help}"), text)

    def test_python(self):
        page = read(ARGS.root, "docs", "reference", "python-api.md")
        for function in FUNCTIONS:
            section = page.split(f"### convoy.{function}\n")[1].split("\n### ")[0]
            for option in TABLE.keywords(function):
                with self.subTest(f"{function} {option.python.name}"):
                    self.assertIn("- `{0.name}`: {0.doc}\n".format(option.python), section)
                    self.assertIn("    {0.name}: {0.type} = {0.compiled},\n".format(option.python), section)


@unittest.skipUnless(ARGS.packages, "the Python packages are not built")
class Python(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, ARGS.packages)
        import convoy
        from convoy import _options
        cls.convoy, cls.make_request = convoy, staticmethod(_options.make_request)

    def test_keywords(self):
        # The parameters of a function that are no options.
        others = {"compile": {"model", "progress"}, "tune": {"model", "records", "threads", "build"},
                  "quantize": {"model", "data", "labels", "samples", "calibration_data", "plan", "allow_unproven", "progress", "build"}}
        for function in FUNCTIONS:
            options = {option.python.name: option.python for option in TABLE.keywords(function)}
            given = inspect.signature(getattr(self.convoy, function)).parameters
            self.assertEqual(set(given), set(options) | others[function])
            for name, keyword in options.items():
                with self.subTest(f"{function} {name}"):
                    self.assertEqual(repr(given[name].default), repr(ast.literal_eval(keyword.compiled)))

    def test_keywords_are_flags_of_the_verb(self):
        """A keyword has the name of a flag of its verb, with _ for -."""
        for function in VERB_FUNCTIONS:
            verb = next(verb for verb in VERBS if verb.name == function)
            known = {option_table.flag_keyword(entry.names) for entry in accepted(verb)}
            given = set(inspect.signature(getattr(self.convoy, function)).parameters)
            with self.subTest(function):
                self.assertEqual(given - NO_FLAGS - known, set())

    def test_shared_keywords(self):
        options = {option.python.name: option.python for option in TABLE.keywords("compile")}
        given = inspect.signature(self.make_request).parameters
        self.assertEqual(set(given), set(options) | {"model", "allow_open_dims"})
        for name, keyword in options.items():
            self.assertEqual(repr(given[name].default), repr(ast.literal_eval(keyword.initial)), name)

    def test_docstring_and_stub(self):
        stub = read(ARGS.root, "python", "convoy", "__init__.pyi")
        for function in FUNCTIONS:
            text = words(inspect.getdoc(getattr(self.convoy, function)))
            declaration = stub.split(f"def {function}(\n")[1].split(") ->")[0]
            for option in TABLE.keywords(function):
                with self.subTest(f"{function} {option.python.name}"):
                    self.assertIn("{0.name}: {0.doc}".format(option.python), text)
                    self.assertIn("    {0.name}: {0.type} = {0.compiled},\n".format(option.python), declaration)

    def test_a_wrong_value_names_the_keyword(self):
        for option in TABLE.keywords("compile"):
            if option.kind.python != "bool":
                with self.subTest(option.python.name), self.assertRaisesRegex(self.convoy.Error, f"^{option.python.name}: expected"):
                    self.make_request(ARGS.model, **{option.python.name: object()})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
