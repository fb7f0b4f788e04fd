// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights and operands in the order in which units read them, and the one region of
// memory that holds them: equal bytes once, no gaps beyond alignment.

#pragma once

#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "Support/Tensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>

namespace convoy::nvdla {

/// The constants of a program.
class ConstantRegion {
public:
  /// Where the bytes lie, there already or from now on.
  uint32_t add(std::vector<uint8_t> bytes, uint32_t alignment);
  const std::vector<uint8_t> &bytes() const { return all; }

private:
  std::vector<uint8_t> all;
  std::map<std::vector<uint8_t>, uint32_t> known;
};

/// Element of kernel k, channel c of memory, row and column; bits of the precision.
using WeightAt = llvm::function_ref<uint16_t(int64_t k, int64_t c, int64_t row, int64_t column)>;

/// Groups of kernels, blocks of channels, rows, columns, kernels, channels.
std::vector<uint8_t> packWeights(const ConvShape &shape, const ConvPart &part,
                                 const HardwareConfig &config, WeightAt weightAt);

/// The same for weights O x I / groups x H x W.
std::vector<uint8_t> packWeights(const ConvShape &shape, const ConvPart &part,
                                 const HardwareConfig &config, const Tensor &weight);

} // namespace convoy::nvdla
