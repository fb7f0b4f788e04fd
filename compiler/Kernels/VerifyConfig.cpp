// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a configuration in isolation. The layout stage checks whether a
// configuration fits a kernel.

#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// Limits that keep code generation time bounded. No useful configuration is near them.
constexpr int64_t kMostNumber = 1 << 20;
constexpr int64_t kMostUnrolled = 1 << 14;

struct Number {
  StringRef name;
  int64_t value;
  int64_t least = 1;
};

LogicalResult checkNumbers(EmitError emitError, ArrayRef<Number> numbers) {
  for (const Number &number : numbers) {
    if (number.value < number.least || number.value > kMostNumber) {
      return emitError() << "expects " << number.name << " from " << number.least << " to "
                         << kMostNumber << ", got " << number.value;
    }
  }
  return success();
}

LogicalResult checkCode(EmitError emitError, int64_t products) {
  if (products > kMostUnrolled) {
    return emitError() << "expects at most " << kMostUnrolled << " unrolled products per step, got "
                       << products;
  }
  return success();
}

} // namespace

LogicalResult ConvDirectAttr::verify(EmitError emitError, int64_t block, int64_t vectors,
                                     int64_t pixels, int64_t depth, int64_t unroll, int64_t columns,
                                     int64_t rows, int64_t panels, int64_t fetch,
                                     bool fetchResult) {
  LogicalResult numbers = checkNumbers(emitError, {{"block", block},
                                                   {"vectors", vectors},
                                                   {"pixels", pixels},
                                                   {"depth", depth},
                                                   {"unroll", unroll},
                                                   {"columns", columns, 0},
                                                   {"rows", rows},
                                                   {"panels", panels},
                                                   {"fetch", fetch, 0}});
  if (failed(numbers)) {
    return numbers;
  }
  return checkCode(emitError, vectors * pixels * std::min(unroll, block));
}

LogicalResult ConvDotAttr::verify(EmitError emitError, int64_t block, int64_t vectors,
                                  int64_t pixels, int64_t columns, int64_t rows, int64_t panels) {
  LogicalResult numbers = checkNumbers(emitError, {{"block", block},
                                                   {"vectors", vectors},
                                                   {"pixels", pixels},
                                                   {"columns", columns, 0},
                                                   {"rows", rows},
                                                   {"panels", panels}});
  if (failed(numbers)) {
    return numbers;
  }
  if (block != 4 && block != 8 && block != 16) {
    return emitError() << "expects block to be 4, 8 or 16, got " << block;
  }
  return checkCode(emitError, vectors * pixels * block / 4);
}

LogicalResult ConvTilesAttr::verify(EmitError emitError, int64_t block, int64_t tiles,
                                    int64_t vectors, int64_t rows, int64_t panels) {
  LogicalResult numbers = checkNumbers(
      emitError, {{"tiles", tiles}, {"vectors", vectors}, {"rows", rows}, {"panels", panels}});
  if (failed(numbers)) {
    return numbers;
  }
  if (block != 16) {
    return emitError() << "expects block to be 16, the number of columns of a tile, got " << block;
  }
  constexpr int64_t kTileRegisters = 8;
  if (tiles > kTileRegisters || vectors > kTileRegisters ||
      vectors * (tiles + 1) + 1 > kTileRegisters) {
    return emitError() << "expects the tiles of sums, weights and pixels to fit in "
                       << kTileRegisters << " registers, got " << tiles << " x " << vectors
                       << " tiles of sums";
  }
  return success();
}

LogicalResult DepthwiseAttr::verify(EmitError emitError, int64_t block, int64_t pixels,
                                    int64_t held, int64_t rows) {
  return checkNumbers(emitError,
                      {{"block", block}, {"pixels", pixels}, {"held", held, 0}, {"rows", rows}});
}

LogicalResult ConvPixelsAttr::verify(EmitError emitError, int64_t lanes, int64_t channels,
                                     int64_t rows, int64_t unroll) {
  LogicalResult numbers = checkNumbers(
      emitError, {{"lanes", lanes}, {"channels", channels}, {"rows", rows, 0}, {"unroll", unroll}});
  if (failed(numbers)) {
    return numbers;
  }
  return checkCode(emitError, channels * unroll);
}

LogicalResult PoolPixelsAttr::verify(EmitError emitError, int64_t lanes, int64_t rows) {
  return checkNumbers(emitError, {{"lanes", lanes}, {"rows", rows}});
}

LogicalResult WinogradPixelsAttr::verify(EmitError emitError, int64_t lanes, int64_t tile,
                                         int64_t channels, int64_t rows, int64_t groups,
                                         int64_t unroll) {
  LogicalResult numbers = checkNumbers(emitError, {{"lanes", lanes},
                                                   {"tile", tile},
                                                   {"channels", channels},
                                                   {"rows", rows},
                                                   {"groups", groups},
                                                   {"unroll", unroll}});
  if (failed(numbers)) {
    return numbers;
  }
  if (!llvm::isPowerOf2_64(static_cast<uint64_t>(lanes))) {
    return emitError() << "expects lanes to be a power of two, got " << lanes;
  }
  return checkCode(emitError, channels * unroll);
}

LogicalResult WinogradAttr::verify(EmitError emitError, int64_t block, int64_t tile,
                                   int64_t vectors, int64_t pixels, int64_t groups, int64_t panels,
                                   int64_t depth, int64_t unroll) {
  LogicalResult numbers = checkNumbers(emitError, {{"block", block},
                                                   {"tile", tile},
                                                   {"vectors", vectors},
                                                   {"pixels", pixels},
                                                   {"groups", groups},
                                                   {"panels", panels},
                                                   {"depth", depth},
                                                   {"unroll", unroll}});
  if (failed(numbers)) {
    return numbers;
  }
  if (depth % block != 0) {
    return emitError() << "expects depth to be a multiple of block = " << block << ", got "
                       << depth;
  }
  return checkCode(emitError, vectors * pixels * std::min(unroll, block));
}

} // namespace convoy::kernels
