// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the quantized ops of the domain com.microsoft. Each becomes a dequantize_linear of its
// inputs, the floating-point op, and a quantize_linear, because the quantize stage lowers this
// form to integers.

#include "Import/IntegerProduct.h"
#include "Import/NormalizationForm.h"
#include "Import/OpTable.h"
#include "Import/WindowAttributes.h"

using namespace mlir;
using convoy::graph::BinaryKind;
using convoy::graph::ReduceKind;
using convoy::graph::UnaryKind;

namespace convoy::import {
namespace {

/// Emits an error if a value of known rank is not a scalar.
LogicalResult expectScalar(NodeContext &n, Value value, StringRef name) {
  if (!n.hasRank(value) || *n.rank(value) == 0) {
    return success();
  }
  return n.error() << "expects one number in '" << name << "', got " << value.getType();
}

/// Returns (x - zeroPoint) * scale of inputs `i`, `i + 1` and `i + 2`. The zero point may be
/// absent.
FailureOr<Value> dequantized(NodeContext &n, unsigned i, StringRef name) {
  if (failed(n.require(i, name)) || failed(n.require(i + 1, (name + "_scale").str()))) {
    return failure();
  }
  Value scale = scalarIfSingle(n, n.input(i + 1));
  if (failed(expectScalar(n, scale, (name + "_scale").str()))) {
    return failure();
  }
  return n.emit<graph::DequantizeLinearOp>(n.input(i), scale, scalarIfSingle(n, n.input(i + 2)),
                                           n.elementType(scale), int64_t(0), int64_t(0));
}

/// Binds the output to y quantized with the scale in input `i` and the zero point in the next one,
/// which may be absent. The result has the element type of `like`.
LogicalResult yieldQuantized(NodeContext &n, Value y, unsigned i, Value like) {
  if (failed(n.require(i, "y_scale"))) {
    return failure();
  }
  Value scale = scalarIfSingle(n, n.input(i));
  if (failed(expectScalar(n, scale, "y_scale"))) {
    return failure();
  }
  return n.yield(n.emit<graph::QuantizeLinearOp>(y, scale, scalarIfSingle(n, n.input(i + 1)),
                                                 n.elementType(like), int64_t(0), int64_t(0),
                                                 /*saturate=*/true));
}

template <BinaryKind kKind>
LogicalResult importBinary(NodeContext &n) {
  FailureOr<Value> a = dequantized(n, 0, "A");
  FailureOr<Value> b = failed(a) ? a : dequantized(n, 3, "B");
  return failed(b) ? failure() : yieldQuantized(n, n.binary(kKind, *a, *b), 6, n.input(0));
}

LogicalResult importSigmoid(NodeContext &n) {
  FailureOr<Value> x = dequantized(n, 0, "X");
  return failed(x) ? failure() : yieldQuantized(n, n.unary(UnaryKind::Sigmoid, *x), 3, n.input(0));
}

LogicalResult importLeakyRelu(NodeContext &n) {
  FailureOr<Value> x = dequantized(n, 0, "X");
  if (failed(x)) {
    return failure();
  }
  APFloat alpha(n.floatAttr("alpha", 0.01f));
  Value y = n.emit<graph::ActivationOp>(graph::ActivationKind::LeakyRelu, *x, alpha, APFloat(0.0));
  return yieldQuantized(n, y, 3, n.input(0));
}

/// Imports QLinearSoftmax. Attribute 'opset' selects the meaning of 'axis'.
LogicalResult importSoftmax(NodeContext &n) {
  FailureOr<Value> x = dequantized(n, 0, "X");
  if (failed(x)) {
    return failure();
  }
  bool flattens = n.intAttr("opset", 13) < 13;
  FailureOr<Value> y =
      alongAxis(n, *x, n.intAttr("axis", -1), flattens,
                [&](Value rows, int64_t axis) { return n.emit<graph::SoftmaxOp>(rows, axis); });
  return failed(y) ? failure() : yieldQuantized(n, *y, 3, n.input(0));
}

/// Imports QLinearConcat, whose inputs follow the scale and the zero point of the output.
LogicalResult importConcat(NodeContext &n) {
  if (failed(n.requireAll({"Y_scale", "Y_zero_point", "inputs"}))) {
    return failure();
  }
  SmallVector<Value> values;
  for (unsigned i = 2; i < n.numInputs(); i += 3) {
    FailureOr<Value> value = dequantized(n, i, "inputs");
    if (failed(value)) {
      return failure();
    }
    values.push_back(*value);
  }
  FailureOr<int64_t> rank = n.rank(values.front());
  if (failed(rank)) {
    return failure();
  }
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", 0), *rank);
  return failed(axis) ? failure() : yieldQuantized(n, n.concat(values, *axis), 0, n.input(2));
}

LogicalResult importWhere(NodeContext &n) {
  if (failed(n.require(0, "condition"))) {
    return failure();
  }
  FailureOr<Value> x = dequantized(n, 1, "X");
  FailureOr<Value> y = failed(x) ? x : dequantized(n, 4, "Y");
  return failed(y) ? failure() : yieldQuantized(n, n.select(n.input(0), *x, *y), 7, n.input(1));
}

LogicalResult importReduceMean(NodeContext &n) {
  FailureOr<Value> x = dequantized(n, 0, "data");
  if (failed(x)) {
    return failure();
  }
  Shape given = n.intsAttr("axes");
  Value axes = given.empty() ? Value() : n.ints(given);
  Value y = n.emit<graph::ReduceOp>(ReduceKind::Mean, *x, axes, n.intAttr("keepdims", 1) != 0,
                                    /*noopWithEmptyAxes=*/false);
  return yieldQuantized(n, y, 3, n.input(0));
}

/// Applies `body` to the dequantized input with the channels in dimension 1.
LogicalResult importPool(NodeContext &n, llvm::function_ref<FailureOr<Value>(Value)> body) {
  FailureOr<Value> x = dequantized(n, 0, "X");
  bool isLast = n.intAttr("channels_last", 0) != 0;
  if (succeeded(x) && isLast) {
    x = moveChannels(n, *x, /*toFront=*/true);
  }
  FailureOr<Value> y = failed(x) ? x : body(*x);
  if (succeeded(y) && isLast) {
    y = n.hasFailed ? FailureOr<Value>(failure()) : moveChannels(n, *y, /*toFront=*/false);
  }
  return failed(y) ? failure() : yieldQuantized(n, *y, 3, n.input(0));
}

LogicalResult importAveragePool(NodeContext &n) {
  return importPool(n, [&](Value x) -> FailureOr<Value> {
    FailureOr<WindowAttributes> window = readPoolWindow(n, x);
    if (failed(window)) {
      return failure();
    }
    return n.emit<graph::AveragePoolOp>(x, window->kernel, window->strides, window->pads,
                                        window->dilations, n.intAttr("ceil_mode", 0) != 0,
                                        n.intAttr("count_include_pad", 0) != 0);
  });
}

LogicalResult importGlobalAveragePool(NodeContext &n) {
  return importPool(n, [&](Value x) -> FailureOr<Value> {
    FailureOr<int64_t> rank = n.rank(x);
    if (failed(rank)) {
      return failure();
    }
    return n.reduce(ReduceKind::Mean, x, axesFrom(2, *rank), /*keepDims=*/true);
  });
}

constexpr OpRow kRows[] = {
    {"QLinearAdd", importBinary<BinaryKind::Add>, "", kMicrosoft},
    {"QLinearAveragePool", importAveragePool, "auto_pad requires static spatial sizes", kMicrosoft},
    {"QLinearConcat", importConcat, "", kMicrosoft},
    {"QLinearGlobalAveragePool", importGlobalAveragePool, "", kMicrosoft},
    {"QLinearLeakyRelu", importLeakyRelu, "", kMicrosoft},
    {"QLinearMul", importBinary<BinaryKind::Mul>, "", kMicrosoft},
    {"QLinearReduceMean", importReduceMean, "", kMicrosoft},
    {"QLinearSigmoid", importSigmoid, "", kMicrosoft},
    {"QLinearSoftmax", importSoftmax, "", kMicrosoft},
    {"QLinearWhere", importWhere, "", kMicrosoft},
};

} // namespace

llvm::ArrayRef<OpRow> qlinearRows() { return kRows; }

} // namespace convoy::import
