// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the constants of kernels for byte ops.

#include "Kernels/ByteTemplate.h"
#include "Graph/Constant.h"

using namespace mlir;

namespace convoy::kernels {

std::optional<Tensor> constantOf(const KernelFacts &facts, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return graph::constantValue(argument ? facts.kernel.getInputs()[argument.getArgNumber()] : value);
}

std::string whyNotShifts(const Tensor &shifts) {
  for (int64_t i = 0; i < shifts.size(); ++i) {
    if (shifts.asInt(i) < kLeastByteShift) {
      return "the kernel shifts by " + std::to_string(shifts.asInt(i)) +
             ", the template expects at least " + std::to_string(kLeastByteShift);
    }
  }
  return "";
}

} // namespace convoy::kernels
