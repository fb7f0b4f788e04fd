// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the C exit, filled once by the driver.

#pragma once

#include "Targets/Target.h"
#include <cstdint>
#include <string>

namespace convoy::codegen {

/// How inner loops are written.
enum class Flavour {
  Vectors, ///< Types and operators of the vector extension of gcc and clang.
  Plain,   ///< Loops over lanes, for compilers that vectorize such loops.
};

struct SourceOptions {
  /// Prefix of every symbol and stem of every file: a C identifier.
  std::string model = "model";
  targets::Target target;
  Flavour flavour = Flavour::Vectors;
  /// Weights of more bytes than this stand in a file of their own, not in C text.
  int64_t weightsTextBytes = int64_t(1) << 20;
};

} // namespace convoy::codegen
