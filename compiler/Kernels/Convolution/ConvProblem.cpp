// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes convolution kernels and their epilogues. The layout stage matches kernels in
// graph.kernel regions; the lowering passes match them in functions.

#include "Kernels/Convolution/ConvProblem.h"
#include "Graph/OpFacts.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The reason for kernels without a convolution or product.
constexpr const char *kNoLayer =
    "the kernel is not a convolution or a product with a constant matrix";

constexpr const char *kOtherTypes =
    "the kernel does not compute with f32, or with 8-bit weights and inputs of 8 or 16 bits";

bool isF32(Value value) { return cast<TensorType>(value.getType()).getElementType().isF32(); }

/// Returns the reason why the shapes of a convolution are not supported, or an empty string.
template <typename ConvT>
std::string whyNotShape(ConvT conv) {
  size_t spatial = shapeOf(conv.getInput()).size() - 2;
  if (spatial != 1 && spatial != 2) {
    return "the convolution has " + std::to_string(spatial) +
           " spatial dimensions, the template expects 1 or 2";
  }
  bool isCropped = llvm::any_of(conv.getPads(), [](int64_t pad) { return pad < 0; });
  return isCropped ? "the convolution has negative padding" : "";
}

template <typename ProductT>
std::string whyNotProductShape(ProductT product) {
  size_t lhs = shapeOf(product.getLhs()).size(), rhs = shapeOf(product.getRhs()).size();
  return lhs == 2 && rhs == 2
             ? ""
             : "the operands of the product have " + std::to_string(lhs) + " and " +
                   std::to_string(rhs) + " dimensions, the template expects two matrices";
}

/// Returns the problem of a convolution; whyNotShape must return an empty string.
template <typename ConvT>
ConvProblem problemOfConv(ConvT conv) {
  ArrayRef<int64_t> input = shapeOf(conv.getInput());
  ArrayRef<int64_t> weight = shapeOf(conv.getWeight());
  ArrayRef<int64_t> output = shapeOf(conv.getResult());
  ConvProblem p;
  p.batch = input[0];
  p.groups = conv.getGroups();
  p.inputChannels = weight[1];
  p.outputChannels = output[1] / p.groups;
  setWindows(p, input.drop_front(2), output.drop_front(2), weight.drop_front(2), conv.getStrides(),
             conv.getDilations(), conv.getPads());
  return p;
}

/// Returns the problem of a product of two matrices.
template <typename ProductT>
ConvProblem problemOfProduct(ProductT product) {
  ArrayRef<int64_t> lhs = shapeOf(product.getLhs());
  ConvProblem p;
  p.isMatrix = true;
  p.inputChannels = lhs[1];
  p.outputChannels = shapeOf(product.getRhs())[1];
  p.inputColumns = p.outputColumns = lhs[0];
  return p;
}

/// Sets the problem of a kernel. Returns the reason why that is not possible, or an empty string.
std::string setProblem(ConvKernel &kernel) {
  std::string reason = llvm::TypeSwitch<Operation *, std::string>(kernel.op)
                           .Case<graph::ConvOp, graph::IntegerConvOp>([&](auto conv) {
                             std::string reason = whyNotShape(conv);
                             kernel.problem = reason.empty() ? problemOfConv(conv) : ConvProblem();
                             return reason;
                           })
                           .Case<graph::MatMulOp, graph::IntegerMatMulOp>([&](auto product) {
                             std::string reason = whyNotProductShape(product);
                             kernel.problem =
                                 reason.empty() ? problemOfProduct(product) : ConvProblem();
                             return reason;
                           });
  return reason.empty() && kernel.problem.multiplications() == 0 ? "a tensor is empty" : reason;
}

/// Finds the single op of the two types. Returns the reason why the kernel has none, or an empty
/// string. If `pool` is not null, the kernel may contain one max pool, which is stored there.
template <typename ConvT, typename ProductT>
std::string findLayer(Block &body, ConvKernel &kernel, graph::MaxPoolOp *pool = nullptr) {
  std::string other;
  for (Operation &op : body.without_terminator()) {
    if (auto own = dyn_cast<graph::MaxPoolOp>(op); own && pool && !*pool) {
      *pool = own;
      continue;
    }
    if (isa<ConvT, ProductT>(op)) {
      if (kernel.op) {
        return "the kernel has several convolutions or products";
      }
      kernel.op = &op;
    } else if (isa<graph::ConvTransposeOp>(op)) {
      return "the kernel is a transposed convolution";
    } else if (graph::classify(&op) != graph::OpClass::Elementwise && !isa<graph::ConstantOp>(op)) {
      other = "the kernel also computes " + op.getName().stripDialect().str() +
              ", which is not element-wise";
    }
  }
  if (!kernel.op) {
    return kNoLayer;
  }
  return other;
}

/// Returns the argument that holds the weights: operand 1, or the operand of its conversion from a
/// narrower float type.
BlockArgument weightArgument(Operation *op) {
  Value weight = op->getOperand(1);
  auto widening = weight.getDefiningOp<graph::CastOp>();
  if (!widening || !widening.getTo().isF32() || !widening->hasOneUse()) {
    return dyn_cast<BlockArgument>(weight);
  }
  Type stored = getElementTypeOrSelf(widening.getInput().getType());
  return stored.isF16() || stored.isBF16() ? dyn_cast<BlockArgument>(widening.getInput())
                                           : BlockArgument();
}

