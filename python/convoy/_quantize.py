# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The result of convoy.quantize, and the checks of its arguments. The table of options generates the function with
its keywords (_options.py)."""

import contextlib
import json
import os
import weakref
from typing import Any, Dict, List, Union

from convoy_runtime import ArgumentTypeError, ArgumentValueError, Problem

from . import _compiler
from ._datasets import data_sets
from ._keywords import problem
from ._request import _text

# The arguments of compile that a quantization uses.
_BUILD = frozenset({"target", "cpu", "input_shape", "dim", "const", "custom_ops", "preprocess", "resize", "color", "mean", "std", "scale", "crop",
                    "image_layout"})


class Quantization:
    """A quantized model, which `quantize` returns.

        quantized = convoy.quantize("model.onnx", "photos/", labels="labels.txt", max_drop="1%")
        model = convoy.compile(quantized.model)

    warnings: what the quantizer reported without failing, such as mistakes in the preprocessing.
    """

    def __init__(self, made, files):
        self._made = made
        weakref.finalize(self, files.close)  # the report reads samples
        self.warnings: List[Problem] = [problem(*entry) for entry in made.warnings]

    @property
    def model(self) -> bytes:
        """The ONNX file with QuantizeLinear and DequantizeLinear. `compile` and ONNX Runtime take it."""
        return self._made.model

    @property
    def plan(self) -> Dict[str, Any]:
        """Type and scale of each tensor. `quantize(plan=...)` applies it, also after a change."""
        return json.loads(self._made.plan)

    @property
    def result(self) -> Dict[str, Any]:
        """Accuracy, proof, sizes and times, with the keys of `convoy quantize --json`."""
        return json.loads(self._made.json)

    def report(self) -> str:
        """Returns the HTML report: accuracy, errors, ranges and changed samples."""
        return self._made.page()

    def save(self, path: Union[str, "os.PathLike[str]"]) -> str:
        """Writes the model to a file and its plan beside it, FILE.plan.json. Returns the path of the model."""
        path = _text("path", path, optional=False)
        self._made.save(path)
        return path


def _check(values, calibration):
    """Raises an error for options that have no effect without another option."""
    if values["min_4bit_share"] is not None and values["weight_bits"] != "auto":
        raise ArgumentValueError("min_4bit_share: expected weight_bits=\"auto\", which chooses the width of each layer")
    if values["attempts"] is not None and values["proof"] is False:
        raise ArgumentValueError("attempts: expected proof=True; proof=False proves nothing")
    if values["max_drop"] == 0:
        raise ArgumentValueError("max_drop: expected more than 0%; no number of samples excludes every drop")
    select = 0.1 if values["select_share"] is None else values["select_share"]
    if not 0 < select <= 0.8:
        raise ArgumentValueError("select_share: expected more than 0% and at most 80%, because the rest proves")
    if values["calibrate_share"] is not None and calibration is not None:
        raise ArgumentValueError("calibrate_share: has no effect, because calibration_data has the samples; omit it")
    share = 0.1 if values["calibrate_share"] is None else values["calibrate_share"]
    if not 0 < share <= 0.9 - select:
        raise ArgumentValueError("calibrate_share: expected more than 0% and, with select_share, at most 90%, because the rest proves")


def _plan_text(plan):
    """Returns the JSON of a plan, which is a dictionary or the path of a file."""
    if plan is None:
        return ""
    if isinstance(plan, dict):
        return json.dumps(plan)
    try:
        with open(_text("plan", plan, optional=False), encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise ArgumentValueError(f"plan: {error}") from None


def quantize_model(model, data, labels, samples, calibration_data, plan, allow_unproven, progress, build, values):
    """The body of `convoy.quantize`; `values` are the checked keywords of the table."""
    from ._options import make_request
    unknown = sorted(set(build) - _BUILD)
    if unknown:
        raise ArgumentTypeError(f"quantize() got an unexpected keyword argument '{unknown[0]}'")
    _check(values, calibration_data)
    home = os.path.expanduser("~")
    values["ledger"] = values["ledger"] or os.path.join(home, ".config", "convoy", "proofs.json")
    request = make_request(model, **build)
    if data is None:
        raise ArgumentTypeError("data: expected a path, an array, or a list of dictionaries {name: array}, got NoneType")
    with contextlib.ExitStack() as files:
        sets = files.enter_context(data_sets(request, samples, data=(data, labels)))
        others = files.enter_context(data_sets(request, calibration_data=(calibration_data, None)))
        made = _compiler.quantize(request, values, sets["data"], others["calibration_data"], _plan_text(plan), bool(allow_unproven), progress)
        return Quantization(made, files.pop_all())
