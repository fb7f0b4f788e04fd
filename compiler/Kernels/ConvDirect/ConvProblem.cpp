// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognition of convolution kernels.

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Graph/OpClass.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

bool isF32(Value value) { return cast<TensorType>(value.getType()).getElementType().isF32(); }

std::optional<ConvProblem> problemOf(graph::ConvOp conv) {
  ArrayRef<int64_t> input = shapeOf(conv.getInput());
  ArrayRef<int64_t> weight = shapeOf(conv.getWeight());
  ArrayRef<int64_t> output = shapeOf(conv.getResult());
  if (input.size() != 3 && input.size() != 4) {
    return std::nullopt;
  }
  if (llvm::any_of(conv.getPads(), [](int64_t pad) { return pad < 0; })) {
    return std::nullopt;
  }
  ConvProblem p;
  size_t last = input.size() - 3; // the spatial dimension that is columns
  p.batch = input[0];
  p.groups = conv.getGroups();
  p.inputChannels = weight[1];
  p.outputChannels = output[1] / p.groups;
  p.inputColumns = input[last + 2];
  p.outputColumns = output[last + 2];
  p.kernelColumns = weight[last + 2];
  p.strideColumns = conv.getStrides()[last];
  p.dilationColumns = conv.getDilations()[last];
  p.padLeft = conv.getPads()[last];
  if (last == 1) {
    p.inputRows = input[2];
    p.outputRows = output[2];
    p.kernelRows = weight[2];
    p.strideRows = conv.getStrides()[0];
    p.dilationRows = conv.getDilations()[0];
    p.padTop = conv.getPads()[0];
  }
  return p;
}

std::optional<ConvProblem> problemOf(graph::MatMulOp product) {
  ArrayRef<int64_t> lhs = shapeOf(product.getLhs());
  ArrayRef<int64_t> rhs = shapeOf(product.getRhs());
  if (lhs.size() != 2 || rhs.size() != 2) {
    return std::nullopt;
  }
  ConvProblem p;
  p.isMatrix = true;
  p.inputChannels = lhs[1];
  p.outputChannels = rhs[1];
  p.inputColumns = p.outputColumns = lhs[0];
  return p;
}

} // namespace

std::optional<ConvKernel> matchConvKernel(Block &body) {
  ConvKernel kernel;
  for (Operation &op : body.without_terminator()) {
    if (isa<graph::ConvOp, graph::MatMulOp>(op)) {
      if (kernel.op) {
        return std::nullopt;
      }
      kernel.op = &op;
    } else if (graph::classify(&op) != graph::OpClass::Elementwise && !isa<graph::ConstantOp>(op)) {
      return std::nullopt;
    }
  }
  Operation *end = body.getTerminator();
  if (!kernel.op || end->getNumOperands() != 1 || !isF32(end->getOperand(0))) {
    return std::nullopt;
  }
  auto input = dyn_cast<BlockArgument>(kernel.op->getOperand(0));
  auto weight = dyn_cast<BlockArgument>(kernel.op->getOperand(1));
  bool isOfArguments = input && weight && input != weight && weight.hasOneUse();
  if (!isOfArguments || !llvm::all_of(kernel.op->getOperands(), isF32)) {
    return std::nullopt;
  }
  std::optional<ConvProblem> problem;
  if (auto conv = dyn_cast<graph::ConvOp>(kernel.op)) {
    problem = problemOf(conv);
  } else {
    problem = problemOf(cast<graph::MatMulOp>(kernel.op));
  }
  if (!problem || problem->multiplications() == 0) {
    return std::nullopt;
  }
  kernel.input = input.getArgNumber();
  kernel.isInputReused = !input.hasOneUse();
  kernel.weight = weight.getArgNumber();
  kernel.problem = *problem;
  return kernel;
}

std::optional<SmallVector<Attribute>> epilogueLayouts(const ConvKernel &kernel, Block &body,
                                                      int64_t block) {
  ArrayRef<int64_t> output = shapeOf(kernel.op->getResult(0));
  auto blocked = graph::BlockedAttr::get(body.getParentOp()->getContext(), block);
  auto conv = dyn_cast<graph::ConvOp>(kernel.op);
  SmallVector<Attribute> layouts;
  for (BlockArgument argument : body.getArguments()) {
    unsigned number = argument.getArgNumber();
    ArrayRef<int64_t> shape = shapeOf(argument);
    Attribute layout;
    bool isBias = conv && conv.getBias() == argument;
    // A vector added to a matrix has its channels where a blocked vector has them.
    isBias |= output.size() == 2 && shape.size() == 1 && shape[0] == output[1];
    if (number == kernel.input || number == kernel.weight) {
      // The template's own.
    } else if (isBias) {
      if (!argument.hasOneUse()) {
        return std::nullopt;
      }
      layout = blocked;
    } else if (shape.size() == output.size()) {
      layout = shape[1] == output[1] && output[1] != 1 ? Attribute(blocked) : Attribute();
    } else {
      // Aligned at the end: the channel dimension, if it is there, is not where a
      // blocked layout has it. Planar serves when lanes never leave the tensor.
      size_t missing = output.size() - shape.size();
      bool hasChannels = missing <= 1 && shape[1 - missing] != 1;
      if (shape.size() > output.size() || (hasChannels && output[1] % block != 0)) {
        return std::nullopt;
      }
    }
    layouts.push_back(layout);
  }
  return layouts;
}

SmallVector<unsigned> addedOperands(const ConvKernel &kernel, Block &body) {
  Type type = body.getTerminator()->getOperand(0).getType();
  SmallVector<unsigned> added;
  for (BlockArgument argument : body.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (number != kernel.input && number != kernel.weight && argument.getType() == type) {
      added.push_back(number);
    }
  }
  return added;
}

bool isEpilogueFlat(const ConvKernel &kernel, Block &body) {
  ArrayRef<int64_t> spatial = shapeOf(kernel.op->getResult(0)).drop_front(2);
  auto conv = dyn_cast<graph::ConvOp>(kernel.op);
  auto isFlat = [&](Value value) {
    ArrayRef<int64_t> shape = shapeOf(value);
    ArrayRef<int64_t> own = shape.take_back(std::min(shape.size(), spatial.size()));
    return llvm::all_of(own, [](int64_t size) { return size == 1; }) || own == spatial;
  };
  return llvm::all_of(body.getArguments(), [&](BlockArgument argument) {
    unsigned number = argument.getArgNumber();
    bool isOwn =
        number == kernel.input || number == kernel.weight || (conv && conv.getBias() == argument);
    return isOwn || isFlat(argument);
  });
}

} // namespace convoy::kernels
