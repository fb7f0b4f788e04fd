# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model that convoy.compile returns."""

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Union

from convoy_runtime import ArgumentValueError, Model, Problem
from convoy_runtime._runtime import Runner

from . import _compiler
from ._keywords import accepts_old_keywords, problem
from ._request import _mapping, _size, _text
from ._values import feed_values, from_value, to_values


class CompiledModel(Model):
    """A model that `compile` returned. It runs in this process; `save` writes it as a library.

    warnings: what the compiler reported without failing.
    """

    def __init__(self, request, program):
        Runner.__init__(self, program.table())
        self._request = request
        self._program = program
        self.warnings: List[Problem] = [problem(*entry) for entry in program.warnings]

    @property
    def summary(self) -> Dict[str, Any]:
        """Facts of the compile: target, hash, threads, kernels, as `convoy run --json` prints under "built"."""
        return json.loads(self._program.summary)

    @accepts_old_keywords("save")
    def save(self, folder: Union[str, "os.PathLike[str]"], *, name: Optional[str] = None, weights: str = "linked",
             emit: str = "library", loops: str = "auto", io: str = "caller", max_ram: Optional[Union[int, str]] = None,
             max_flash: Optional[Union[int, str]] = None, with_test: bool = False, input: Optional[Mapping[str, Any]] = None) -> str:
        """Writes <name>.so and <name>.h to a folder and returns the path of the library.

        Compiles the model again with the same arguments. `name` is the prefix of the C functions
        (default: the name of the model). weights="file" writes the weights to <name>.weights.
        emit="c" writes C source instead of a library and returns the path of the source;
        emit="program" writes the program of a device in the device's own format.

        loops: of C source, "vectors" of GCC and Clang, "plain" loops, or "auto" as the target asks. io: of
            C source, the place of inputs and outputs: buffers of the "caller", the "workspace", or "rows".
        max_ram, max_flash: fail if a microcontroller needs more bytes, for example "64K".
        with_test: of C source, write a test bench with the outputs of the reference. input: its data,
            {name: array}; inputs without an array are random.
        """
        choices = {"weights": (weights, ("linked", "file")), "emit": (emit, ("library", "c", "program")),
                   "loops": (loops, ("auto", "vectors", "plain")), "io": (io, ("caller", "workspace", "rows"))}
        for key, (value, words) in choices.items():
            if value not in words:
                raise ArgumentValueError(f"{key}: expected {' or '.join(map(repr, words))}, got {value!r}")
        if emit != "c" and (with_test or loops != "auto"):
            raise ArgumentValueError(f"{'with_test' if with_test else 'loops'}: expected also emit=\"c\"")
        if input is not None and not with_test:
            raise ArgumentValueError("input: expected also with_test=True, whose data it is")
        values = {"name": _text("name", name), **{key: value for key, (value, _) in choices.items()},
                  "max_ram": 0 if max_ram is None else _size("max_ram", max_ram),
                  "max_flash": 0 if max_flash is None else _size("max_flash", max_flash)}
        inputs = to_values(self._request.kinds, _mapping("input", input)) if with_test else None
        return _compiler.write(self._request, _text("folder", folder, optional=False), values, inputs)

    def report(self) -> str:
        """Returns the HTML report of the schedule of several threads. Compiles the model again."""
        return _compiler.schedule_page(self._request)


class InterpretedModel(CompiledModel):
    """A model without machine code in this process: target "reference", an emulated machine, or a model
    whose values are sequences. Only one thread at a time runs it; other threads wait."""

    def __init__(self, request, program):
        Runner.__init__(self, None)
        self._request = request
        self._program = program
        self.warnings = [problem(*entry) for entry in program.warnings]

    @property
    def name(self):
        return self._program.name

    @property
    def target(self):
        return self._program.target

    @property
    def hash(self):
        return self._program.hash

    @property
    def inputs(self):
        return self._program.inputs

    @property
    def outputs(self):
        return self._program.outputs

    def run(self, feed, out=None):
        """Runs the model. A sequence is a list of arrays, an optional value is None or its content."""
        if out is not None:
            raise ArgumentValueError(f"out: not supported on target '{self.target}', which allocates its outputs; omit it")
        kinds = self._request.kinds
        values = self._program.run(feed_values(kinds, self._program.needed, feed))
        return {name: from_value(value) for name, value in values.items()}


def _loaded(request, progress=None):
    program = _compiler.compile(request, progress)
    return (CompiledModel if program.table() is not None else InterpretedModel)(request, program)
