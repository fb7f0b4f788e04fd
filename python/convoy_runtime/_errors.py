# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions of both packages. The extension modules create them with the functions below."""

from dataclasses import dataclass, field
from typing import List, Sequence, Tuple


@dataclass(frozen=True)
class Problem:
    """One reason of a failure, or one warning.

    kind: "error", "unsupported", "bug", "out of memory" or "warning".
    node, op: the first ONNX node and its operator; empty if the problem is not about a node.
    notes: details that the command line prints below the message.
    nodes: all nodes of the operator that have the problem; empty if the problem is not about a node.
    """

    message: str
    kind: str = "error"
    node: str = ""
    op: str = ""
    notes: Tuple[str, ...] = field(default=())
    nodes: Tuple[str, ...] = field(default=())

    @property
    def count(self) -> int:
        """The number of nodes that have the problem."""
        return len(self.nodes)

    @property
    def remedy(self) -> str:
        """The last clause of the message, which says how to fix the problem; empty if there is one clause."""
        return self.message.rpartition("; ")[2] if "; " in self.message else ""

    def __str__(self) -> str:
        return "\n  note: ".join((self.message,) + self.notes)


class Error(RuntimeError):
    """A failure of Convoy. `problems` lists every reason, `warnings` what is not a reason."""

    problems: List[Problem]
    warnings: List[Problem]

    def __init__(self, message: str = "", problems: Sequence[Problem] = ()):
        problems = list(problems) or [Problem(message)]
        self.problems = [problem for problem in problems if problem.kind != "warning"]
        self.warnings = [problem for problem in problems if problem.kind == "warning"]
        super().__init__(message or "\n".join(str(problem) for problem in self.problems))

    # KeyError, a base of NameProblem, prints the representation of its argument.
    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class UnsupportedError(Error, NotImplementedError):
    """Every reason is something that Convoy does not support yet."""


class InternalError(Error):
    """Convoy has a bug. Please report it with the message and the model."""


class OutOfMemoryError(Error, MemoryError):
    """The machine lacks memory."""


class ArgumentValueError(Error, ValueError):
    """An argument has a wrong value, such as an array of a wrong shape."""


class ArgumentTypeError(Error, TypeError):
    """An argument has a wrong type, such as an array of a wrong element type."""


class ArgumentNameError(Error, KeyError):
    """A name is unknown or missing, such as the name of an input."""


_ARGUMENT_ERRORS = {"type": ArgumentTypeError, "name": ArgumentNameError, "value": ArgumentValueError}


def argument_error(reasons):
    """Returns the exception for a list of (kind, message). The first reason decides the class."""
    return _ARGUMENT_ERRORS[reasons[0][0]](problems=[Problem(message) for _, message in reasons])


def problem(kind, text, node, op, notes, nodes=()):
    """Returns a problem of the compiler."""
    return Problem(text, kind, node, op, tuple(notes), tuple(nodes))


def compile_error(problems):
    """Returns the exception for a list of (kind, text, node, op, notes, nodes). A bug decides the class, then missing
    memory; the class is UnsupportedError if every reason is unsupported."""
    listed = [problem(*entry) for entry in problems]
    kinds = {entry.kind for entry in listed} - {"warning"}
    if "bug" in kinds:
        return InternalError(problems=listed)
    if "out of memory" in kinds:
        return OutOfMemoryError(problems=listed)
    return (UnsupportedError if kinds == {"unsupported"} else Error)(problems=listed)
