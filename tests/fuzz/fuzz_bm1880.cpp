// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary text to the reader of BM1880 instructions and runs the accepted instructions on
// the simulated machine with little memory.

#include "Accelerators/BM1880/Machine.h"
#include "Accelerators/BM1880/Text.h"
#include "tests/fuzz/Target.h"

using namespace convoy;

constexpr size_t kMemoryBytes = 1 << 12;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto instructions = bm1880::readText(fuzz::textOf(data, size));
  if (!fuzz::isAccepted(instructions)) {
    return 0;
  }
  std::string text = bm1880::writeText(*instructions);
  auto again = bm1880::readText(text);
  if (!again) {
    fuzz::reportFinding("the writer's text is refused: " + llvm::toString(again.takeError()));
  }
  fuzz::expectEqual(text, bm1880::writeText(*again), "an instruction");
  std::vector<uint8_t> weights(kMemoryBytes), neurons(kMemoryBytes);
  bm1880::Machine machine(weights, neurons);
  for (const bm1880::Instruction &instruction : *instructions) {
    if (llvm::Error error = machine.execute(instruction)) {
      fuzz::expectText(std::move(error));
      break;
    }
  }
  return 0;
}
