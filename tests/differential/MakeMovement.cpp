// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makers of ops that move elements to positions known at compile time.

#include "tests/differential/GraphMaker.h"
#include <numeric>

using namespace mlir;

namespace convoy::test {
namespace {

bool makeReshape(GraphMaker &m) {
  Value x = m.anything();
  Shape shape = m.shapeOf(x);
  int64_t count = *elementCount(shape);
  Shape target;
  if (count == 0) {
    target = {0, m.random.between(1, 5)};
  } else {
    int64_t rest = count;
    while (rest > 1 && target.size() < 4) {
      int64_t dim = m.random.between(1, rest);
      while (rest % dim != 0) {
        --dim;
      }
      target.push_back(dim);
      rest /= dim;
    }
    if (rest > 1 || m.random.chance(0.3)) {
      target.push_back(rest);
    }
    if (!target.empty() && m.random.chance(0.3)) {
      target[m.random.between(0, target.size() - 1)] = -1;
    }
  }
  return m.add<graph::ReshapeOp>(x, m.ints(target), /*allowZero=*/true);
}

/// Inserts or removes dimensions of size 1, as Unsqueeze and Squeeze do.
bool makeSqueeze(GraphMaker &m) {
  Value x = m.anything(0, 4);
  Shape shape = m.shapeOf(x);
  if (m.random.chance(0.5)) {
    shape.insert(shape.begin() + m.random.between(0, shape.size()), 1);
  } else {
    llvm::erase(shape, 1);
  }
  return m.add<graph::ReshapeOp>(x, m.ints(shape), /*allowZero=*/true);
}

bool makeTranspose(GraphMaker &m) {
  Value x = m.anything(1);
  Shape perm(m.shapeOf(x).size());
  std::iota(perm.begin(), perm.end(), 0);
  for (size_t i = perm.size(); i > 1; --i) {
    std::swap(perm[i - 1], perm[m.random.between(0, i - 1)]);
  }
  return m.add<graph::TransposeOp>(x, perm);
}

bool makeSlice(GraphMaker &m) {
  Value x = m.anything(1);
  Shape shape = m.shapeOf(x);
  Shape starts;
  Shape ends;
  Shape axes;
  Shape steps;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!m.random.chance(0.6)) {
      continue;
    }
    int64_t d = shape[i];
    bool isBackwards = m.random.chance(0.3);
    int64_t low = m.random.between(-1, std::max<int64_t>(d - 1, 0));
    int64_t high = m.random.between(std::max<int64_t>(low, 0), d + 1);
    low = std::max<int64_t>(low, 0);
    // With a negative step, the end before the first element is -d - 1.
    starts.push_back(isBackwards ? high : low);
    ends.push_back(!isBackwards ? high : low == 0 ? -d - 1 : low);
    axes.push_back(static_cast<int64_t>(i) - (m.random.chance(0.3) ? shape.size() : 0));
    steps.push_back(m.random.between(1, 3) * (isBackwards ? -1 : 1));
  }
  if (axes.empty()) {
    return false;
  }
  return m.add<graph::SliceOp>(x, m.ints(starts), m.ints(ends), m.ints(axes), m.ints(steps));
}

bool makeConcat(GraphMaker &m) {
  Value x = m.anything(1);
  int64_t axis = m.random.between(0, m.shapeOf(x).size() - 1);
  SmallVector<Value> parts = {x};
  for (int64_t i = m.random.between(0, 3); i > 0; --i) {
    Shape shape = m.shapeOf(x);
    shape[axis] = m.random.chance(0.4) ? shape[axis] : m.random.between(1, 9);
    parts.push_back(m.random.chance(0.15) ? x : m.ofType(m.elementOf(x), shape));
  }
  return m.add<graph::ConcatOp>(parts, axis);
}

bool makeSplit(GraphMaker &m) {
  Value x = m.anything(1);
  Shape shape = m.shapeOf(x);
  int64_t axis = m.random.between(0, shape.size() - 1);
  if (shape[axis] < 2) {
    return false;
  }
  if (m.random.chance(0.3) && shape[axis] % 2 == 0) {
    return m.addMany<graph::SplitOp>(2, x, Value(), axis);
  }
  int64_t first = m.random.between(0, shape[axis] - 1);
  int64_t second = m.random.between(0, shape[axis] - first);
  return m.addMany<graph::SplitOp>(3, x, m.ints({first, second, shape[axis] - first - second}),
                                   axis);
}

