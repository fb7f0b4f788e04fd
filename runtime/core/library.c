/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Manages the state of a compiled library. Error texts are formatted when the error occurs
 * and stored in the library, so reading them neither allocates nor locks.
 */

#include "library.h"

#include "convoy/convoy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void explain_cpu(convoy_library *library) {
  char missing[512];
  size_t length = convoy_missing_features(library->features, missing, sizeof(missing));
  (void)snprintf(library->text, sizeof(library->text),
                 "model '%s' was compiled for target '%s', and this CPU lacks %s%s; recompile it "
                 "here with --target=host, or for an older CPU (see `convoy targets`)",
                 library->model, library->target, missing,
                 length < sizeof(missing) ? "" : " and more");
}

void convoy_library_start(convoy_library *library) {
  int code = convoy_check_cpu(library->features);
  if (code == CONVOY_ERROR_UNSUPPORTED_CPU) {
    explain_cpu(library);
  } else if (library->weights != NULL) {
    code = CONVOY_ERROR_NOT_OPEN;
  }
  *library->status = code;
}

int convoy_library_open(convoy_library *library, const char *path) {
  const void *weights = NULL;
  int code;
  if (*library->status != CONVOY_ERROR_NOT_OPEN) {
    return *library->status; /* already open, or this CPU cannot run the model */
  }
  code = convoy_map_weights(path, library->weights_bytes, library->weights_hash, &weights);
  if (code == CONVOY_OK) {
    *library->weights = weights;
    *library->status = CONVOY_OK;
  } else if (code == CONVOY_ERROR_WEIGHTS_FILE) {
    int reason = errno;
    (void)snprintf(library->text, sizeof(library->text),
                   "model '%s': weights file '%s' cannot be mapped: %s", library->model, path,
                   strerror(reason));
    errno = reason;
  } else if (code == CONVOY_ERROR_WRONG_WEIGHTS) {
    (void)snprintf(library->text, sizeof(library->text),
                   "model '%s': weights file '%s' does not belong to it (expected %zu "
                   "bytes, hash %s); use the file that the same compilation wrote",
                   library->model, path, library->weights_bytes, library->weights_hash);
  }
  return code;
}

void convoy_library_close(convoy_library *library) {
  if (library->weights != NULL && *library->weights != NULL) {
    *library->status = CONVOY_ERROR_NOT_OPEN;
    convoy_unmap_weights(*library->weights, library->weights_bytes);
    *library->weights = NULL;
  }
}

const char *convoy_library_error_text(const convoy_library *library, int code) {
  int has_more = code == CONVOY_ERROR_UNSUPPORTED_CPU || code == CONVOY_ERROR_WEIGHTS_FILE ||
                 code == CONVOY_ERROR_WRONG_WEIGHTS;
  return has_more && library->text[0] != '\0' ? library->text : convoy_error_text(code);
}
