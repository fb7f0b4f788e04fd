# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The profile of an InferenceSession: when the session was created and when its runs began and ended."""

import json
import os
import threading
import time

from . import _compiler
from ._measure import measure_program
from ._values import to_values


class Profile:
    """Collects events. Every thread of the program is one row of the trace."""

    def __init__(self, prefix):
        self._prefix = prefix
        self._lock = threading.Lock()
        self._rows = {}  # events by thread
        self._last = None  # the model and the feed of the last run
        self.start_ns = time.perf_counter_ns()

    def add(self, name, begin_ns, model=None, feed=None):
        """Adds an event that ends now. The last feed of a model is the data of the kernels' times."""
        event = (name, begin_ns - self.start_ns, time.perf_counter_ns() - self.start_ns)
        with self._lock:
            self._rows.setdefault(threading.current_thread().name, []).append(event)
            self._last = (model, feed) if model is not None else self._last

    def _path(self):
        """Returns the path of a file that does not exist."""
        stem = f"{self._prefix}_{time.strftime('%Y-%m-%d_%H-%M-%S')}"
        path, number = f"{stem}.json", 1
        while os.path.exists(path):
            path, number = f"{stem}_{number}.json", number + 1
        return path

    def write(self):
        """Writes the trace and returns its path. Runs the last model again, with probes in its kernels."""
        path = self._path()
        rows = list(self._rows.items())
        request = getattr(self._last[0], "_request", None) if self._last else None
        if request is None:  # no run, or a library, whose kernels have no probes
            _compiler.write_trace(path, rows)
        else:
            values = to_values(request.kinds, dict(self._last[1].items()))
            _compiler.trace(request, values, path, measure_program(), rows)
        _write_as_list(path)
        return path


def _write_as_list(path):
    """Leaves only the list of events in a trace, because programs for ONNX Runtime read a list whose events all have the
    keys "cat", "ts" and "dur"."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    with open(path, "w", encoding="utf-8") as file:
        json.dump([{"cat": "__metadata", "ts": 0, "dur": 0, **event} for event in events], file)
