// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags of a data set: --data, --labels, --samples.

#include "DataArguments.h"

namespace convoy::tool {

void addDataFlags(CommandLine &line, CLI::App &verb, io::DatasetFlags &flags,
                  const DataForm &form) {
  Flags everyday = line.everyday(verb);
  CLI::Option *data = everyday.text("--data", flags.data, "DATA", form.data);
  data->required(form.isRequired);
  if (form.labels) {
    everyday.text("--labels", flags.labels, "FILE", form.labels);
  }
  if (form.samples) {
    everyday.count("--samples", flags.samples, {1, INT64_MAX}, form.samples);
  }
}

} // namespace convoy::tool
