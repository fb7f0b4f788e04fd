# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""convoy.compile and the model that it returns."""

import json
import os
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from convoy_runtime import ArgumentValueError, Model, Problem
from convoy_runtime._errors import problem
from convoy_runtime._runtime import Runner

from . import _compiler
from ._request import _text, make_request
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


def compile(model: Union[str, "os.PathLike[str]", bytes, Any], target: str = "host", threads: int = 0,
            records: Optional[Union[str, "os.PathLike[str]"]] = None,
            calibrate: Optional[Union[str, "os.PathLike[str]", Iterable[Mapping[str, Any]]]] = None,
            input_shapes: Optional[Mapping[str, Sequence[int]]] = None, *,
            dims: Optional[Mapping[str, int]] = None, constants: Optional[Mapping[str, Any]] = None,
            cpu: Optional[str] = None, math: str = "fast", integer: bool = True, place: str = "all",
            require_device: bool = False, localise: str = "default", name: Optional[str] = None,
            progress: Optional[Callable[[str, int, int], None]] = None) -> CompiledModel:
    """Compiles a model into this process.

    model: the path of an ONNX file, its bytes, or an onnx.ModelProto.
    target: as `convoy compile --target`: "host", a machine, a device, "c", "reference".
    threads: threads of an inference; 0: one per core of the target.
    records: file of tuning records, by which the compiler chooses kernels.
    calibrate: quantise a float model to 8 bits with samples: a folder, or a list of {name: array}.
    input_shapes: shapes of inputs, {name: shape}, for a model with open dimensions.
    dims: sizes of named dimensions, {"batch": 1}.
    constants: inputs that become constants, {name: array}.
    cpu: the CPU beside a device. math: "fast" or "strict". integer: compute quantised layers in
        integers. place, require_device: which ops run on a device. localise: bands of rows.
    name: the name of the model (default: the name of the file).
    progress: called as progress(step, number, total) when a step begins.

    Raises Error with all reasons in `problems`; ArgumentValueError and ArgumentTypeError, which are
    also ValueError and TypeError, for wrong arguments. Other Python threads run meanwhile. Ctrl-C
    raises KeyboardInterrupt at once; the compiler then ends at the end of its current stage.
    """
    request = make_request(model, target=target, threads=threads, records=records, calibrate=calibrate,
                           input_shapes=input_shapes, dims=dims, constants=constants, cpu=cpu, math=math,
                           integer=integer, place=place, require_device=require_device, localise=localise, name=name)
    return _loaded(request, progress)


def _loaded(request, progress=None):
    program = _compiler.compile(request, progress)
    return (CompiledModel if program.table() is not None else InterpretedModel)(request, program)
