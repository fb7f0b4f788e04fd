# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rejects constructs that the house style forbids but compilers accept.

Under compiler/ and reference/: command-line options, environment variables,
mutable globals and writing to stdout, because a library with these cannot be used
twice in one process. Everywhere: exit() outside tools/, meaningless names, long paths,
TODO without an issue. In product code: searching the words of a text, because a changed
word would then change an exit code.
"""

import re

import cpp_scopes
import tree

MAX_PATH = 75
LIBRARIES = ("compiler/", "reference/")

# (folders, exempt paths, pattern, message)
RULES = [
    (LIBRARIES, (), r"\bcl::(opt|list|bits|alias)\b",
     "llvm::cl option in a library; add a field to the stage's options struct"),
    (LIBRARIES, (), r"\b(secure_)?getenv\s*\(",
     "reads the environment; add a field to the stage's options struct"),
    (LIBRARIES, (), r"\bstd::cout\b|(?<![\w.>])outs\s*\(\)|(?<![\w.>])(printf|puts|putchar)\s*\(",
     "writes to stdout; return the result, or emit a diagnostic"),
    (LIBRARIES + ("tools/",), (), r"\bregisterAll(Dialects|Passes|Extensions)\s*\(",
     "registers all of MLIR; name the dialects and passes needed"),
    # The exempt files fork processes, which must end here. A test program without its servers ends as skipped.
    (tree.CODE_FOLDERS, ("tools/", "io/ChildProcess.cpp", "compiler/Support/StartProgram.cpp", "tests/service/Servers.h"),
     r"(?<![\w.>])(_Exit|(_|quick_)?exit)\s*\(",
     "ends the process; return an error, only tools/ may exit"),
]

BANNED_NAME = re.compile(r"(?:^|[/_.\-]|(?<=[a-z0-9]))(Utils?|Common|Misc|Uncategorized)(?![a-z])"
                         r"|(?:^|[/_.\-])(utils?|common|misc)(?=$|[/_.\-])")
# A call that searches a text for a literal of two words or more. Exempt: the reasons of kernel
# templates, which are no errors, have no kind.
WORDS = re.compile(r'(?:\.|->|\b)(contains|contains_insensitive|find|rfind|starts_with|ends_with|consume_front|strstr)\('
                   r'(?:\w+, )?\s*"[^"\n]*[a-z] [a-z][^"\n]*"')
WORDS_EXEMPT = ("compiler/Driver/LoopsWarning.cpp",)
TODO = re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\):)")

_NOT_A_VARIABLE = re.compile(
    r"^\s*(using|typedef|namespace|class|struct|union|enum|extern|template|friend|static_assert|return"
    r"|goto|break|continue|case|default|delete|throw|public|private|protected|if|else|for|while|do|switch)\b")
_VARIABLE = re.compile(r"^(?:[\w:]+(?:<.*>)?(?:::\w+)*[\s*&]+)+[\w:]+\s*(\[[^\]]*\])*\s*([={(].*)?$", re.DOTALL)


def is_mutable_global(statement):
    """Returns whether the statement declares a mutable variable with static lifetime."""
    text = statement.text
    is_static = re.match(r"(inline\s+)?(static|thread_local)\b", text) is not None
    if statement.scope != "namespace" and not is_static:
        return False
    if re.search(r"\b(const|constexpr|operator)\b", text.split("=")[0]) or _NOT_A_VARIABLE.match(text):
        return False
    declarator = text.split("=")[0]
    # `static int f(int);` declares a function. Inside a function body, it is more likely a
    # variable with constructor arguments.
    if "(" in declarator.split("{")[0] and statement.scope != "function":
        return False
    return _VARIABLE.match(text) is not None


def check_code(path, text):
    findings = []
    code = cpp_scopes.blank_comments(text)
    for folders, exempt, pattern, message in RULES:
        if not path.startswith(folders) or path.startswith(exempt) or (folders == LIBRARIES and tree.is_test(path)):
            continue
        for match in re.finditer(pattern, code):
            findings.append(tree.Finding(path, code.count("\n", 0, match.start()) + 1,
                                         f"{match.group(0).strip()}: {message}"))
    if path.startswith(LIBRARIES) and not tree.is_test(path):
        for statement in cpp_scopes.parse(text)[1]:
            if is_mutable_global(statement):
                words = " ".join(statement.text.split())[:60]
                findings.append(tree.Finding(path, statement.line, f"mutable global `{words}`; pass it as an argument instead"))
    return findings


def check(root, files):
    findings = []
    for path in files:
        if len(path) > MAX_PATH:
            findings.append(tree.Finding(path, 1, f"path has {len(path)} characters, at most {MAX_PATH}"))
        name = BANNED_NAME.search(path)
        if name:
            findings.append(tree.Finding(path, 1, f"'{name.group(1) or name.group(2)}' is meaningless; use a specific name"))
        if tree.is_cpp(path):
            findings += check_code(path, tree.read(root, path))
            findings += check_words(path, tree.read(root, path))
        if path.startswith(tree.CODE_FOLDERS) or path.startswith(("cmake/", ".ci/")):
            findings += check_todo(path, tree.read(root, path))
    return findings


def check_words(path, text):
    if tree.is_test(path) or path.startswith(("tests/", "bench/")) or path in WORDS_EXEMPT:
        return []
    code = re.sub(r"//[^\n]*", "", text)
    return [tree.Finding(path, code.count("\n", 0, match.start()) + 1,
                         f"{match.group(1)}: searches the words of a text; give the error a kind "
                         "(Support/TypedError.h) or a field")
            for match in WORDS.finditer(code)]


def check_todo(path, text):
    if path.endswith((".onnx", ".pb", ".png", ".jpg", ".bin", ".npy", ".input")):
        return []
    return [tree.Finding(path, number, f"{match.group(0)} without an issue; write TODO(#123):")
            for number, line in enumerate(text.splitlines(), 1) for match in TODO.finditer(line)]


if __name__ == "__main__":
    tree.main(check)
