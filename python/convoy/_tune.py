# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search of convoy.tune for faster kernels, as an iterator over its progress."""

import json
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Optional

from . import _compiler
from ._measure import measure_program


@dataclass(frozen=True)
class TuneProgress:
    """The state of a search after a batch of measurements.

    trials: measured configurations, `failed` of them without a valid time. seconds: since the start.
    seconds_left: of the budget; None without a time limit. tasks, tasks_tried: kernels to tune.
    default_ms: one inference with the default configurations. best_ms: the estimate with the best
    configurations so far. task: the kernel of the last batch.
    """

    trials: int
    failed: int
    seconds: float
    seconds_left: Optional[float]
    tasks: int
    tasks_tried: int
    default_ms: float
    best_ms: float
    task: str


class Tuning:
    """A search in progress. Iterate over it for its progress; `result` is set after the last step.

        for step in convoy.tune("model.onnx", records="tune.db", trials=200):
            print(step.trials, step.best_ms)

    The loop may end early: `cancel` ends the search after the current batch and keeps its records.
    """

    def __init__(self, search):
        self._search = search
        self._result: Optional[Dict[str, Any]] = None

    @property
    def result(self) -> Optional[Dict[str, Any]]:
        """The result, with the keys of `convoy tune --json`; None while the search runs."""
        return self._result

    def __iter__(self) -> Iterator[TuneProgress]:
        return self

    def __next__(self) -> TuneProgress:
        step = self._search.next()
        if step is not None:
            return TuneProgress(*step)
        if self._result is None:
            self._result = json.loads(self._search.result())
        raise StopIteration(self._result)

    def run(self) -> Dict[str, Any]:
        """Waits for the end of the search and returns the result."""
        for _ in self:
            pass
        return self._result

    def cancel(self) -> None:
        """Ends the search after the current batch. Iteration continues to its end."""
        self._search.cancel()


def start_tuning(request, records, values):
    """Starts the search of `convoy.tune`, which the table of options generates with its keywords (_options.py)."""
    return Tuning(_compiler.Search(request, records, measure_program(), values))
