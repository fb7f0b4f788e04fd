# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verbs check, explain, bench, run and inspect. The results have the keys of `convoy VERB --json`."""

import json
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from convoy_runtime import ArgumentTypeError, ArgumentValueError

from . import _compiler
from ._datasets import data_sets
from ._keywords import accepts_old_keywords
from ._measure import measure_program, onnxruntime_library
from ._options import make_request
from ._request import _integer, _mapping, _text, _word, model_source
from ._values import to_values

# The reference interprets the model, so that a default of all samples would take hours.
_CHECKED_SAMPLES = 10


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


@accepts_old_keywords("check")
def check(model: Union[str, "os.PathLike[str]", bytes, Any], target: Union[str, Sequence[str]] = ("host",), *,
          input: Optional[Mapping[str, Any]] = None, golden: Union[str, Sequence[str]] = (), data: Optional[Any] = None,
          samples: int = 0, exact: bool = False, layer_errors: bool = False, **build: Any) -> Dict[str, Any]:
    """Compares the outputs of targets with golden data or with the reference.

    target: a target, or several. input: {name: array}; inputs without an array are random. golden: folders of
    input_N.pb and output_N.pb. data: a data set, as `quantize` takes it. samples: of a data set, at most this many
    (default: 10). exact: require equal bytes. layer_errors: also compare integer layers with ONNX's arithmetic. build:
    other arguments of `compile`.

    Returns a dictionary; "passed" says whether all outputs agree, "outputs" has one entry per output,
    "first_wrong" names the first wrong op and pass. Raises Error if a target cannot run the model.
    """
    targets = _texts("target", target)
    if not targets:
        raise ArgumentValueError("target: expected at least one target, got an empty list")
    folders = [case for folder in _texts("golden", golden) for case in _case_folders(folder)]
    if data is not None and (input or folders):
        raise ArgumentValueError("data: expected neither input nor golden beside it")
    request = make_request(model, target=targets[0], **build)
    values = to_values(request.kinds or {}, _mapping("input", input))
    if data is not None and not samples and not isinstance(data, list):
        samples = _CHECKED_SAMPLES
    with data_sets(request, samples, data=(data, None)) as sets:
        return json.loads(_compiler.check(request, targets, values, folders, sets["data"], bool(exact), bool(layer_errors)))


@accepts_old_keywords("explain")
def explain(model: Union[str, "os.PathLike[str]", bytes, Any], target: str = "host", **build: Any) -> Dict[str, Any]:
    """Lists the kernels of a model with their predicted times, and why a kernel has no template.

    With a device as target, lists where each node runs and why a node stays on the CPU. build: other
    arguments of `compile`.
    """
    return json.loads(_compiler.explain(make_request(model, target=target, **build)))


def _baseline(model, baseline, baseline_library):
    """Returns the library of ONNX Runtime for a comparison; "" without one."""
    if baseline is None:
        if baseline_library is not None:
            raise ArgumentValueError("baseline_library: expected also baseline=\"onnxruntime\"")
        return ""
    _word("baseline", baseline, ("onnxruntime",))
    if not isinstance(model, (str, os.PathLike)):
        raise ArgumentTypeError("baseline: expected a path as model, which ONNX Runtime reads")
    library = _text("baseline_library", baseline_library) or onnxruntime_library()
    if not library:
        raise ArgumentValueError("baseline: ONNX Runtime was not found in build/peers; install it with scripts/install-deps.sh --bench, "
                                 "or pass baseline_library=\"libonnxruntime.so.1\"")
    return library


