# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""convoy.tune: the search for faster kernels, as an iterator over its progress."""

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Optional, Union

from . import _compiler
from ._measure import measure_program
from ._request import _integer, _text, make_request


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


def tune(model: Union[str, "os.PathLike[str]", bytes, Any], records: Union[str, "os.PathLike[str]"], *, trials: int = 0,
         seconds: float = 0, target_ms: float = 0, seed: int = 0, timeout_ms: float = 10000, wait_seconds: float = 60,
         batch: int = 8, searcher: str = "mixed", threads: int = 1, **build: Any) -> Tuning:
    """Measures configurations of the model's kernels on this machine and adds them to a file of records.

    records: the file; `compile(model, records=...)` uses it. trials, seconds: the budget; 0: no limit.
    target_ms: stop at this estimated time of an inference. seed: of the search. timeout_ms: of one
    configuration. wait_seconds: for an idle core, in total. build: other arguments of `compile`.

    Returns an iterator over TuneProgress whose last step sets `result`; `yield from` returns the same.
    Ctrl-C raises KeyboardInterrupt and ends the search; its records stay.
    """
    request = make_request(model, threads=threads, **build)
    return Tuning(_compiler.Search(
        request, _text("records", records, optional=False), measure_program(), _integer("trials", trials, 0),
        float(seconds), float(target_ms), _integer("seed", seed, 0), float(timeout_ms), float(wait_seconds),
        _integer("batch", batch, 1), _text("searcher", searcher, optional=False)))
