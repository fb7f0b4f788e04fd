// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits 8-bit images in blocks of four channels from planar operands. 32-bit lanes run along
// pixels, and each lane takes one byte from each plane. With lanes along the channels of a block,
// only four lanes would be used:
//
//     r r r r ...      g g g g ...      b b b b ...      ->      rgb0 rgb0 rgb0 rgb0 ...

#include "Graph/Layout.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::kernels {

/// Bytes per lane.
static constexpr int64_t kBlock = 4;

/// Emits nothing and returns false if the result is not an 8-bit image in blocks of four channels,
/// or if the caller wants another form.
bool KernelEmitter::emitInterleaved(Value value, const Buffer &out) {
  Shape dims = shape(value);
  bool isByte = out.type == ElementType::U8 || out.type == ElementType::I8;
  bool isBlocked = graph::channelBlock(value.getType()) == kBlock;
  auto isPlanar = [](const auto &bound) { return !graph::layoutOf(bound.first.getType()); };
  if (!interleavesImages || !isByte || !isBlocked || dims.size() != 4 || dims[1] > kBlock ||
      dims[3] < kBlock || !llvm::all_of(buffers, isPlanar)) {
    return false;
  }
  int64_t row = dims[3];
  auto pixels = static_cast<int64_t>(
      llvm::bit_floor(static_cast<uint64_t>(std::min(row, vectorBytes / kBlock))));
  auto words = VectorType::get({pixels}, b.getI32Type());
  auto at = [&](Value line) {
    Lanes scalar(b, 1);
    SmallVector<Index> outer = scalar.delinearize(scalar.uniform(line), {dims[0], dims[2]});
    return SmallVector<Index>{outer[0], {}, outer[1], {}};
  };
  range = dims[0] * dims[2];
  width = 1;
  loop(begin, end, [&](Value line) {
    SmallVector<Index> place = at(line);
    loop(llvm::divideCeilSigned(row, pixels), [&](Value i) {
      // The last vector overlaps the previous one, as in emitNest.
      Value first = b.createOrFold<arith::MinSIOp>(b.createOrFold<arith::MulIOp>(i, index(pixels)),
                                                   index(row - pixels));
      place[3] = {first, 1, {}};
      Value sum = b.create<arith::ConstantOp>(DenseElementsAttr::get(words, int32_t(0)));
      width = pixels;
      for (int64_t channel = 0; channel < dims[1]; ++channel) {
        place[1] = {index(channel), 0, {}};
        Value byte = lanes().splat(element(value, place));
        Value shift = b.create<arith::ConstantOp>(
            DenseElementsAttr::get(words, static_cast<int32_t>(8 * channel)));
        Value word = b.create<arith::ShLIOp>(b.create<arith::ExtUIOp>(words, byte), shift);
        sum = b.createOrFold<arith::OrIOp>(sum, word);
      }
      width = 1;
      Value pixel =
          b.createOrFold<arith::AddIOp>(b.createOrFold<arith::MulIOp>(line, index(row)), first);
      auto bytes = VectorType::get({pixels * kBlock}, b.getI8Type());
      b.create<vector::StoreOp>(b.create<vector::BitCastOp>(bytes, sum), out.memref,
                                b.createOrFold<arith::MulIOp>(pixel, index(kBlock)));
    });
  });
  return true;
}

} // namespace convoy::kernels
