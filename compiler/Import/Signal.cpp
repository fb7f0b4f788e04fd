// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports DFT, STFT and Det.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

static LogicalResult importDFT(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  // Since opset 20 the axis is an input with default -2.
  Value axis = n.opset() >= 20 ? n.input(2) : n.intScalar(n.intAttr("axis", 1));
  return n.yield(n.emit<graph::DFTOp>(n.input(0), n.input(1), axis, n.intAttr("inverse", 0) != 0,
                                      n.intAttr("onesided", 0) != 0));
}

/// Converts a scalar or a vector of one element to an i64 scalar.
static Value intScalarOf(NodeContext &n, Value x) {
  return n.reshape(n.cast(x, ElementType::I64), {});
}

/// Returns dimension i as an i64 scalar.
static Value dimOf(NodeContext &n, Value x, int64_t i) {
  Value dims =
      n.emit<graph::ShapeOp>(x, static_cast<uint64_t>(i), n.builder.getI64IntegerAttr(i + 1));
  return n.reshape(dims, {});
}

/// Returns the frames x frameLength positions in the signal:
///
///     0         1         2 ...
///     step      step + 1  step + 2 ...
static Value framePositions(NodeContext &n, Value signalLength, Value step, Value frameLength) {
  Value zero = n.intScalar(0);
  Value one = n.intScalar(1);
  Value frames = n.add(n.div(n.sub(signalLength, frameLength), step), one);
  Value starts = n.mul(n.emit<graph::RangeOp>(zero, frames, one), step);
  return n.add(n.reshape(starts, {-1, 1}), n.emit<graph::RangeOp>(zero, frameLength, one));
}

static LogicalResult importSTFT(NodeContext &n) {
  if (failed(n.require(0, "signal")) || failed(n.require(1, "frame_step"))) {
    return failure();
  }
  Value signal = n.input(0);
  Value window = n.input(2);
  if (!window && !n.input(3)) {
    return n.error()
           << "requires input 2 ('window') or input 3 ('frame_length'), but the node omits both";
  }
  if (n.hasRank(signal) && n.shape(signal)->size() == 2) {
    // PyTorch writes real signals without the last dimension, and ONNX Runtime accepts them.
    signal = n.emit<graph::ReshapeOp>(signal, n.ints({0, 0, 1}), /*allowZero=*/false);
  }
  if (n.hasRank(signal) && n.shape(signal)->size() != 3) {
    return n.error() << "expects a signal of shape batch x time, batch x time x 1 or batch x time "
                        "x 2, got "
                     << signal.getType();
  }
  bool onesided = n.intAttr("onesided", 1) != 0;
  if (onesided && n.hasRank(signal) && n.shape(signal)->back() == 2) {
    return n.error() << "expects attribute 'onesided' to be 0 for a complex signal, got 1";
  }
  Value frameLength = n.input(3) ? intScalarOf(n, n.input(3)) : dimOf(n, window, 0);
  Value positions = framePositions(n, dimOf(n, signal, 1), intScalarOf(n, n.input(1)), frameLength);
  Value frames = n.emit<graph::GatherOp>(signal, positions, 1);
  if (window) {
    frames = n.mul(frames, n.reshape(window, {-1, 1}));
  }
  return n.yield(
      n.emit<graph::DFTOp>(frames, Value(), n.intScalar(2), /*inverse=*/false, onesided));
}

static LogicalResult importDet(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  return n.yield(n.emit<graph::DetOp>(n.input(0)));
}

llvm::ArrayRef<OpRow> signalRows() {
  static const OpRow kRows[] = {
      {"DFT", importDFT},
      {"Det", importDet},
      {"STFT", importSTFT},
  };
  return kRows;
}

} // namespace convoy::import
