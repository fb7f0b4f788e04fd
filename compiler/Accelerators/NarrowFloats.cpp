// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a function from f32, in which layers are fused, to the float type of a device.

#include "Accelerators/Rewrites.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::accelerators {
namespace {

/// Returns the type with `floats` in place of f32.
Type narrowed(Type type, Type floats) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32() ? tensor.clone(floats) : type;
}

Tensor rounded(const Tensor &tensor, ElementType type) {
  Tensor result(type, tensor.shape());
  dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    const auto *from = tensor.data<float>();
    std::transform(from, from + tensor.size(), result.mutableData<T>(),
                   [](float value) { return static_cast<T>(value); });
  });
  return result;
}

void narrowConstant(graph::ConstantOp op, ElementType type) {
  if (!cast<TensorType>(op.getType()).getElementType().isF32()) {
    return;
  }
  OpBuilder builder(op);
  Tensor tensor = graph::toTensor(op.getValue());
  Value narrow = graph::constant(builder, op.getLoc(), rounded(tensor, type));
  op.getResult().replaceAllUsesWith(narrow);
  op.erase();
}

/// Changes a conversion to f32 into one to the device's type, and erases a conversion that has no
/// effect.
void narrowConversion(convcore::ConvertOp op, Type floats) {
  if (op.getTo().isF32()) {
    op.setTo(floats);
  }
  if (op.getInput().getType() == op.getType()) {
    op.getResult().replaceAllUsesWith(op.getInput());
    op.erase();
  }
}

} // namespace

void narrowFloats(func::FuncOp function, const Accelerator &device) {
  ElementType type = device.floatType();
  if (type == ElementType::F32 || type == ElementType::Undefined) {
    return;
  }
  mlir::Block &block = function.getBody().front();
  Type floats = toMlir(type, function.getContext());
  for (BlockArgument argument : block.getArguments()) {
    argument.setType(narrowed(argument.getType(), floats));
  }
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
      narrowConstant(constant, type);
      continue;
    }
    for (Value result : op.getResults()) {
      result.setType(narrowed(result.getType(), floats));
    }
    if (auto convert = dyn_cast<convcore::ConvertOp>(op)) {
      narrowConversion(convert, floats);
    }
  }
  function.setType(FunctionType::get(function.getContext(), block.getArgumentTypes(),
                                     block.getTerminator()->getOperandTypes()));
}

} // namespace convoy::accelerators