bool makeExpand(GraphMaker &m) {
  Value x = m.anything(0, 4);
  Shape shape = m.shapeOf(x);
  for (int64_t &dim : shape) {
    dim = m.random.chance(0.4) ? 1 : dim == 1 ? m.random.between(1, 5) : dim;
  }
  if (m.random.chance(0.3)) {
    shape.insert(shape.begin(), m.random.between(1, 4));
  }
  return m.add<graph::ExpandOp>(x, m.ints(shape));
}

bool makeTile(GraphMaker &m) {
  Value x = m.anything();
  Shape repeats;
  for (size_t i = 0; i < m.shapeOf(x).size(); ++i) {
    repeats.push_back(m.random.chance(0.6) ? 1 : m.random.between(1, 3));
  }
  return m.add<graph::TileOp>(x, m.ints(repeats));
}

bool makePad(GraphMaker &m) {
  Value x = m.anything(1);
  Shape shape = m.shapeOf(x);
  auto mode = static_cast<graph::PadMode>(m.random.between(0, 3));
  bool hasValue = mode == graph::PadMode::Constant && m.random.chance(0.7);
  Shape begins;
  Shape ends;
  for (int64_t dim : shape) {
    bool isConstant = mode == graph::PadMode::Constant;
    int64_t most = isConstant ? 3 : std::min<int64_t>(dim - 1, 3);
    auto side = [&] { return most <= 0 || m.random.chance(0.5) ? 0 : m.random.between(0, most); };
    begins.push_back(isConstant && dim > 2 && m.random.chance(0.1) ? -1 : side());
    ends.push_back(side());
  }
  begins.append(ends);
  Value value = hasValue ? m.fresh(m.elementOf(x), {}) : Value();
  return m.add<graph::PadOp>(x, m.ints(begins), value, Value(), mode);
}

bool makeTrilu(GraphMaker &m) {
  Value x = m.anything(2);
  Value k = m.random.chance(0.5)
                ? Value()
                : m.fresh(Tensor::scalar(ElementType::I64, m.random.between(-4, 4)));
  return m.add<graph::TriluOp>(x, k, m.random.chance(0.5));
}

bool makeResize(GraphMaker &m) {
  Value x = m.floats(3, 4);
  Shape shape = m.shapeOf(x);
  if (llvm::is_contained(shape, 0)) {
    return false;
  }
  Shape axes;
  Shape sizes;
  for (size_t i = shape.size() == 3 ? 2 : 2; i < shape.size(); ++i) {
    axes.push_back(static_cast<int64_t>(i));
    sizes.push_back(m.random.between(1, 13));
  }
  auto mode = static_cast<graph::ResizeMode>(m.random.between(0, 2));
  // Nearest-neighbor mode is discontinuous, but the coordinates are never ties.
  auto coordinates = static_cast<graph::CoordinateMode>(m.random.between(0, 4));
  auto nearest = static_cast<graph::NearestMode>(m.random.between(0, 3));
  bool antialias = mode != graph::ResizeMode::Nearest && m.random.chance(0.2);
  return m.add<graph::ResizeOp>(x, Value(), Value(), m.ints(sizes), axes, mode, coordinates,
                                nearest, graph::AspectPolicy::Stretch, APFloat(-0.75),
                                m.random.chance(0.3), antialias, APFloat(0.0));
}

} // namespace

ArrayRef<Maker> movementMakers() {
  static const Maker kMakers[] = {
      {"reshape", 4, makeReshape}, {"squeeze", 3, makeSqueeze}, {"transpose", 5, makeTranspose},
      {"slice", 5, makeSlice},     {"concat", 4, makeConcat},   {"split", 3, makeSplit},
      {"expand", 3, makeExpand},   {"tile", 2, makeTile},       {"pad", 4, makePad},
      {"trilu", 1, makeTrilu},     {"resize", 2, makeResize},
  };
  return kMakers;
}

} // namespace convoy::test
