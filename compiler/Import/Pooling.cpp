// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports pools, global pools (as reductions), MaxUnpool and LRN.

#include "Import/OpTable.h"
#include "Import/WindowAttributes.h"

using namespace mlir;

namespace convoy::import {

static LogicalResult importMaxPool(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  FailureOr<WindowAttributes> window = readPoolWindow(n, n.input(0));
  if (failed(window)) {
    return failure();
  }
  bool ceilMode = n.intAttr("ceil_mode", 0) != 0;
  bool columnMajor = n.intAttr("storage_order", 0) != 0;
  return n.yield(n.emitAll<graph::MaxPoolOp, 2>(n.input(0), window->kernel, window->strides,
                                                window->pads, window->dilations, ceilMode,
                                                columnMajor));
}

static LogicalResult importAveragePool(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  FailureOr<WindowAttributes> window = readPoolWindow(n, n.input(0));
  if (failed(window)) {
    return failure();
  }
  bool ceilMode = n.intAttr("ceil_mode", 0) != 0;
  bool countIncludePad = n.intAttr("count_include_pad", 0) != 0;
  return n.yield(n.emit<graph::AveragePoolOp>(n.input(0), window->kernel, window->strides,
                                              window->pads, window->dilations, ceilMode,
                                              countIncludePad));
}

/// Reads the order of the norm. It is a float in opset 1.
static FailureOr<int64_t> readOrder(NodeContext &n) {
  if (n.opset() >= 2) {
    return n.intAttr("p", 2);
  }
  double order = n.floatAttr("p", 2);
  if (order >= 1 && order <= 1e6 && order == static_cast<double>(static_cast<int64_t>(order))) {
    return static_cast<int64_t>(order);
  }
  return FailureOr<int64_t>(n.unsupported() << "with p = " << order << "; use an integer value");
}

static LogicalResult importLpPool(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  FailureOr<WindowAttributes> window = readPoolWindow(n, n.input(0));
  FailureOr<int64_t> order = readOrder(n);
  if (failed(window) || failed(order)) {
    return failure();
  }
  bool ceilMode = n.intAttr("ceil_mode", 0) != 0;
  return n.yield(n.emit<graph::LpPoolOp>(n.input(0), window->kernel, window->strides, window->pads,
                                         window->dilations, ceilMode, *order));
}

/// Returns all dimensions after batch and channels.
static FailureOr<Shape> spatialAxes(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  if (*rank < 2) {
    return FailureOr<Shape>(
        n.error() << "expects an input of rank 2 or more (batch, channels, spatial...), got "
                  << n.input(0).getType());
  }
  Shape axes;
  for (int64_t i = 2; i < *rank; ++i) {
    axes.push_back(i);
  }
  return axes;
}

template <graph::ReduceKind kKind>
static LogicalResult importGlobalPool(NodeContext &n) {
  FailureOr<Shape> axes = spatialAxes(n);
  if (failed(axes)) {
    return failure();
  }
  return n.yield(n.reduce(kKind, n.input(0), *axes, /*keepDims=*/true));
}

static LogicalResult importGlobalLpPool(NodeContext &n) {
  FailureOr<Shape> axes = spatialAxes(n);
  FailureOr<int64_t> order = readOrder(n);
  if (failed(axes) || failed(order)) {
    return failure();
  }
  if (*order == 1 || *order == 2) {
    graph::ReduceKind kind = *order == 1 ? graph::ReduceKind::L1 : graph::ReduceKind::L2;
    return n.yield(n.reduce(kind, n.input(0), *axes, /*keepDims=*/true));
  }
  double p = static_cast<double>(*order);
  Value x = n.unary(graph::UnaryKind::Abs, n.input(0));
  Value powers = n.binary(graph::BinaryKind::Pow, x, n.scalarLike(x, p));
  Value sum = n.reduce(graph::ReduceKind::Sum, powers, *axes, /*keepDims=*/true);
  return n.yield(n.binary(graph::BinaryKind::Pow, sum, n.scalarLike(sum, 1 / p)));
}

static LogicalResult importMaxUnpool(NodeContext &n) {
  if (failed(n.require(0, "X")) || failed(n.require(1, "I"))) {
    return failure();
  }
  if (!n.hasAttr("kernel_shape")) {
    return n.error() << "requires attribute 'kernel_shape', but the node does not have it";
  }
  FailureOr<WindowAttributes> window = readExplicitWindow(n, n.intsAttr("kernel_shape"));
  if (failed(window)) {
    return failure();
  }
  return n.yield(n.emit<graph::MaxUnpoolOp>(n.input(0), n.input(1), n.input(2), window->kernel,
                                            window->strides, window->pads));
}

static LogicalResult importLRN(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  if (!n.hasAttr("size")) {
    return n.error() << "requires attribute 'size', but the node does not have it";
  }
  return n.yield(n.emit<graph::LRNOp>(
      n.input(0), n.intAttr("size", 1), llvm::APFloat(n.floatAttr("alpha", 1e-4)),
      llvm::APFloat(n.floatAttr("beta", 0.75)), llvm::APFloat(n.floatAttr("bias", 1))));
}

llvm::ArrayRef<OpRow> poolingRows() {
  static constexpr llvm::StringLiteral kNeedsSizes = "auto_pad requires static spatial sizes";
  static const OpRow kRows[] = {
      {"AveragePool", importAveragePool, kNeedsSizes},
      {"GlobalAveragePool", importGlobalPool<graph::ReduceKind::Mean>},
      {"GlobalLpPool", importGlobalLpPool},
      {"GlobalMaxPool", importGlobalPool<graph::ReduceKind::Max>},
      {"LRN", importLRN},
      {"LpPool", importLpPool, kNeedsSizes},
      {"MaxPool", importMaxPool, kNeedsSizes},
      {"MaxUnpool", importMaxUnpool, kWrongWriteLimit},
  };
  return kRows;
}

} // namespace convoy::import
