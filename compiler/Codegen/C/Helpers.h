// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the helper functions, macros and types at the start of a C file. Expressions
// request the helpers that they need. Only these are printed, because compilers warn about
// unused functions, in a fixed order, so that equal models give equal text.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>

namespace convoy::codegen {

class Helpers {
public:
  // Each function returns the name of the helper.

  /// The type of a vector of `lanes` scalars.
  std::string vector(llvm::StringRef key, int64_t lanes);
  /// The same type with the alignment of a scalar, for memory accesses.
  std::string vectorInMemory(llvm::StringRef key, int64_t lanes);
  /// A macro that sets every lane to one scalar.
  std::string splat(llvm::StringRef key, int64_t lanes);
  /// A macro (mask, a, b) that selects, lane by lane, a if the mask is set, else b.
  std::string select(llvm::StringRef key, int64_t lanes);
  /// A macro that applies a function of math.h to `count` vectors: fma, sqrt, rint, floor...
  std::string elementwise(llvm::StringRef function, llvm::StringRef key, int64_t lanes, int count);
  /// A function on scalars: min_i32, maximum_f32, bits_f32, from_f16...
  std::string function(llvm::StringRef name, llvm::StringRef key);
  /// A function of a byte op, and all functions that it needs.
  std::string byteFunction(llvm::StringRef name);
  /// Returns whether resize() supports vectors of this length.
  static bool hasResize(int64_t lanes) { return lanes == 4 || lanes == 8 || lanes == 16; }
  /// A macro that converts i8 or u8 to u32, or u32 to u8.
  std::string resize(llvm::StringRef from, int64_t lanes);
  /// The conversion of f16 to f32; supports the same lengths.
  std::string widenHalves(int64_t lanes);
  /// Returns whether laneMemory() supports elements of this type and number.
  static bool hasLaneMemory(llvm::StringRef key, int64_t lanes) {
    return (key == "f32" || key == "u32") && (lanes == 8 || lanes == 16);
  }
  /// A macro that accesses selected elements: gather, load_if, store_if.
  std::string laneMemory(llvm::StringRef name, llvm::StringRef key, int64_t lanes);
  /// A macro (a, symbol, b) that compares vectors of 64-bit lanes by halves.
  std::string compareHalves(llvm::StringRef key, int64_t lanes);
  /// Returns whether a vector has more bytes than a register.
  bool isWide(llvm::StringRef key, int64_t lanes) const;
  /// Sets the bytes of a vector register.
  void setVectorBytes(int64_t bytes) { vectorBytes = bytes > 0 ? bytes : vectorBytes; }
  /// Adds the macros of tile registers.
  void tiles();
  bool hasTiles() const { return usesTiles; }
  /// A macro of a multiply op on vectors of `lanes` unsigned integers: dot_us, dot_words...
  std::string multiply(llvm::StringRef name, llvm::StringRef key, int64_t lanes);

  /// Returns the number of a layer. All parts of one kernel's work have the same number.
  size_t layer(const std::string &key) {
    return layers.try_emplace(key, layers.size()).first->second;
  }

  /// Returns the keys of all layers by number.
  std::vector<std::string> layerKeys() const {
    std::vector<std::string> keys(layers.size());
    for (const auto &[key, number] : layers) {
      keys[number] = key;
    }
    return keys;
  }

  /// Returns the text of all requested helpers.
  std::string text() const;

private:
  /// Stores a helper on its first request. `rank` orders the kinds of helpers, because some
  /// use others.
  void add(int rank, const std::string &name, const std::string &text);

  std::map<std::pair<int, std::string>, std::string> parts;
  std::map<std::string, size_t> layers;
  bool usesTiles = false;
  int64_t vectorBytes = 64;
};

} // namespace convoy::codegen
