// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary text to the reader of target descriptions. An accepted description must be the
// same when it is written and read again.

#include "Targets/Target.h"
#include "tests/fuzz/Target.h"

using namespace convoy;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto target = targets::parseTarget(fuzz::textOf(data, size), "fuzz.json");
  if (!fuzz::isAccepted(target)) {
    return 0;
  }
  std::string text = targets::toJson(*target);
  auto again = targets::parseTarget(text, "fuzz.json");
  if (!again) {
    fuzz::reportFinding(
        "the writer's description is refused: " + llvm::toString(again.takeError()) + "\n" + text);
  }
  fuzz::expectEqual(text, targets::toJson(*again), "a target");
  return 0;
}
