// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows a sum: bias, multiplier, shift, zero point and bounds, as stages of SDP.

#pragma once

#include "Accelerators/ConvCore/ConvCore.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"
#include "mlir/IR/Builders.h"
#include <string>

namespace convoy::nvdla {

/// clamp(round((sum + bias) * multiplier / 2^shift) + zero, low, high), halves away from
/// zero. Lists have one entry, or one per channel. `zero`, `low` and `high` are numbers
/// as they are stored.
struct SumRule {
  std::vector<int64_t> bias = {0};
  std::vector<int64_t> multipliers = {1};
  int64_t shift = 0;
  int64_t zero = 0, low = -128, high = 127;
};

/// The rule of a requantisation; `storedBy` is what is taken off stored elements. A text
/// says why there is none.
std::string makeRule(convcore::RequantAttr requant, int64_t storedBy, SumRule &rule);

/// SDP for sums or for a cube, one op, or two where clamping needs another one.
mlir::Value buildSdp(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
                     const SumRule &rule, mlir::Type result);

/// Whether one stage does all of a rule: a bias of 16 bits and no bounds but relu.
bool isSimple(const SumRule &rule);

/// SDP for source + addend * 2^shift, element by element, by a simple rule.
mlir::Value buildSum(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
                     mlir::Value addend, int64_t shift, const SumRule &rule, mlir::Type result);

/// The same numbers, written anew.
mlir::Value buildCopy(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
                      mlir::Type result);

} // namespace convoy::nvdla
