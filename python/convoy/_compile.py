# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model that convoy.compile returns."""

import json
import os
from typing import Any, Dict, List, Optional, Union

from convoy_runtime import ArgumentValueError, Model, Problem
from convoy_runtime._errors import problem
from convoy_runtime._runtime import Runner

from . import _compiler
from ._request import _text
from ._values import feed_values, from_value


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

    def save(self, folder: Union[str, "os.PathLike[str]"], *, name: Optional[str] = None, weights: str = "linked",
             emit: str = "library") -> str:
        """Writes <name>.so and <name>.h to a folder and returns the path of the library.

        Compiles the model again with the same arguments. `name` is the prefix of the C functions
        (default: the name of the model). weights="file" writes the weights to <name>.weights.
        emit="c" writes C source instead of a library and returns the path of the source.
        """
        for key, value, choices in (("weights", weights, ("linked", "file")), ("emit", emit, ("library", "c"))):
            if value not in choices:
                raise ArgumentValueError(f"{key}: expected {' or '.join(map(repr, choices))}, got {value!r}")
        return _compiler.write(self._request, _text("folder", folder, optional=False), _text("name", name),
                               weights == "file", emit == "c")


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
