// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the first condition of each template that a kernel does not meet. The conditions are those
// of the functions that choose a configuration; Candidates.cpp calls these functions.

#include "Layout/Refusals.h"
#include "Graph/OpClass.h"
#include "Kernels/ConvDirect/ConvDirect.h"
#include "Kernels/ConvDot/ConvDot.h"
#include "Kernels/ConvTiles/ConvTiles.h"
#include "Kernels/Depthwise/Depthwise.h"
#include "Kernels/PoolPixels/PoolPixels.h"
#include "Kernels/Winograd/Winograd.h"
#include "Layout/Candidates.h"
#include "Layout/Spaces.h"
#include "Layout/TemplateId.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace convoy::layout {
namespace {

using kernels::ConvKernel;
using kernels::ConvProblem;
using kernels::InputLayout;

constexpr StringLiteral kShortVectors = "the vectors of the target are shorter than 256 bytes";
constexpr StringLiteral kFloats =
    "the kernel computes with floats, the template expects 8-bit integers";
constexpr StringLiteral kIntegers = "the kernel computes with integers, the template expects f32";
constexpr StringLiteral kNoDot = "the target has no instruction for dot products of integers";

bool isProduct(Operation &op) {
  return isa<graph::ConvOp, graph::MatMulOp, graph::IntegerConvOp, graph::IntegerMatMulOp>(op);
}

int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

std::string whyNotConstant(bool isConv) {
  return isConv ? "the weights of the convolution are computed at run time"
                : "the second operand of the product is computed at run time";
}

/// Returns why the shapes, types or operands of a convolution or product match no template.
std::string whyNotProduct(Operation &op, graph::KernelOp kernel) {
  bool isConv = isa<graph::ConvOp, graph::IntegerConvOp>(op);
  Value lhs = op.getOperand(0), rhs = op.getOperand(1);
  auto weight = dyn_cast<BlockArgument>(rhs);
  if (weight && !kernel.getInputs()[weight.getArgNumber()].getDefiningOp<graph::ConstantOp>()) {
    return whyNotConstant(isConv);
  }
  if (!isConv && (rankOf(lhs) != 2 || rankOf(rhs) != 2)) {
    return "the operands of the product have " + std::to_string(rankOf(lhs)) + " and " +
           std::to_string(rankOf(rhs)) + " dimensions, the template expects two matrices";
  }
  if (isConv && rankOf(lhs) != 3 && rankOf(lhs) != 4) {
    return "the convolution has " + std::to_string(rankOf(lhs) - 2) +
           " spatial dimensions, the template expects 1 or 2";
  }
  if (!isa<BlockArgument>(lhs) || !isa<BlockArgument>(rhs)) {
    return "another op of the kernel computes an operand of the " +
           std::string(isConv ? "convolution" : "product");
  }
  auto element = cast<RankedTensorType>(lhs.getType()).getElementType();
  if (!element.isF32() && element.getIntOrFloatBitWidth() != 8) {
    std::string type;
    llvm::raw_string_ostream(type) << element;
    return "the kernel computes with " + type + ", the template expects f32 or 8-bit integers";
  }
  return "the operands, padding or results of the kernel are not supported";
}

/// Returns why a kernel is not a convolution or product with element-wise ops, as layerOf matches
/// it.
std::string whyNotLayer(graph::KernelOp kernel) {
  Operation *product = nullptr, *other = nullptr;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isProduct(op) && product) {
      return "the kernel has several convolutions or products";
    }
    if (isProduct(op)) {
      product = &op;
    } else if (isa<graph::ConvTransposeOp>(op)) {
      return "the kernel is a transposed convolution";
    } else if (graph::classify(&op) != graph::OpClass::Elementwise && !isa<graph::ConstantOp>(op)) {
      other = &op;
    }
  }
  if (!product) {
    return "the kernel is not a convolution or a product with a constant matrix";
  }
  if (other) {
    return "the kernel also computes " + other->getName().stripDialect().str() +
           ", which is not element-wise";
  }
  return whyNotProduct(*product, kernel);
}

std::string whyNotGroups(const ConvProblem &p, int64_t block) {
  return "a group has " + std::to_string(p.inputChannels) + " input and " +
         std::to_string(p.outputChannels) + " output channels, the template expects multiples of " +
         std::to_string(block);
}

/// Finds the reasons of all templates for one kernel.
class RefusalFinder {
public:
  RefusalFinder(graph::KernelOp kernel, const kernels::Machine &machine, bool isStrictMath)
      : kernel(kernel), machine(machine), isStrictMath(isStrictMath), layer(layerOf(kernel)) {}

  std::string reasonOf(StringRef id) {
    if (id == "pool_pixels") {
      return pool();
    }
    if (!layer) {
      return whyNotLayer(kernel);
    }
    if (!kernel.getInputs()[layer->weight].getDefiningOp<graph::ConstantOp>()) {
      return whyNotConstant(/*isConv=*/!layer->problem.isMatrix);
    }
    std::string reason = id == "conv_direct"                  ? direct()
                         : id == "conv_dot"                   ? dot()
                         : id == "conv_tiles"                 ? tiles()
                         : id == "depthwise"                  ? depthwise()
                         : id == "conv_pixels"                ? pixels()
                         : StringRef(id).contains("winograd") ? winograd(id == "winograd_pixels")
                                                              : "";
    return reason.empty() ? "no configuration of the template fits the ops after the convolution"
                          : reason;
  }

private:
  const ConvProblem &problem() const { return layer->problem; }

