// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps after a sum (bias, multiplier, shift, zero point and bounds) as stages of SDP.

#pragma once

#include "Accelerators/NVDLA/Dialect/Nvdla.h"
#include "ConvCore/ConvCore.h"
#include "mlir/IR/Builders.h"
#include <string>

namespace convoy::nvdla {

/// clamp(round((sum + bias) * multiplier / 2^shift) + zero, low, high), rounding half away from
/// zero. Lists have one entry, or one per channel. `zero`, `low` and `high` are values as stored.
struct SumRule {
  std::vector<int64_t> bias = {0};
  std::vector<int64_t> multipliers = {1};
  int64_t shift = 0;
  int64_t zero = 0, low = -128, high = 127;
};

/// Sets `rule` to a requantization; `storedBy` is subtracted from stored elements. Returns an empty
/// string, or the reason why the device does not support the requantization.
std::string makeRule(convcore::RequantAttr requant, int64_t storedBy, SumRule &rule);

/// Builds the SDP op for sums or a cube; adds a second SDP op if clamping needs it.
mlir::Value buildSdp(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
                     const SumRule &rule, mlir::Type result);

/// Returns whether one stage can execute the rule except its bounds: its bias has 16 bits.
bool isSimple(const SumRule &rule);

/// source * factor + addend * 2^shift, element by element.
struct ScaledTerms {
  mlir::Value source;
  int64_t factor;
  mlir::Value addend;
  int64_t shift;
};

/// Builds the SDP op for the sum; adds a second SDP op if clamping needs it. The rule is simple
/// with the factor 1, or it has the zero point 0.
mlir::Value buildSum(mlir::OpBuilder &builder, mlir::Location loc, const ScaledTerms &terms,
                     const SumRule &rule, mlir::Type result);

/// Builds an SDP op that copies the values.
mlir::Value buildCopy(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
                      mlir::Type result);

} // namespace convoy::nvdla
