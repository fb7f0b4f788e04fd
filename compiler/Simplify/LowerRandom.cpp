// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generator starts from the seed in every inference, so its numbers are known at compile time.
// Only the reference has the generator; its numbers become constants, so that compiled code has the
// bits of the reference on every target.

#include "Simplify/LowerRandom.h"
#include "Simplify/StaticType.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;

namespace {

/// Draws the numbers of an op without an operand. Returns null if the reference cannot.
Value draw(TypedBuilder &b, RandomOp op, StringRef distribution, Type to, ArrayRef<int64_t> shape,
           const APFloat &first, const APFloat &second) {
  Operation *drawn = b.infer(b.builder.create<RandomOp>(
      b.loc, b.placeholder(), Value(), distribution, to, shape, first, second, op.getSeedAttr()));
  FailureOr<std::vector<reference::Datum>> values = reference::evaluate(drawn, {});
  drawn->erase();
  return failed(values) ? Value() : b.constant(values->front().tensor);
}

/// Returns f64 numbers in [0, 1), as the reference draws them for the op's probabilities.
Value drawUniform(TypedBuilder &b, RandomOp op, ArrayRef<int64_t> shape) {
  return draw(b, op, "uniform", b.builder.getF64Type(), shape, APFloat(0.0), APFloat(1.0));
}

/// Lowers a draw of classes from log probabilities of shape N x C. With the sums of the first
/// probabilities s and a uniform number u, the class is the number of sums with s <= u * s[C - 1].
Value lowerMultinomial(TypedBuilder &b, RandomOp op, RankedTensorType type) {
  RankedTensorType logits = staticType(op.getInput());
  if (!logits || logits.getDimSize(1) == 0) {
    return Value(); // The reference reports that there is no class.
  }
  int64_t rows = type.getDimSize(0);
  int64_t samples = type.getDimSize(1);
  int64_t classes = logits.getDimSize(1);
  Value uniform = drawUniform(b, op, type.getShape());
  if (!uniform) {
    return Value();
  }
  Value x = b.cast(op.getInput(), ElementType::F64);
  Value weights = b.unary(UnaryKind::Exp, b.sub(x, b.reduce(ReduceKind::Max, x, {1})));
  Value sums = b.emit<CumulativeOp>(CumulativeKind::Sum, weights,
                                    b.constant(Tensor::scalar(ElementType::I64, 1)),
                                    /*exclusive=*/false, /*reverse=*/false);
  Value drawn = b.mul(uniform, b.slice(sums, 1, classes - 1, classes));
  Value bounds = b.reshape(b.slice(sums, 1, 0, classes - 1), {rows, 1, classes - 1});
  Value isPassed = b.binary(BinaryKind::LessEqual, bounds, b.reshape(drawn, {rows, samples, 1}));
  Value number = b.reduce(ReduceKind::Sum, b.cast(isPassed, ElementType::I64), {2});
  return b.reshape(b.cast(number, fromMlir(type.getElementType())), type.getShape());
}

} // namespace

std::optional<SmallVector<Value>> lowerRandom(TypedBuilder &b, RandomOp op) {
  RankedTensorType type = staticType(op.getResult());
  if (!type || type.getNumElements() > kMaxDraws) {
    return std::nullopt;
  }
  StringRef distribution = op.getDistribution();
  Value result;
  if (distribution == "multinomial") {
    result = lowerMultinomial(b, op, type);
  } else if (distribution == "bernoulli") {
    Value uniform = drawUniform(b, op, type.getShape());
    Value probability = b.cast(op.getInput(), ElementType::F64);
    result = uniform ? b.cast(b.binary(BinaryKind::Less, uniform, probability),
                              fromMlir(type.getElementType()))
                     : Value();
  } else {
    result =
        draw(b, op, distribution, type.getElementType(), type.getShape(), op.getA(), op.getB());
  }
  return result ? std::optional<SmallVector<Value>>({result}) : std::nullopt;
}

} // namespace convoy::simplify