  std::string pool() {
    auto matched = kernels::matchPoolKernel(kernel.getBody().front());
    if (!matched) {
      return "the kernel is not a single max pool of f32 images";
    }
    return machine.hasLongVectors()
               ? "the window has more than 64 elements, or the result has a single pixel"
               : kShortVectors.str();
  }

  std::string direct() {
    if (layer->integers) {
      return kIntegers.str();
    }
    InputLayout input = problem().isMatrix ? InputLayout::Matrix : InputLayout::Blocked;
    if (!kernels::canRunConvDirect(problem(), input, machine)) {
      return whyNotGroups(problem(), machine.lanes());
    }
    return reasonWith(
        kernels::chooseConvDirect(problem(), input, isFlat(), machine, kernel.getContext()),
        problem().isMatrix ? Attribute() : blocked());
  }

  std::string dot() {
    if (!layer->integers) {
      return kFloats.str();
    }
    if (machine.dot == kernels::DotForm::None) {
      return kNoDot.str();
    }
    std::string reason = kernels::whyNotConvDot(*layer, machine.lanes());
    auto choice = reason.empty()
                      ? kernels::chooseConvDot(*layer, isFlat(), machine, kernel.getContext())
                      : std::nullopt;
    return choice ? reasonWith(choice, kernels::convDotInput(problem(), choice->config)) : reason;
  }

  std::string tiles() {
    if (!layer->integers) {
      return kFloats.str();
    }
    if (!machine.hasTiles) {
      return "the target has no tile registers (AMX)";
    }
    std::string reason = kernels::whyNotConvTiles(*layer);
    return reason.empty()
               ? reasonWith(kernels::chooseConvTiles(*layer, machine, kernel.getContext()),
                            blocked())
               : reason;
  }

  std::string depthwise() {
    if (!kernels::canRunDepthwise(problem())) {
      return "the kernel is not a depthwise convolution with one output channel per group";
    }
    if (layer->integers && machine.dot == kernels::DotForm::None) {
      return kNoDot.str();
    }
    return reasonWith(kernels::chooseDepthwise(problem(), machine, kernel.getContext()), blocked());
  }

  std::string pixels() const {
    if (layer->integers) {
      return kIntegers.str();
    }
    return machine.hasLongVectors()
               ? "the kernel has groups, is a product of matrices or has a single pixel"
               : kShortVectors.str();
  }

  std::string winograd(bool isOfPixels) {
    if (layer->integers) {
      return kIntegers.str();
    }
    if (!kernels::canRunWinograd(problem(), 2)) {
      return "the kernel is not a 3 x 3 convolution with one group, stride 1 and dilation 1";
    }
    if (isStrictMath) {
      return "--math=strict excludes Winograd convolution";
    }
    if (isOfPixels) {
      return machine.hasLongVectors() ? "" : kShortVectors.str();
    }
    if (!kernels::isForWinograd(problem(), machine)) {
      return "the convolution has " + std::to_string(problem().inputChannels) +
             " input channels, the template expects at least " +
             std::to_string(machine.lanes() / 2);
    }
    return reasonWith(kernels::chooseWinograd(problem(), machine, kernel.getContext()), blocked());
  }

  /// Returns why a chosen configuration does not fit the kernel; the candidate's error ends with
  /// it.
  template <typename Choice>
  std::string reasonWith(const std::optional<Choice> &choice, Attribute input) {
    if (!choice) {
      return "";
    }
    llvm::Expected<Candidate> candidate = candidateFor(kernel, choice->config, input);
    return candidate ? ""
                     : StringRef(llvm::toString(candidate.takeError())).split(">: ").second.str();
  }

  Attribute blocked() { return graph::BlockedAttr::get(kernel.getContext(), machine.lanes()); }
  bool isFlat() { return kernels::isEpilogueFlat(*layer, kernel.getBody().front()); }

  graph::KernelOp kernel;
  const kernels::Machine &machine;
  bool isStrictMath;
  std::optional<ConvKernel> layer;
};

} // namespace

std::vector<Refusal> refusalsOf(graph::KernelOp kernel, const kernels::Machine &machine,
                                bool isStrictMath) {
  llvm::StringSet<> offered;
  for (const Candidate &candidate : candidatesOf(kernel, machine, isStrictMath)) {
    offered.insert(templateOf(candidate.config));
  }
  RefusalFinder finder(kernel, machine, isStrictMath);
  std::vector<Refusal> refusals;
  for (const TemplateVersion &known : templateVersions()) {
    if (known.id != kLoopsTemplate && !offered.contains(known.id)) {
      refusals.push_back({known.id.str(), finder.reasonOf(known.id)});
    }
  }
  return refusals;
}

} // namespace convoy::layout
