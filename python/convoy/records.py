# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of tuning records: list, merge, export, import, prune and draw them, as `convoy records` does.

    import convoy.records

    convoy.records.merge(["monday.db", "tuesday.db"], into="all.db")
    open("report.html", "w").write(convoy.records.report("all.db"))

The results have the keys of `convoy records VERB --json`. `files` is a path or a list of paths.
"""

import json
import os
from typing import Any, Dict, List, Optional, Sequence, Union

from convoy_runtime import ArgumentValueError

from . import _compiler
from ._request import _duration, _integer, _paths, _text

__all__ = ["export", "import_", "list", "merge", "prune", "report"]

_SECOND, _DAY = 1, 86400


def _files(files):
    """Returns the paths; at least one."""
    paths = _paths("files", files)
    if not paths:
        raise ArgumentValueError("files: expected at least one path, got an empty list")
    return paths


def list(files: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]) -> List[Dict[str, Any]]:  # noqa: A001
    """Returns the tasks, the trials and the fastest configurations of each file."""
    return json.loads(_compiler.list_records(_files(files)))


def merge(files: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]], *,
          into: Union[str, "os.PathLike[str]"]) -> Dict[str, Any]:
    """Adds the records of files to the file `into`, which is created if it does not exist."""
    return json.loads(_compiler.merge_records(_files(files), _text("into", into, optional=False)))


def export(files: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]], *,
           into: Optional[Union[str, "os.PathLike[str]"]] = None) -> str:
    """Returns the records as JSON lines. into: write them also to this file."""
    lines = json.loads(_compiler.export_records(_files(files)))
    if into is not None:
        with open(_text("into", into), "w", encoding="utf-8") as file:
            file.write(lines)
    return lines


def import_(files: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]], *,
            into: Union[str, "os.PathLike[str]"]) -> Dict[str, Any]:
    """Adds the records of files of JSON lines to the file `into`, which is created if it does not exist."""
    return json.loads(_compiler.import_records(_files(files), _text("into", into, optional=False)))


def prune(files: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]], *,
          older_than: Optional[Union[float, str]] = None, stale: bool = False, failed: bool = False, keep: int = 0,
          dry_run: bool = False) -> List[Dict[str, Any]]:
    """Removes records that one of the rules selects.

    older_than: records older than this duration, in days or a text such as "30d". stale: records of outdated versions of
    templates. failed: records of failed trials. keep: all but this number of the fastest records of each task and layout; 0:
    keep all. dry_run: count the records and change no file.
    """
    seconds = 0 if older_than is None else _duration("older_than", older_than, _SECOND, _DAY, False)
    if not (seconds or stale or failed or keep):
        raise ArgumentValueError("prune: expected a rule: older_than, stale, failed or keep")
    return json.loads(_compiler.prune_records(_files(files), float(seconds), bool(stale), bool(failed),
                                              _integer("keep", keep, 0, 1000000), bool(dry_run)))


def report(file: Union[str, "os.PathLike[str]"]) -> str:
    """Returns the HTML report of the searches in a file."""
    return json.loads(_compiler.draw_records(_text("file", file, optional=False)))