/// Matches a kernel with one op of the two types, whose operands are arguments, and element-wise
/// ops.
template <typename ConvT, typename ProductT>
ConvMatch matchKernel(Block &body, graph::MaxPoolOp *pool = nullptr) {
  ConvKernel kernel;
  if (std::string reason = findLayer<ConvT, ProductT>(body, kernel, pool); !reason.empty()) {
    return {std::nullopt, reason};
  }
  if (body.getTerminator()->getNumOperands() != 1) {
    return {std::nullopt, "the kernel has several results", kernel.op};
  }
  auto input = dyn_cast<BlockArgument>(kernel.op->getOperand(0));
  BlockArgument weight = weightArgument(kernel.op);
  if (!input || !weight || input == weight || !weight.hasOneUse()) {
    return {std::nullopt,
            input && weight ? "the kernel uses the weights more than once"
                            : "another op of the kernel computes an operand of the convolution "
                              "or product",
            kernel.op};
  }
  if (std::string reason = setProblem(kernel); !reason.empty()) {
    return {std::nullopt, reason, kernel.op};
  }
  kernel.input = input.getArgNumber();
  kernel.isInputReused = !input.hasOneUse();
  kernel.weight = weight.getArgNumber();
  kernel.weightType = fromMlir(cast<TensorType>(weight.getType()).getElementType());
  return {kernel, "", kernel.op};
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
         use.getOperandNumber() >= 2;
}

} // namespace

void setWindows(ConvProblem &p, ArrayRef<int64_t> input, ArrayRef<int64_t> output,
                ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                ArrayRef<int64_t> pads) {
  size_t last = kernel.size() - 1; // the columns
  p.inputColumns = input[last];
  p.outputColumns = output[last];
  p.kernelColumns = kernel[last];
  p.strideColumns = strides[last];
  p.dilationColumns = dilations[last];
  p.padLeft = pads[last];
  if (last == 1) {
    p.inputRows = input[0];
    p.outputRows = output[0];
    p.kernelRows = kernel[0];
    p.strideRows = strides[0];
    p.dilationRows = dilations[0];
    p.padTop = pads[0];
  }
}

Value ConvKernel::bias() const {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<graph::ConvOp, graph::IntegerConvOp, graph::IntegerMatMulOp>(
          [](auto layer) { return layer.getBias(); })
      .Default([](Operation *) { return Value(); });
}

Value ConvKernel::weightZeroPoints() const {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<graph::IntegerConvOp, graph::IntegerMatMulOp>(
          [](auto layer) { return layer.getChannelZeroPoints(); })
      .Default([](Operation *) { return Value(); });
}

bool ConvKernel::correctsWeights() const {
  return integers &&
         (integers->weightZeroPoint != (integers->isWeightSigned ? 0 : 128) || weightZeroPoints());
}

std::string whyNotConstant(Operation *op) {
  return isa<graph::ConvOp, graph::IntegerConvOp>(op)
             ? "the weights of the convolution are computed at run time"
             : "the second operand of the product is computed at run time";
}

static ConvMatch matchFloats(Block &body) {
  ConvMatch match = matchKernel<graph::ConvOp, graph::MatMulOp>(body);
  bool isOfFloats = match.kernel && isF32(body.getTerminator()->getOperand(0)) &&
                    llvm::all_of(match.kernel->op->getOperands(), isF32);
  if (match.kernel && !isOfFloats) {
    return {std::nullopt, kOtherTypes, match.op};
  }
  return match;
}

static unsigned bitsOf(Value value) {
  return cast<TensorType>(value.getType()).getElementTypeBitWidth();
}

static IntegerOperands integersOf(Operation *op) {
  IntegerOperands integers;
  if (auto conv = dyn_cast<graph::IntegerConvOp>(op)) {
    integers.inputZeroPoint = static_cast<int64_t>(conv.getInputZeroPoint());
    integers.weightZeroPoint = static_cast<int64_t>(conv.getWeightZeroPoint());
  } else {
    auto product = cast<graph::IntegerMatMulOp>(op);
    integers.inputZeroPoint = static_cast<int64_t>(product.getLhsZeroPoint());
    integers.weightZeroPoint = static_cast<int64_t>(product.getRhsZeroPoint());
  }
  integers.isInputSigned = isSigned(op->getOperand(0));
  integers.isWeightSigned = isSigned(op->getOperand(1));
  integers.isInputWide = bitsOf(op->getOperand(0)) == 16;
  return integers;
}

static ConvMatch matchIntegers(Block &body, graph::MaxPoolOp *pool = nullptr) {
  ConvMatch match = matchKernel<graph::IntegerConvOp, graph::IntegerMatMulOp>(body, pool);
  if (!match.kernel) {
    return match;
  }
  Operation *op = match.kernel->op;
  if (bitsOf(op->getOperand(0)) > 16 || bitsOf(op->getOperand(1)) != 8) {
    return {std::nullopt, kOtherTypes, match.op};
  }
  match.kernel->integers = integersOf(op);
  return match;
}

std::optional<ConvKernel> matchIntegerKernel(Block &body) { return matchIntegers(body).kernel; }

std::optional<ConvKernel> matchPooledIntegers(Block &body) {
  graph::MaxPoolOp pool;
  std::optional<ConvKernel> kernel = matchIntegers(body, &pool).kernel;
  return pool ? kernel : std::nullopt;
}

ConvMatch matchLayer(Block &body) {
  ConvMatch floats = matchFloats(body);
  if (floats.kernel || floats.reason != kNoLayer) {
    return floats;
  }
  return matchIntegers(body);
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
