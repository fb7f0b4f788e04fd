// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary text to the reader of declarations of custom ops.

#include "Import/CustomOps.h"
#include "tests/fuzz/Target.h"

using namespace convoy;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto ops = import::readCustomOps({fuzz::writeInput(fuzz::textOf(data, size), "ops.json")});
  fuzz::isAccepted(ops);
  return 0;
}
