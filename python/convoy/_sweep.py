# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verb sweep. The result has the keys of `convoy sweep --json`."""

import json
import os
from typing import Any, Dict, Optional, Sequence, Union

from convoy_runtime import ArgumentTypeError

from . import _compiler
from ._keywords import accepts_old_keywords
from ._options import make_request
from ._request import _text

# The arguments of compile that change the part of a model that a device runs, or the prediction of the other part.
_BUILD = frozenset({"cpu", "place", "require_device", "optimize", "integer", "calibrate", "name", "input_shape", "dim", "const",
                    "custom_ops", "preprocess", "resize", "color", "mean", "std", "scale", "crop", "image_layout"})


def _values(name, given):
    """Returns the values of an axis as texts; one value is a list of one."""
    if isinstance(given, (str, int)):
        return [str(given)]
    if not hasattr(given, "__iter__"):
        raise ArgumentTypeError(f"{name}: expected a value or a list of values, got {type(given).__name__}")
    for value in given:
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise ArgumentTypeError(f"{name}: expected numbers or texts, got {type(value).__name__}")
    return [str(value) for value in given]


@accepts_old_keywords("sweep")
def sweep(model: Union[str, "os.PathLike[str]", bytes, Any], target: str, *, pes: Union[int, Sequence[int]] = (),
          memory: Union[int, str, Sequence[Union[int, str]]] = (), parallel: Union[str, Sequence[str]] = (),
          tiling: Union[str, Sequence[str]] = (), depthwise: Union[str, Sequence[str]] = (),
          devices: Union[str, Sequence[str]] = (), report: Optional[Union[str, "os.PathLike[str]"]] = None,
          **build: Any) -> Dict[str, Any]:
    """Simulates a model on each combination of a device's parameters, as `convoy sweep` does.

    target: the device. pes, memory, parallel, tiling, depthwise: values of its parameters, for example pes=[64, 128] and
    memory=["512K", "1M"] (default: the device's own). devices: simulate these devices too, with their own parameters, for
    example "abstract:pes=32". report: draw the results to this HTML file. build: cpu, place, require_device, optimize,
    integer, calibrate, name, input_shape, dim, const, custom_ops and the settings of images of `compile`.

    Returns a dictionary; "points" has the cycles, the times and the place on the Pareto front of each combination.
    """
    unknown = sorted(set(build) - _BUILD)
    if unknown:
        raise ArgumentTypeError(f"sweep() got an unexpected keyword argument '{unknown[0]}'")
    given = {"pes": pes, "memory": memory, "parallel": parallel, "tiling": tiling, "depthwise": depthwise}
    axes = {name: _values(name, values) for name, values in given.items()}
    request = make_request(model, target=_text("target", target, optional=False), **build)
    return json.loads(_compiler.sweep(request, axes, _values("devices", devices), _text("report", report)))
