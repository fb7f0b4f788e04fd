// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small functions, macros and types that stand before the kernels in a C file.
// Expressions name what they need; only that is printed, since compilers warn of
// unused functions, and in a fixed order, so that equal models give equal text.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>

namespace convoy::codegen {

class Helpers {
public:
  // Each returns the name to use.

  /// The type of `lanes` scalars.
  std::string vector(llvm::StringRef key, int64_t lanes);
  /// The same where memory is only aligned to a scalar.
  std::string vectorInMemory(llvm::StringRef key, int64_t lanes);
  /// A macro that gives every lane one scalar.
  std::string splat(llvm::StringRef key, int64_t lanes);
  /// A macro (mask, a, b): lane by lane a where the mask is set, else b.
  std::string select(llvm::StringRef key, int64_t lanes);
  /// A macro of `count` vectors for a function of math.h: fma, sqrt, rint, floor...
  std::string elementwise(llvm::StringRef function, llvm::StringRef key, int64_t lanes, int count);
  /// A function on scalars: min_i32, maximum_f32, bits_f32, from_f16...
  std::string function(llvm::StringRef name, llvm::StringRef key);

  /// The number of a layer: counted up, the same for all parts of one kernel's work.
  size_t layer(const std::string &key) {
    return layers.try_emplace(key, layers.size()).first->second;
  }

  /// Everything that was asked for.
  std::string text() const;

private:
  /// Keeps what is asked for first once; `rank` orders kinds, which build upon each
  /// other.
  void add(int rank, const std::string &name, const std::string &text);

  std::map<std::pair<int, std::string>, std::string> parts;
  std::map<std::string, size_t> layers;
};

} // namespace convoy::codegen
