// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports ops that create tensors from attributes, shapes or a seed.

#include "Import/OpTable.h"
#include "Import/OpenDim.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace convoy::import {
namespace {

/// Returns the tensor of a Constant node's attribute other than `value`, or
/// nullopt if the node has no such attribute.
std::optional<Tensor> plainConstant(NodeContext &n) {
  if (n.hasAttr("value_int")) {
    return Tensor::scalar(ElementType::I64, n.intAttr("value_int", 0));
  }
  if (n.hasAttr("value_ints")) {
    return Tensor::vector(n.intsAttr("value_ints"));
  }
  if (n.hasAttr("value_float")) {
    return Tensor::scalar(ElementType::F32, n.floatAttr("value_float", 0));
  }
  if (n.hasAttr("value_floats")) {
    SmallVector<double> values = n.floatsAttr("value_floats");
    Tensor result(ElementType::F32, {static_cast<int64_t>(values.size())});
    for (auto [i, value] : llvm::enumerate(values)) {
      result.setDouble(i, value);
    }
    return result;
  }
  if (n.hasAttr("value_string")) {
    Tensor result(ElementType::String, {});
    result.mutableStrings()[0] = n.stringAttr("value_string", "");
    return result;
  }
  if (n.hasAttr("value_strings")) {
    std::vector<std::string> values = n.stringsAttr("value_strings");
    Tensor result(ElementType::String, {static_cast<int64_t>(values.size())});
    result.mutableStrings() = values;
    return result;
  }
  return std::nullopt;
}

LogicalResult importConstant(NodeContext &n) {
  if (n.hasAttr("sparse_value")) {
    return n.unsupported() << "with 'sparse_value'; store a dense tensor in 'value'";
  }
  std::optional<Tensor> tensor = n.hasAttr("value") ? n.tensorAttr("value") : plainConstant(n);
  if (tensor) {
    return n.yield(n.constant(*tensor));
  }
  if (n.hasFailed) {
    return failure(); // tensorAttr emitted the error.
  }
  return n.error() << "requires one of the attributes value, value_int(s), value_float(s) and "
                      "value_string(s), but the node has none of them";
}

LogicalResult importConstantOfShape(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  Tensor value = n.tensorAttr("value").value_or(Tensor(ElementType::F32, {}));
  if (value.size() != 1) {
    return n.error() << "expects attribute 'value' to have one element, got " << value.size();
  }
  return n.yield(n.emit<graph::ExpandOp>(n.constant(value.reshaped({})), n.input(0)));
}

LogicalResult importRange(NodeContext &n) {
  if (failed(n.require(0, "start")) || failed(n.require(1, "limit")) ||
      failed(n.require(2, "delta"))) {
    return failure();
  }
  return n.yield(n.emit<graph::RangeOp>(n.input(0), n.input(1), n.input(2)));
}

/// Returns the vector 0, 1, ... along dimension `axis` of x.
Value positions(NodeContext &n, Value x, int64_t axis) {
  Value dim = shapeVector(n, {dimOf(n, x, axis)});
  return n.emit<graph::RangeOp>(n.intScalar(0), dim, n.intScalar(1));
}

LogicalResult importEyeLike(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  Value x = n.input(0);
  FailureOr<int64_t> rank = n.rank(x);
  FailureOr<ElementType> type = n.elementTypeAttr("dtype", n.element(x));
  if (failed(rank) || failed(type)) {
    return failure();
  }
  if (*rank != 2) {
    return n.error() << "expects an input of rank 2, got " << x.getType();
  }
  Value rows = n.reshape(positions(n, x, 0), {-1, 1});
  Value columns = n.reshape(positions(n, x, 1), {1, -1});
  Value diagonal = n.add(rows, n.intScalar(n.intAttr("k", 0)));
  return n.yield(n.cast(n.binary(graph::BinaryKind::Equal, diagonal, columns), *type));
}

/// Returns the seed of a random op. If the node has no seed, the seed is
/// derived from the node name, so that two nodes draw different numbers and
/// every import of the model draws the same numbers.
FloatAttr seedOf(NodeContext &n) {
  if (n.hasAttr("seed")) {
    return n.builder.getF64FloatAttr(n.floatAttr("seed", 0));
  }
  auto named = dyn_cast<NameLoc>(n.loc);
  uint64_t hash = llvm::xxh3_64bits(named ? named.getName().getValue() : StringRef());
  return n.builder.getF64FloatAttr(
      static_cast<double>(hash >> 11)); // f64 represents 53 bits exactly.
}

/// The operands and attributes of graph.random that a row requests.
struct Draw {
  StringRef distribution;
  double a = 0;
  double b = 0;
};

Value emitRandom(NodeContext &n, const Draw &draw, Value input, ElementType type,
                 ArrayRef<int64_t> shape) {
  return n.emit<graph::RandomOp>(input, draw.distribution, toMlir(type, n.builder.getContext()),
                                 shape, llvm::APFloat(draw.a), llvm::APFloat(draw.b), seedOf(n));
}

/// Reads the attributes of a normal or uniform distribution, with the defaults
/// of ONNX.
Draw drawOf(NodeContext &n) {
  if (n.opType().starts_with("RandomNormal")) {
    return {"normal", n.floatAttr("mean", 0), n.floatAttr("scale", 1)};
  }
  return {"uniform", n.floatAttr("low", 0), n.floatAttr("high", 1)};
}

LogicalResult importRandom(NodeContext &n) {
  FailureOr<ElementType> type = n.elementTypeAttr("dtype", ElementType::F32);
  if (failed(type)) {
    return failure();
  }
  Shape shape = n.intsAttr("shape");
  if (!n.hasAttr("shape") || !elementCount(shape)) {
    return n.error() << "requires attribute 'shape' with non-negative sizes";
  }
  return n.yield(emitRandom(n, drawOf(n), Value(), *type, shape));
}

LogicalResult importRandomLike(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  FailureOr<ElementType> type = n.elementTypeAttr("dtype", n.element(n.input(0)));
  return failed(type) ? failure() : n.yield(emitRandom(n, drawOf(n), n.input(0), *type, {}));
}

LogicalResult importBernoulli(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  FailureOr<ElementType> type = n.elementTypeAttr("dtype", n.element(n.input(0)));
  return failed(type) ? failure() : n.yield(emitRandom(n, {"bernoulli"}, n.input(0), *type, {}));
}

LogicalResult importMultinomial(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  FailureOr<ElementType> type = n.elementTypeAttr("dtype", ElementType::I32);
  int64_t samples = n.intAttr("sample_size", 1);
  if (failed(type)) {
    return failure();
  }
  // The op stores the number as f64.
  if (samples < 0 || samples > INT32_MAX) {
    return n.error() << "expects attribute 'sample_size' in [0, 2^31), got " << samples;
  }
  Draw draw{"multinomial", static_cast<double>(samples)};
  return n.yield(emitRandom(n, draw, n.input(0), *type, {}));
}

} // namespace

llvm::ArrayRef<OpRow> generatorRows() {
  static constexpr llvm::StringLiteral kDrawLimit =
      "every inference draws the same numbers; without 'seed', the seed is a hash of the node "
      "name; "
      "on host at most 2^24 numbers";
  static const OpRow kRows[] = {
      {"Bernoulli", importBernoulli, kDrawLimit},
      {"Constant", importConstant, "the attribute 'sparse_value' is not supported"},
      {"ConstantOfShape", importConstantOfShape},
      {"EyeLike", importEyeLike, "requires a known rank"},
      {"Multinomial", importMultinomial, kDrawLimit},
      {"RandomNormal", importRandom, kDrawLimit},
      {"RandomNormalLike", importRandomLike, kDrawLimit},
      {"RandomUniform", importRandom, kDrawLimit},
      {"RandomUniformLike", importRandomLike, kDrawLimit},
      {"Range", importRange},
  };
  return kRows;
}

} // namespace convoy::import
