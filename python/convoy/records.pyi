import os
from typing import Any, Dict, List, Optional, Sequence, Union

def list(files: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]]) -> List[Dict[str, Any]]: ...
def merge(
    files: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]], *, into: Union[str, os.PathLike[str]]
) -> Dict[str, Any]: ...
def export(
    files: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]], *, into: Optional[Union[str, os.PathLike[str]]] = None
) -> str: ...
def import_(
    files: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]], *, into: Union[str, os.PathLike[str]]
) -> Dict[str, Any]: ...
def prune(
    files: Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]],
    *,
    older_than: Optional[Union[float, str]] = None,
    stale: bool = False,
    failed: bool = False,
    keep: int = 0,
    dry_run: bool = False,
) -> List[Dict[str, Any]]: ...
def report(file: Union[str, os.PathLike[str]]) -> str: ...
