/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Returns a sentence for every return code: the problem and the remedy.
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
    return "the data selects a branch of an If that cannot be compiled for the pinned shapes; "
           "recompile with the shapes of this data";
  case CONVOY_ERROR_WORKSPACE:
    return "the workspace does not have the alignment that the model's header requires";
  case CONVOY_ERROR_NOT_OPEN:
    return "the model was compiled with --weights=file; call <model>_open before <model>_run";
  case CONVOY_ERROR_WEIGHTS_FILE:
    return "the weights file cannot be mapped; errno contains the reason";
  case CONVOY_ERROR_WRONG_WEIGHTS:
    return "the weights file does not belong to this model; use the file that the same compilation "
           "wrote";
  case CONVOY_ERROR_NO_DEVICE:
    return "a part of the model runs on a device; call <model>_init with the device's functions "
           "first";
  case CONVOY_ERROR_PROGRAM:
    return "the device cannot run this program: it is damaged, or was compiled for a different "
           "device";
  case CONVOY_ERROR_DEVICE:
    return "the device failed: it is out of memory, or an error occurred while it ran";
  case CONVOY_ERROR_EXTENT:
    return "a size that depends on the data exceeds the maximum of its output; the model's "
           "table has the maximum of each output";
  case CONVOY_ERROR_SYMBOL:
    return "the value of a symbol is outside of its range; the model's table has the minimum and "
           "the maximum of each symbol";
  case CONVOY_ERROR_ROW:
    return "a function that provides the rows of an input failed";
  case CONVOY_ERROR_CUSTOM_OP:
    return "the function of a custom op returned an error";
  default:
    return "unknown code: the model is newer than this runtime";
  }
}
