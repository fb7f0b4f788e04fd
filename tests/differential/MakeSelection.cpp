// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makers of ops that move elements to positions held by other tensors.

#include "tests/differential/GraphMaker.h"

using namespace mlir;

namespace convoy::test {
namespace {

/// Returns whether every dimension has a valid index.
bool hasElements(GraphMaker &m, Value x) { return *elementCount(m.shapeOf(x)) > 0; }

bool makeGather(GraphMaker &m) {
  Value x = m.anything(1, 4);
  if (!hasElements(m, x)) {
    return false;
  }
  Shape shape = m.shapeOf(x);
  int64_t axis = m.random.between(0, shape.size() - 1);
  Value indices = m.freshIndices(m.randomShape(0, 2), -shape[axis], shape[axis] - 1);
  return m.add<graph::GatherOp>(x, indices, axis);
}

/// Returns indices into `axis` for a part of a tensor with this shape.
Value partialIndices(GraphMaker &m, Shape shape, int64_t axis) {
  int64_t dim = shape[axis];
  for (size_t i = 0; i < shape.size(); ++i) {
    shape[i] =
        static_cast<int64_t>(i) == axis ? m.random.between(1, 5) : m.random.between(1, shape[i]);
  }
  return m.freshIndices(shape, -dim, dim - 1);
}

bool makeGatherElements(GraphMaker &m) {
  Value x = m.anything(1, 4);
  if (!hasElements(m, x)) {
    return false;
  }
  int64_t axis = m.random.between(0, m.shapeOf(x).size() - 1);
  return m.add<graph::GatherElementsOp>(x, partialIndices(m, m.shapeOf(x), axis), axis);
}

/// Returns tuples of `length` indices into the dimensions from `first` on.
Value indexTuples(GraphMaker &m, ArrayRef<int64_t> shape, size_t first, size_t length,
                  ArrayRef<int64_t> outer) {
  Shape dims(outer);
  dims.push_back(static_cast<int64_t>(length));
  ElementType type = m.random.chance(0.5) ? ElementType::I64 : ElementType::I32;
  Tensor tuples(type, dims);
  for (int64_t i = 0; i < tuples.size(); ++i) {
    int64_t dim = shape[first + i % length];
    tuples.setInt(i, m.random.between(-dim, dim - 1));
  }
  return m.fresh(tuples);
}

bool makeGatherND(GraphMaker &m) {
  Value x = m.anything(1, 4);
  if (!hasElements(m, x)) {
    return false;
  }
  Shape shape = m.shapeOf(x);
  int64_t rank = static_cast<int64_t>(shape.size());
  int64_t batch = rank > 1 && m.random.chance(0.3) ? 1 : 0;
  int64_t length = m.random.between(1, rank - batch);
  Shape outer(shape.begin(), shape.begin() + batch);
  outer.push_back(m.random.between(1, 6));
  return m.add<graph::GatherNDOp>(x, indexTuples(m, shape, batch, length, outer), batch);
}

/// Returns a random kind. The reference rounds sums and products once and the host rounds each
/// update, so the largest numbers of f16 would overflow only on the host; they are not combined.
graph::ScatterKind scatterKind(GraphMaker &m, Value x) {
  using graph::ScatterKind;
  if (m.elementOf(x) == ElementType::Bool || m.random.chance(0.4)) {
    return ScatterKind::None;
  }
  auto kind = static_cast<ScatterKind>(m.random.between(1, 4));
  bool overflows = m.elementOf(x) == ElementType::F16 && m.hasSpecials() &&
                   (kind == ScatterKind::Add || kind == ScatterKind::Mul);
  return overflows ? ScatterKind::Max : kind;
}

bool makeScatterElements(GraphMaker &m) {
  Value x = m.anything(1, 4);
  if (!hasElements(m, x)) {
    return false;
  }
  int64_t axis = m.random.between(0, m.shapeOf(x).size() - 1);
  Value indices = partialIndices(m, m.shapeOf(x), axis);
  Value updates = m.ofType(m.elementOf(x), m.shapeOf(indices));
  return m.add<graph::ScatterElementsOp>(x, indices, updates, axis, scatterKind(m, x));
}

bool makeScatterND(GraphMaker &m) {
  Value x = m.anything(1, 4);
  if (!hasElements(m, x)) {
    return false;
  }
  Shape shape = m.shapeOf(x);
  int64_t length = m.random.between(1, shape.size());
  Shape outer = {m.random.between(1, 6)};
  Value indices = indexTuples(m, shape, 0, length, outer);
  outer.append(shape.begin() + length, shape.end());
  return m.add<graph::ScatterNDOp>(x, indices, m.ofType(m.elementOf(x), outer), scatterKind(m, x));
}

bool makeOneHot(GraphMaker &m) {
  int64_t depth = m.random.between(1, 9);
  Shape shape = m.randomShape(0, 3);
  Value indices = m.freshIndices(shape, -depth - 1, depth + 1);
  Value count = m.constant(Tensor::scalar(ElementType::I64, depth));
  return m.add<graph::OneHotOp>(indices, count, m.fresh(m.randomElement(), {2}),
                                m.random.between(0, shape.size()));
}

bool makeTopK(GraphMaker &m) {
  Value x = m.sharp(m.number(1, 4));
  int64_t axis = m.random.between(0, m.shapeOf(x).size() - 1);
  int64_t k = m.random.between(0, m.shapeOf(x)[axis]);
  return m.addMany<graph::TopKOp>(2, x, m.ints({k}), axis, m.random.chance(0.5), true);
}

bool makeReverseSequence(GraphMaker &m) {
  Value x = m.anything(2, 4);
  int64_t batchAxis = m.random.between(0, 1);
  Shape shape = m.shapeOf(x);
  Tensor lengths =
      randomInts(m.random, ElementType::I64, {shape[batchAxis]}, 0, shape[1 - batchAxis]);
  return m.add<graph::ReverseSequenceOp>(x, m.fresh(lengths), batchAxis, 1 - batchAxis);
}

} // namespace

ArrayRef<Maker> selectionMakers() {
  static const Maker kMakers[] = {
      {"gather", 4, makeGather},        {"gather_elements", 2, makeGatherElements},
      {"gather_nd", 2, makeGatherND},   {"scatter_elements", 2, makeScatterElements},
      {"scatter_nd", 2, makeScatterND}, {"one_hot", 2, makeOneHot},
      {"top_k", 2, makeTopK},           {"reverse_sequence", 1, makeReverseSequence},
  };
  return kMakers;
}

} // namespace convoy::test
