// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantities of convcore ops, and the check of an op against a device's capability table.

#include "Accelerators/Capabilities.h"
#include "Accelerators/Accelerator.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Graph.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace convoy::accelerators {
namespace {

constexpr std::pair<Quantity, llvm::StringLiteral> kNames[] = {
    {Quantity::Batch, "batch"},
    {Quantity::InputChannels, "input channels"},
    {Quantity::OutputChannels, "output channels"},
    {Quantity::InputHeight, "input height"},
    {Quantity::InputWidth, "input width"},
    {Quantity::KernelHeight, "kernel height"},
    {Quantity::KernelWidth, "kernel width"},
    {Quantity::StrideHeight, "stride along the height"},
    {Quantity::StrideWidth, "stride along the width"},
    {Quantity::DilationHeight, "dilation along the height"},
    {Quantity::DilationWidth, "dilation along the width"},
    {Quantity::Pad, "padding"},
    {Quantity::Groups, "groups"},
    {Quantity::GroupInputs, "input channels of a group"},
    {Quantity::Inputs, "inputs"},
    {Quantity::Neighbors, "neighboring channels"},
    {Quantity::Multiplier, "requantization multiplier"},
    {Quantity::Shift, "requantization shift"},
    {Quantity::ZeroPoint, "magnitude of the input's zero point"},
    {Quantity::WeightZeroPoint, "magnitude of the weights' zero point"},
};

std::optional<int64_t> largest(ArrayRef<int64_t> values) {
  return values.empty() ? std::nullopt
                        : std::optional(*std::max_element(values.begin(), values.end()));
}

std::optional<int64_t> measureWindow(Quantity quantity, ArrayRef<int64_t> kernel,
                                     ArrayRef<int64_t> strides, ArrayRef<int64_t> pads) {
  switch (quantity) {
  case Quantity::KernelHeight:
    return kernel[0];
  case Quantity::KernelWidth:
    return kernel[1];
  case Quantity::StrideHeight:
    return strides[0];
  case Quantity::StrideWidth:
    return strides[1];
  case Quantity::Pad:
    return largest(pads);
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> measureConv(convcore::ConvOp op, Quantity quantity) {
  ArrayRef<int64_t> weight = cast<RankedTensorType>(op.getWeight().getType()).getShape();
  switch (quantity) {
  case Quantity::DilationHeight:
    return op.getDilations()[0];
  case Quantity::DilationWidth:
    return op.getDilations()[1];
  case Quantity::Groups:
    return op.getGroups();
  case Quantity::GroupInputs:
    return weight[1];
  case Quantity::WeightZeroPoint:
    return std::abs(static_cast<int64_t>(op.getWeightZeroPoint()));
  default:
    return measureWindow(quantity, weight.drop_front(2), op.getStrides(), op.getPads());
  }
}

/// Returns a requantization quantity of an op, or nothing if the op has no requantization.
std::optional<int64_t> measureRequant(Operation *op, Quantity quantity) {
  if (quantity == Quantity::ZeroPoint) {
    auto zeroPoint = op->getAttrOfType<IntegerAttr>("inputZeroPoint");
    return zeroPoint ? std::optional(std::abs(zeroPoint.getInt())) : std::nullopt;
  }
  auto requant = op->getAttrOfType<convcore::RequantAttr>("requant");
  if (!requant) {
    return std::nullopt;
  }
  return largest(quantity == Quantity::Multiplier ? requant.getMultipliers() : requant.getShifts());
}

/// Returns a size of the first operand or of the result.
std::optional<int64_t> measureShape(Operation *op, Quantity quantity) {
  auto shapeOf = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getShape() : ArrayRef<int64_t>();
  };
  auto dim = [](ArrayRef<int64_t> shape, size_t i) {
    return i < shape.size() ? std::optional(shape[i]) : std::nullopt;
  };
  if (op->getNumOperands() == 0 || op->getNumResults() == 0) {
    return std::nullopt;
  }
  ArrayRef<int64_t> input = shapeOf(op->getOperand(0));
  switch (quantity) {
  case Quantity::Batch:
    return dim(input, 0);
  case Quantity::InputChannels:
    return dim(input, 1);
  case Quantity::InputHeight:
    return dim(input, 2);
  case Quantity::InputWidth:
    return dim(input, 3);
  case Quantity::OutputChannels:
    return dim(shapeOf(op->getResult(0)), 1);
  default:
    return std::nullopt;
  }
}

/// Returns the type names of a row separated by commas, for example "f32, i8".
std::string listTypes(ArrayRef<ElementType> types) {
  std::string text;
  for (ElementType type : types) {
    text += (text.empty() ? "" : ", ") + name(type).str();
  }
  return text;
}

} // namespace

llvm::StringRef name(Quantity quantity) {
  for (const auto &[known, text] : kNames) {
    if (known == quantity) {
      return text;
    }
  }
  llvm_unreachable("every quantity has a name");
}

std::optional<int64_t> measure(Operation *op, Quantity quantity) {
  switch (quantity) {
  case Quantity::Batch:
  case Quantity::InputChannels:
  case Quantity::OutputChannels:
  case Quantity::InputHeight:
  case Quantity::InputWidth:
    return measureShape(op, quantity);
  case Quantity::Multiplier:
  case Quantity::Shift:
  case Quantity::ZeroPoint:
    return measureRequant(op, quantity);
  default:
    break;
  }
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](convcore::ConvOp conv) { return measureConv(conv, quantity); })
      .Case([&](convcore::PoolOp pool) {
        return measureWindow(quantity, pool.getKernel(), pool.getStrides(), pool.getPads());
      })
      .Case<convcore::LrnOp, convcore::IntegerLrnOp, convcore::ByteLrnOp>([&](auto lrn) {
        return quantity == Quantity::Neighbors ? std::optional<int64_t>(lrn.getSize())
                                               : std::nullopt;
      })
      .Case([&](convcore::ConcatOp concat) {
        return quantity == Quantity::Inputs ? std::optional<int64_t>(concat.getInputs().size())
                                            : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

const OpSupport *Capabilities::find(llvm::StringRef op) const {
  for (const OpSupport &row : rows) {
    if (row.op == op) {
      return &row;
    }
  }
  return nullptr;
}

std::optional<int64_t> Capabilities::limit(llvm::StringRef op, Quantity quantity) const {
  if (const OpSupport *row = find(op)) {
    for (const Limit &limit : row->limits) {
      if (limit.quantity == quantity) {
        return limit.most;
      }
    }
  }
  return std::nullopt;
}

std::optional<Refusal> Capabilities::refuse(Operation *op, ElementType floatType) const {
  if (isa<graph::ConstantOp>(op)) {
    return std::nullopt;
  }
  llvm::StringRef mnemonic = op->getName().stripDialect();
  const OpSupport *row = find(mnemonic);
  if (!row) {
    return Refusal{llvm::formatv("the device does not support {0}", mnemonic).str(), "",
                   std::nullopt};
  }
  ElementType type = fromMlir(cast<TensorType>(op->getOperand(0).getType()).getElementType());
  bool isNarrowed = type == ElementType::F32 && floatType != ElementType::Undefined;
  if (!llvm::is_contained(row->types, isNarrowed ? floatType : type)) {
    Refusal refusal{llvm::formatv("{0} has element type {1}; the device supports {2}", mnemonic,
                                  name(type), listTypes(row->types))
                        .str(),
                    isFloat(type) ? "quantize the model" : "", std::nullopt};
    refusal.needsIntegers = isFloat(type) && llvm::none_of(row->types, isFloat);
    return refusal;
  }
  for (const Limit &limit : row->limits) {
    std::optional<int64_t> actual = measure(op, limit.quantity);
    if (actual && *actual > limit.most) {
      return Refusal{
          llvm::formatv("{0} of {1} is {2}; the device supports at most {3}", name(limit.quantity),
                        mnemonic, *actual, limit.most)
              .str(),
          llvm::formatv("reduce the {0} to at most {1}", name(limit.quantity), limit.most).str(),
          limit.quantity, *actual, limit.most};
    }
  }
  return std::nullopt;
}

std::optional<Refusal> whyNot(const Accelerator &device, Operation *op) {
  std::optional<Refusal> refusal = device.capabilities().refuse(op, device.floatType());
  return refusal || isa<graph::ConstantOp>(op) ? refusal : device.refuse(op);
}

} // namespace convoy::accelerators
