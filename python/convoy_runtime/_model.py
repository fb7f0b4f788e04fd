# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model that runs in this process."""

import os
import shutil
from typing import Optional, Union

from ._errors import Error
from ._runtime import Runner


class Model(Runner):
    """A compiled model. `load` returns it; many threads may call `run` of one model.

    `run` is a function of the base class in C++:

        outputs = model.run({"image": array})
        outputs = model.run({"image": array}, out={"scores": scores})
    """

    def __init__(self, path, hash=None, verify=False):
        super().__init__(os.fsencode(path), hash, verify)
        self._path = os.path.abspath(os.fsdecode(path))

    def save(self, folder: Union[str, "os.PathLike[str]"]) -> str:
        """Copies the library, and its weights if they are in a file, to a folder. Returns the new path of the library."""
        target = os.path.join(os.fspath(folder), os.path.basename(self._path))
        weights = os.path.splitext(self._path)[0] + ".weights"
        try:
            os.makedirs(folder, exist_ok=True)
            shutil.copyfile(self._path, target)
            if os.path.exists(weights):
                shutil.copyfile(weights, os.path.splitext(target)[0] + ".weights")
        except shutil.SameFileError:
            pass  # the library is already there
        except OSError as error:
            raise Error(f"cannot save the model to '{folder}': {error}") from error
        return target

    def __repr__(self) -> str:
        inputs = ", ".join(f"{tensor.name}: {tensor.element_type}{list(tensor.shape or ())}" for tensor in self.inputs)
        return f"<{type(self).__name__} {self.name!r} on {self.target} ({inputs})>"


def load(path: Union[str, "os.PathLike[str]"], *, hash: Optional[str] = None, verify: bool = False) -> Model:
    """Loads a library that `Model.save` or `convoy compile` wrote.

    hash: the `hash` of the model that the program expects; a library of another compilation is refused.
    verify: compare all bytes of the library and of its weights file with the SHA-256 at the end of each file.

    Raises Error if the file is no library of this interface or a check fails. The library stays loaded until
    the model is deleted.
    """
    return Model(path, hash, verify)
