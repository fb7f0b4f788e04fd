// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary text to the reader of quantization plans. An accepted plan must be the same when
// it is written and read again.

#include "QuantizePlan/PlanJson.h"
#include "tests/fuzz/Target.h"

using namespace convoy;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto plan = plan::planFromJson(fuzz::textOf(data, size).str(), "fuzz.json");
  if (!fuzz::isAccepted(plan)) {
    return 0;
  }
  std::string text = plan::toJson(*plan);
  auto again = plan::planFromJson(text, "fuzz.json");
  if (!again) {
    fuzz::reportFinding("the writer's plan is refused: " + llvm::toString(again.takeError()) +
                        "\n" + text);
  }
  fuzz::expectEqual(text, plan::toJson(*again), "a plan");
  return 0;
}
