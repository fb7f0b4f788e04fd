// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary text to the readers of descriptions of data sets and of measured kernel times.

#include "io/DatasetParts.h"
#include "io/KernelTimes.h"
#include "tests/fuzz/Target.h"

using namespace convoy;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string path = fuzz::writeInput(fuzz::textOf(data, size), "data.json");
  io::DatasetFlags flags;
  fuzz::expectText(io::applyDatasetJson(path, flags));
  auto times = io::readKernelTimes(path);
  fuzz::isAccepted(times);
  return 0;
}
