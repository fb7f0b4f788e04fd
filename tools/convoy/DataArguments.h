// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags of a data set, which run, check, bench and quantize share. The flags about images are
// flags of BuildArguments.h.

#pragma once

#include "CommandLine.h"

namespace convoy::tool {

/// The differences between verbs in the flags of a data set. A null help: the verb lacks the flag.
struct DataForm {
  bool isRequired = false;
  const char *data = "Read samples from a folder of images, .npy or .pb files, from a .npy file "
                     "whose first dimension counts the samples, or from a .json file that "
                     "describes a data set (default: none).";
  const char *labels =
      "Read the class of each sample from FILE: a .npy or .u8 file of integers, or "
      "text with LABEL or NAME LABEL per line; needs --data (default: none).";
  const char *samples = "Use at most N samples of --data, spread evenly by the hash of their "
                        "content (default: all).";
};

/// Adds --data, --labels and --samples. A verb that calls it adds "--data" to
/// BuildForm::imageReaders.
void addDataFlags(CommandLine &line, CLI::App &verb, io::DatasetFlags &flags,
                  const DataForm &form = {});

} // namespace convoy::tool
