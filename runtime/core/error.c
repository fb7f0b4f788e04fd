/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A sentence for every return code: what is wrong and what to do.
 */

#include "convoy/convoy.h"

const char *convoy_error_text(int code) {
  switch (code) {
  case CONVOY_OK:
    return "done";
  case CONVOY_ERROR_NULL_POINTER:
    return "a pointer in inputs or outputs, or the workspace, is null";
  case CONVOY_ERROR_UNSUPPORTED_CPU:
    return "this CPU lacks instructions that the model was compiled for; recompile it for this "
           "machine with --target=host, or for an older one (see `convoy targets`)";
  case CONVOY_ERROR_FAILED_BRANCH:
    return "the data led into a branch of an If that could not be compiled for the pinned shapes; "
           "recompile with the shapes of this data";
  case CONVOY_ERROR_WORKSPACE:
    return "the workspace is not aligned as the model's header says";
  case CONVOY_ERROR_NOT_OPEN:
    return "the model was compiled with --weights=file: open its weights before it runs";
  case CONVOY_ERROR_WEIGHTS_FILE:
    return "the weights file cannot be mapped; errno says why";
  case CONVOY_ERROR_WRONG_WEIGHTS:
    return "the weights file is not the one that was written with this model; use the file of the "
           "same compile";
  case CONVOY_ERROR_NO_DEVICE:
    return "a part of the model runs on a device: give its functions to <model>_init first";
  case CONVOY_ERROR_PROGRAM:
    return "the device cannot run this program: it is damaged, or was compiled for another device";
  case CONVOY_ERROR_DEVICE:
    return "the device failed: it is out of memory, or met an error while it ran";
  default:
    return "unknown code: the model is newer than this runtime";
  }
}
