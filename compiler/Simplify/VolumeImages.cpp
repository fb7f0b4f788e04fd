// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the ops on images.

#include "Simplify/VolumeImages.h"
#include "Simplify/StaticType.h"
#include "reference/Convert.h"
#include <limits>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;

/// The most depth taps of a pool. Each tap is an element-wise op.
static constexpr int64_t kMostPoolTaps = 8;

ArrayRef<int64_t> volumeShape(Value value) {
  RankedTensorType type = staticType(value);
  bool isVolume = type && type.getRank() == 5 && type.getNumElements() > 0;
  return isVolume ? type.getShape() : ArrayRef<int64_t>();
}

Value DepthWindow::moved(TypedBuilder &b, int64_t count, Value source, int64_t tap,
                         Value value) const {
  int64_t begin = this->begin(tap);
  int64_t end = begin + (outputs - 1) * stride + 1;
  int64_t size = staticType(source).getDimSize(0) / count;
  if (begin != 0 || end != size) {
    source = b.emit<PadOp>(source, b.ints({-begin * count, 0, 0, 0, (end - size) * count, 0, 0, 0}),
                           value, Value(), PadMode::Constant);
  }
  if (stride == 1 || outputs == 1) {
    return source;
  }
  SmallVector<int64_t> shape(staticType(source).getShape());
  shape[0] = outputs * count;
  if (count > 1) {
    source = b.reshape(source, {end - begin, count * shape[1], shape[2], shape[3]});
  }
  source =
      b.emit<SliceOp>(source, b.ints({0}), b.ints({end - begin}), b.ints({0}), b.ints({stride}));
  return count > 1 ? b.reshape(source, shape) : source;
}

SmallVector<int64_t> planeOf(ArrayRef<int64_t> entries) {
  SmallVector<int64_t> plane;
  for (auto [i, entry] : llvm::enumerate(entries)) {
    if (i % 3 != 0) {
      plane.push_back(entry);
    }
  }
  return plane;
}

bool poolsImages(Operation *op) {
  if (auto pool = dyn_cast<MaxPoolOp>(op)) {
    return pool.getKernel()[0] <= kMostPoolTaps && pool.getIndices().use_empty();
  }
  auto pool = dyn_cast<AveragePoolOp>(op);
  return pool && pool.getKernel()[0] <= kMostPoolTaps;
}

/// Returns the number of depths that each result averages, as a scalar or one per image.
static Tensor divisors(AveragePoolOp pool, const DepthWindow &window, ElementType type) {
  ArrayRef<int64_t> shape = volumeShape(pool.getInput());
  bool withPads = pool.getCountIncludePad();
  int64_t low = withPads ? -window.pad : 0, high = shape[2] + (withPads ? pool.getPads()[3] : 0);
  SmallVector<int64_t> counts;
  for (int64_t output = 0; output < window.outputs; ++output) {
    int64_t count = 0;
    for (int64_t tap = 0; tap < pool.getKernel()[0]; ++tap) {
      int64_t depth = window.begin(tap) + output * window.stride;
      count += depth >= low && depth < high;
    }
    counts.append(shape[0], count);
  }
  if (llvm::all_equal(counts)) {
    return Tensor::scalar(type, static_cast<double>(counts[0]));
  }
  Tensor result(type, {static_cast<int64_t>(counts.size()), 1, 1, 1});
  for (auto [i, count] : llvm::enumerate(counts)) {
    result.setDouble(static_cast<int64_t>(i), static_cast<double>(count));
  }
  return result;
}

Value pooled(TypedBuilder &b, MaxPoolOp pool, Value images) {
  Operation *plane = b.infer(b.builder.create<MaxPoolOp>(
      b.loc, TypeRange{b.placeholder(), b.placeholder()}, images, planeOf(pool.getKernel()),
      planeOf(pool.getStrides()), planeOf(pool.getPads()), planeOf(pool.getDilations()),
      pool.getCeilMode(), pool.getColumnMajor()));
  ElementType type = b.element(pool.getInput());
  Value value =
      b.constant(isFloat(type) ? Tensor::scalar(type, -std::numeric_limits<double>::infinity())
                               : Tensor::scalar(type, reference::lowestOf(type)));
  Value largest;
  for (int64_t tap = 0; tap < pool.getKernel()[0]; ++tap) {
    Value part = DepthWindow::of(pool).moved(b, volumeShape(pool.getInput())[0],
                                             plane->getResult(0), tap, value);
    largest = largest ? b.binary(BinaryKind::Max, largest, part) : part;
  }
  return largest;
}

// The divisor of a mean is the product of one count per dimension.
Value pooled(TypedBuilder &b, AveragePoolOp pool, Value images) {
  Value plane = b.emit<AveragePoolOp>(images, planeOf(pool.getKernel()), planeOf(pool.getStrides()),
                                      planeOf(pool.getPads()), planeOf(pool.getDilations()),
                                      pool.getCeilMode(), pool.getCountIncludePad());
  DepthWindow window = DepthWindow::of(pool);
  int64_t count = volumeShape(pool.getInput())[0];
  Value sum;
  for (int64_t tap = 0; tap < pool.getKernel()[0]; ++tap) {
    Value part = window.moved(b, count, plane, tap);
    sum = sum ? b.add(sum, part) : part;
  }
  return b.div(sum, b.constant(divisors(pool, window, b.element(sum))));
}

} // namespace convoy::simplify
