// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary bytes to the reader of .npy files. An accepted array must be the same when it is
// written and read again.

#include "io/Npy.h"
#include "tests/fuzz/Target.h"

using namespace convoy;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes = fuzz::textOf(data, size);
  llvm::Expected<Tensor> tensor = io::parseNpy(bytes, "fuzz.npy");
  if (!fuzz::isAccepted(tensor)) {
    return 0;
  }
  std::string written = io::encodeNpy(*tensor);
  llvm::Expected<Tensor> again = io::parseNpy(written, "fuzz.npy");
  if (!again) {
    fuzz::reportFinding("the writer's file is refused: " + llvm::toString(again.takeError()));
  }
  if (io::encodeNpy(*again) != written) {
    fuzz::reportFinding("an array differs when it is read again");
  }
  return 0;
}
