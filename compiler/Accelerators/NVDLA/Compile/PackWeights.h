// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs weights and operands in the order in which units read them, and collects them in one memory
// region. Equal bytes are stored once.

#pragma once

#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "Support/Tensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>

namespace convoy::nvdla {

/// The constants of a program.
class ConstantRegion {
public:
  /// Returns the offset of the bytes; adds them if they are not stored yet.
  uint32_t add(std::vector<uint8_t> bytes, uint32_t alignment);
  const std::vector<uint8_t> &bytes() const { return all; }

private:
  std::vector<uint8_t> all;
  std::map<std::vector<uint8_t>, uint32_t> known;
};

/// Returns the bits of the weight of kernel k, memory channel c, row and column.
using WeightAt = llvm::function_ref<uint16_t(int64_t k, int64_t c, int64_t row, int64_t column)>;

/// Packs by groups of kernels, blocks of channels, rows, columns, kernels, channels.
std::vector<uint8_t> packWeights(const ConvShape &shape, const ConvPart &part,
                                 const HardwareConfig &config, WeightAt weightAt);

/// Packs weights O x I / groups x H x W.
std::vector<uint8_t> packWeights(const ConvShape &shape, const ConvPart &part,
                                 const HardwareConfig &config, const Tensor &weight);

} // namespace convoy::nvdla