@accepts_old_keywords("bench")
def bench(model: Union[str, "os.PathLike[str]", bytes, Any], threads: Union[int, Sequence[int]] = 1, *,
          repetitions: int = 30, layers: bool = False, hot: bool = False, input: Optional[Mapping[str, Any]] = None,
          data: Optional[Any] = None, streams: int = 0, baseline: Optional[str] = None,
          baseline_library: Optional[Union[str, "os.PathLike[str]"]] = None,
          trace: Optional[Union[str, "os.PathLike[str]"]] = None,
          report: Optional[Union[str, "os.PathLike[str]"]] = None, output: Optional[Union[str, "os.PathLike[str]"]] = None,
          **build: Any) -> List[Dict[str, Any]]:
    """Measures a model in separate processes, as `convoy bench` does. Returns one row per number of threads.

    repetitions: measurements per row. layers: measure each kernel, with one row per kernel. hot: with layers, repeat each kernel
    on the same data. input: {name: array}; inputs without an array are random. data: a data set, whose first sample is the
    input. streams: also measure the throughput of this many threads that run the model at the same time. baseline:
    "onnxruntime", measured alternately with the model. baseline_library: its library (default: the library in build/peers). trace:
    write the kernels and waits of each core to this file, for ui.perfetto.dev. report: draw the layers and the arena of a
    microcontroller's program to this HTML file. output: keep the compiled libraries in this folder. build: other arguments
    of `compile`.
    """
    counts = list(threads) if hasattr(threads, "__iter__") else [threads]
    requests = [make_request(model, threads=_integer("threads", count, 0), **build) for count in counts]
    if not requests:
        raise ArgumentValueError("threads: expected at least one number, got an empty list")
    library = _baseline(model, baseline, baseline_library)
    values = {"threads": [max(1, count) for count in counts], "samples": _integer("repetitions", repetitions, 1), "layers": bool(layers),
              "hot": bool(hot), "streams": _integer("streams", streams, 0, 1024), "has_peer": baseline is not None,
              "peer_library": library, "trace": _text("trace", trace), "report": _text("report", report), "output": _text("output", output)}
    inputs = to_values(requests[0].kinds or {}, _mapping("input", input))
    with data_sets(requests[0], data=(data, None)) as sets:
        return json.loads(_compiler.bench(requests, values, inputs, sets["data"], measure_program()))


@accepts_old_keywords("run")
def run(model: Union[str, "os.PathLike[str]", bytes, Any], data: Union[str, "os.PathLike[str]", Any], *, labels: Optional[Any] = None,
        samples: int = 0, top: int = 5, metric: Optional[str] = None, jobs: int = 0,
        progress: Optional[Callable[[str, int, int], None]] = None, **build: Any) -> Dict[str, Any]:
    """Evaluates a model on a data set, as `convoy run --data` does; `CompiledModel.run` runs one inference.

    data, labels, samples: as `quantize` takes them. top: count also the samples whose label is among this many largest
    scores. metric: a shell command that gets a .npy file of all outputs, and one of the labels, and prints one number.
    jobs: inferences at the same time; 0: one per core. progress: called as progress(step, done, total). build: other
    arguments of `compile`.

    Returns a dictionary: "accuracy" with labels, "answers" with the number of samples per class, "metric".
    """
    request = make_request(model, **build)
    with data_sets(request, samples, data=(data, labels)) as sets:
        if sets["data"] is None:
            raise ArgumentTypeError("data: expected a path, an array, or a list of dictionaries {name: array}, got NoneType")
        return json.loads(_compiler.run_data(request, sets["data"], _integer("top", top, 1, 1000000), _integer("jobs", jobs, 0, 1024),
                                             _text("metric", metric), progress))


@accepts_old_keywords("inspect")
def inspect(model: Union[str, "os.PathLike[str]", bytes, Any], *,
            input_shape: Optional[Mapping[str, Sequence[int]]] = None, dim: Optional[Mapping[str, int]] = None,
            const: Optional[Mapping[str, Any]] = None,
            custom_ops: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]] = ()) -> Dict[str, Any]:
    """Describes a model file: inputs, outputs, parameters, nodes by operator. Also describes a compiled
    library, whose table it reads, and a device's file, such as a loadable."""
    path, _ = model_source(model)
    return json.loads(_compiler.inspect(make_request(model, input_shape=input_shape, dim=dim, const=const, custom_ops=custom_ops), path))
