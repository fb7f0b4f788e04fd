// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the C backend. The driver sets them.

#pragma once

#include "Targets/Target.h"
#include <cstdint>
#include <string>
#include <vector>

namespace convoy::codegen {

/// The form of inner loops.
enum class Flavor {
  Vectors, ///< Types and operators of the vector extension of gcc and clang.
  Plain,   ///< Loops over lanes, for compilers that vectorize these loops.
};

struct SourceOptions {
  /// The prefix of every symbol and the stem of every file: a C identifier.
  std::string model = "model";
  targets::Target target;
  Flavor flavor = Flavor::Vectors;
  /// Weights above this size are in a separate file instead of C text.
  int64_t weightsTextBytes = int64_t(1) << 20;
  /// The C files of custom ops, which are copied to the folder of the model as
  /// <model>_custom_<file>.
  std::vector<std::string> customSources = {};
};

} // namespace convoy::codegen
