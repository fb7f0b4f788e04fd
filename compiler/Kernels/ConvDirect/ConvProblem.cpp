// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises convolution kernels and their epilogues. The layout stage matches kernels in
// graph.kernel regions; the lowering passes match them in functions.

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Graph/OpFacts.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

bool isF32(Value value) { return cast<TensorType>(value.getType()).getElementType().isF32(); }

template <typename ConvT>
std::optional<ConvProblem> problemOfConv(ConvT conv) {
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
  size_t last = input.size() - 3; // index of the columns among the spatial dimensions
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

template <typename ProductT>
std::optional<ConvProblem> problemOfProduct(ProductT product) {
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

std::optional<ConvProblem> problemOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ConvProblem>>(op)
      .Case<graph::ConvOp, graph::IntegerConvOp>([](auto conv) { return problemOfConv(conv); })
      .Case<graph::MatMulOp, graph::IntegerMatMulOp>(
          [](auto product) { return problemOfProduct(product); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Matches a kernel with one op of the two types, whose operands are arguments, and element-wise
/// ops.
template <typename ConvT, typename ProductT>
std::optional<ConvKernel> matchKernel(Block &body) {
  ConvKernel kernel;
  for (Operation &op : body.without_terminator()) {
    if (isa<ConvT, ProductT>(op)) {
      if (kernel.op) {
        return std::nullopt;
      }
      kernel.op = &op;
    } else if (graph::classify(&op) != graph::OpClass::Elementwise && !isa<graph::ConstantOp>(op)) {
      return std::nullopt;
    }
  }
  if (!kernel.op || body.getTerminator()->getNumOperands() != 1) {
    return std::nullopt;
  }
  auto input = dyn_cast<BlockArgument>(kernel.op->getOperand(0));
  auto weight = dyn_cast<BlockArgument>(kernel.op->getOperand(1));
  bool isOfArguments = input && weight && input != weight && weight.hasOneUse();
  std::optional<ConvProblem> problem = isOfArguments ? problemOf(kernel.op) : std::nullopt;
  if (!problem || problem->multiplications() == 0) {
    return std::nullopt;
  }
  kernel.input = input.getArgNumber();
  kernel.isInputReused = !input.hasOneUse();
  kernel.weight = weight.getArgNumber();
  kernel.problem = *problem;
  return kernel;
}

bool isSigned(Value value) {
  return isSignedInteger(fromMlir(cast<TensorType>(value.getType()).getElementType()));
}

/// Returns whether an op indexes this operand by dimension 1.
bool readsByChannel(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto requantize = dyn_cast<graph::RequantizeOp>(op)) {
    return use.getOperandNumber() > 0 && requantize.getAxis() == 1;
  }
  if (auto dequantize = dyn_cast<graph::DequantizeLinearOp>(op)) {
    return use.getOperandNumber() > 0 && dequantize.getAxis() == 1 &&
           dequantize.getBlockSize() == 0;
  }
  return isa<graph::ConvOp, graph::IntegerConvOp, graph::IntegerMatMulOp>(op) &&
         use.getOperandNumber() == 2;
}

} // namespace

Value ConvKernel::bias() const {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<graph::ConvOp, graph::IntegerConvOp, graph::IntegerMatMulOp>(
          [](auto layer) { return layer.getBias(); })
      .Default([](Operation *) { return Value(); });
}

std::optional<ConvKernel> matchConvKernel(Block &body) {
  auto kernel = matchKernel<graph::ConvOp, graph::MatMulOp>(body);
  bool isOfFloats = kernel && isF32(body.getTerminator()->getOperand(0)) &&
                    llvm::all_of(kernel->op->getOperands(), isF32);
  return isOfFloats ? kernel : std::nullopt;
}

std::optional<ConvKernel> matchIntegerKernel(Block &body) {
  auto kernel = matchKernel<graph::IntegerConvOp, graph::IntegerMatMulOp>(body);
  auto isByte = [](Value value) {
    return cast<TensorType>(value.getType()).getElementTypeBitWidth() == 8;
  };
  if (!kernel || !isByte(kernel->op->getOperand(0)) || !isByte(kernel->op->getOperand(1))) {
    return std::nullopt;
  }
  IntegerOperands integers;
  if (auto conv = dyn_cast<graph::IntegerConvOp>(kernel->op)) {
    integers.inputZeroPoint = static_cast<int64_t>(conv.getInputZeroPoint());
    integers.weightZeroPoint = static_cast<int64_t>(conv.getWeightZeroPoint());
  } else {
    auto product = cast<graph::IntegerMatMulOp>(kernel->op);
    integers.inputZeroPoint = static_cast<int64_t>(product.getLhsZeroPoint());
    integers.weightZeroPoint = static_cast<int64_t>(product.getRhsZeroPoint());
  }
  integers.isInputSigned = isSigned(kernel->op->getOperand(0));
  integers.isWeightSigned = isSigned(kernel->op->getOperand(1));
  kernel->integers = integers;
  return kernel;
}

bool isChannelVector(BlockArgument argument) {
  return cast<RankedTensorType>(argument.getType()).getRank() == 1 &&
         llvm::all_of(argument.getUses(), readsByChannel);
}

std::optional<SmallVector<Attribute>> epilogueLayouts(const ConvKernel &kernel, Block &body,
                                                      int64_t block) {
  ArrayRef<int64_t> output = shapeOf(kernel.op->getResult(0));
  auto blocked = graph::BlockedAttr::get(body.getParentOp()->getContext(), block);
  Value bias = kernel.bias();
  SmallVector<Attribute> layouts;
  for (BlockArgument argument : body.getArguments()) {
    unsigned number = argument.getArgNumber();
    ArrayRef<int64_t> shape = shapeOf(argument);
    Attribute layout;
    bool isBias = bias == argument || isChannelVector(argument);
    // The elements of a vector added to a matrix are its channels, as in a blocked vector.
    isBias |= output.size() == 2 && shape.size() == 1 && shape[0] == output[1];
    if (number == kernel.input || number == kernel.weight) {
      // The template chooses these layouts.
    } else if (isBias) {
      if (!argument.hasOneUse() && !isChannelVector(argument)) {
        return std::nullopt;
      }
      layout = blocked;
    } else if (shape.size() == output.size()) {
      layout = shape[1] == output[1] && output[1] != 1 ? Attribute(blocked) : Attribute();
    } else {
      // The shape is aligned at the last dimension, so its channel dimension is not where a blocked
      // layout expects it. Planar works if lanes never exceed the tensor.
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
  auto isFlat = [&](Value value) {
    ArrayRef<int64_t> shape = shapeOf(value);
    ArrayRef<int64_t> own = shape.take_back(std::min(shape.size(), spatial.size()));
    return llvm::all_of(own, [](int64_t size) { return size == 1; }) || own == spatial;
  };
  return llvm::all_of(body.getArguments(), [&](BlockArgument argument) {
    unsigned number = argument.getArgNumber();
    bool isOwn = number == kernel.input || number == kernel.weight || isChannelVector(argument);
    return isOwn || isFlat(argument);
  });
}

} // namespace convoy::kernels
