# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verbs check, explain, bench and inspect. The results have the keys of `convoy VERB --json`."""

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from convoy_runtime import ArgumentValueError

from . import _compiler
from ._measure import measure_program
from ._options import make_request
from ._request import _integer, _mapping, _text, model_source
from ._values import to_values


def _texts(name, value):
    """Returns a list of texts; a single text is a list of one."""
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(value)]
    return [_text(name, entry, optional=False) for entry in value]


def _case_folders(folder):
    """Returns the folders with a case: the folder itself, or its subfolders."""
    if not os.path.exists(os.path.join(folder, "output_0.pb")) and os.path.isdir(folder):
        inside = [entry.path for entry in os.scandir(folder) if os.path.exists(os.path.join(entry.path, "output_0.pb"))]
        return sorted(inside) or [folder]
    return [folder]


def check(model: Union[str, "os.PathLike[str]", bytes, Any], targets: Union[str, Sequence[str]] = ("host",), *,
          inputs: Optional[Mapping[str, Any]] = None, goldens: Union[str, Sequence[str]] = (), exact: bool = False,
          layers: bool = False, **build: Any) -> Dict[str, Any]:
    """Compares the outputs of targets with golden data or with the reference.

    inputs: {name: array}; inputs without an array are random. goldens: folders of input_N.pb and
    output_N.pb. exact: require equal bytes. layers: also compare integer layers with ONNX's
    arithmetic. build: other arguments of `compile`.

    Returns a dictionary; "passed" says whether all outputs agree, "outputs" has one entry per output,
    "first_wrong" names the first wrong op and pass. Raises Error if a target cannot run the model.
    """
    targets = _texts("targets", targets)
    if not targets:
        raise ArgumentValueError("targets: expected at least one target, got an empty list")
    request = make_request(model, target=targets[0], **build)
    values = to_values(request.kinds or {}, _mapping("inputs", inputs))
    folders = [case for folder in _texts("goldens", goldens) for case in _case_folders(folder)]
    return json.loads(_compiler.check(request, targets, values, folders, bool(exact), bool(layers)))


def explain(model: Union[str, "os.PathLike[str]", bytes, Any], target: str = "host", **build: Any) -> Dict[str, Any]:
    """Lists the kernels of a model with their predicted times, and why a kernel has no template.

    With a device as target, lists where each node runs and why a node stays on the CPU. build: other
    arguments of `compile`.
    """
    return json.loads(_compiler.explain(make_request(model, target=target, **build)))


def bench(model: Union[str, "os.PathLike[str]", bytes, Any], threads: Union[int, Sequence[int]] = 1, *,
          samples: int = 30, layers: bool = False, hot: bool = False, **build: Any) -> List[Dict[str, Any]]:
    """Measures a model in separate processes, as `convoy bench` does. Returns one row per number of threads.

    samples: measurements per row. layers: measure each kernel, with one row per kernel. hot: with layers, repeat each kernel
    on the same data. build: other arguments of `compile`.
    """
    counts = list(threads) if hasattr(threads, "__iter__") else [threads]
    requests = [make_request(model, threads=_integer("threads", count, 0), **build) for count in counts]
    if not requests:
        raise ArgumentValueError("threads: expected at least one number, got an empty list")
    return json.loads(_compiler.bench(requests, _integer("samples", samples, 1), bool(layers), bool(hot),
                                      measure_program()))


def inspect(model: Union[str, "os.PathLike[str]", bytes, Any], *,
            input_shapes: Optional[Mapping[str, Sequence[int]]] = None,
            dims: Optional[Mapping[str, int]] = None) -> Dict[str, Any]:
    """Describes a model file: inputs, outputs, parameters, nodes by operator. Also describes a compiled
    library, whose table it reads, and a device's file, such as a loadable."""
    path, _ = model_source(model)
    return json.loads(_compiler.inspect(make_request(model, input_shapes=input_shapes, dims=dims), path))
