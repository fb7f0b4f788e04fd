// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makers of control-flow ops with small bodies.

#include "tests/differential/GraphMaker.h"

using namespace mlir;

namespace convoy::test {
namespace {

/// Returns a value of the same type and shape, preferably one of the current region.
Value yieldable(GraphMaker &m, Value like) { return m.ofType(m.elementOf(like), m.shapeOf(like)); }

void yield(GraphMaker &m, ValueRange values) {
  m.builder.create<graph::YieldOp>(m.builder.getUnknownLoc(), values);
}

bool makeIf(GraphMaker &m) {
  Value like = m.anything();
  Value condition = m.ofType(ElementType::Bool, {});
  auto op = m.builder.create<graph::IfOp>(m.builder.getUnknownLoc(), TypeRange{like.getType()},
                                          condition);
  for (Region *region : {&op.getThenBranch(), &op.getElseBranch()}) {
    Block &block = region->emplaceBlock();
    m.fill(block, static_cast<int>(m.random.between(0, 3)), [&] { yield(m, yieldable(m, like)); });
  }
  return m.keep(op);
}

bool makeLoop(GraphMaker &m) {
  Value first = m.anything();
  Value second = m.number();
  int64_t count = m.random.between(0, 4);
  bool isBreaking = m.random.chance(0.2);
  bool scans = !isBreaking && m.random.chance(0.6);
  Tensor trips = Tensor::scalar(ElementType::I64, count);
  Location loc = m.builder.getUnknownLoc();
  // A stacked result needs a constant trip count.
  Value tripCount = scans ? m.constant(trips) : m.fresh(trips);
  SmallVector<Type> types = {first.getType(), second.getType()};
  if (scans) {
    types.push_back(first.getType());
  }
  auto op =
      m.builder.create<graph::LoopOp>(loc, types, tripCount, Value(), ValueRange{first, second});
  Block &body = op.getBody().emplaceBlock();
  auto argument = [&](Type type, const Sample &sample) {
    m.trial.define(body.addArgument(type, loc), Sample(sample));
  };
  Sample zero(Tensor::scalar(ElementType::I64, 0));
  Sample goes(Tensor::scalar(ElementType::Bool, 1));
  argument(graph::typeOf(zero.plain, m.builder.getContext()), zero);
  argument(graph::typeOf(goes.plain, m.builder.getContext()), goes);
  argument(first.getType(), Sample(m.sampleOf(first)));
  argument(second.getType(), Sample(m.sampleOf(second)));
  m.fill(body, static_cast<int>(m.random.between(1, 4)), [&] {
    SmallVector<Value> values = {body.getArgument(1), yieldable(m, first), yieldable(m, second)};
    if (isBreaking) {
      Value last = m.constant(Tensor::scalar(ElementType::I64, 1));
      Operation *less = m.add<graph::BinaryOp>(graph::BinaryKind::Less, body.getArgument(0), last);
      values[0] = less ? less->getResult(0) : values[0];
    }
    if (scans) {
      values.push_back(yieldable(m, first));
    }
    yield(m, values);
  });
  return m.keep(op);
}

bool makeScan(GraphMaker &m) {
  Value state = m.anything(0, 3);
  Value scanned = m.anything(1, 4);
  Shape slice = m.shapeOf(scanned);
  int64_t axis = m.random.between(0, slice.size() - 1);
  if (slice[axis] == 0 || slice[axis] > 6) {
    return false;
  }
  slice.erase(slice.begin() + axis);
  Location loc = m.builder.getUnknownLoc();
  Type sliceType =
      RankedTensorType::get(slice, cast<RankedTensorType>(scanned.getType()).getElementType());
  bool isBackwards = m.random.chance(0.3);
  int64_t outputAxis = m.random.between(0, slice.size());
  auto op = m.builder.create<graph::ScanOp>(
      loc, TypeRange{state.getType(), scanned.getType()}, ValueRange{state}, ValueRange{scanned},
      ArrayRef<int64_t>{axis}, ArrayRef<bool>{isBackwards}, ArrayRef<int64_t>{outputAxis},
      ArrayRef<bool>{m.random.chance(0.3)});
  Block &body = op.getBody().emplaceBlock();
  m.trial.define(body.addArgument(state.getType(), loc), Sample(m.sampleOf(state)));
  Value sliceArgument = body.addArgument(sliceType, loc);
  // The maker needs only the type of the slice here; Trial defines each slice when it runs the
  // body.
  m.trial.define(sliceArgument, randomTensor(m.random, m.elementOf(scanned), slice));
  m.fill(body, static_cast<int>(m.random.between(1, 3)),
         [&] { yield(m, {yieldable(m, state), yieldable(m, sliceArgument)}); });
  return m.keep(op);
}

} // namespace

ArrayRef<Maker> controlMakers() {
  static const Maker kMakers[] = {
      {"if", 2, makeIf},
      {"loop", 2, makeLoop},
      {"scan", 1, makeScan},
  };
  return kMakers;
}

} // namespace convoy::test
