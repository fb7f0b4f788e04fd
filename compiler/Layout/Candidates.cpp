// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the candidates of a kernel: the configuration that each template chooses with its cost
// model, and the layouts that a configuration requires. The configuration may also come from a
// tuning record.

#include "Layout/Candidates.h"
#include "Kernels/ConvDirect/ConvDirect.h"
#include "Kernels/ConvDot/ConvDot.h"
#include "Kernels/ConvPixels/ConvPixels.h"
#include "Kernels/ConvTiles/ConvTiles.h"
#include "Kernels/Depthwise/Depthwise.h"
#include "Kernels/PoolPixels/PoolPixels.h"
#include "Kernels/Winograd/Winograd.h"
#include "Kernels/WinogradPixels/WinogradPixels.h"
#include "Layout/LoopCandidates.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::layout {
namespace {

/// Cycles per element of a strided copy.
constexpr double kReorderCycles = 1.5;

using kernels::ConvKernel;
using kernels::InputLayout;

std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (attribute) {
    attribute.print(stream);
  } else {
    stream << "planar";
  }
  return text;
}

/// The reason why a configuration does not fit a kernel; part of the error message.
using Reason = std::string;

/// Derives from a configuration of a convolution the layouts of the kernel's operands and result.
class ConvCandidate {
public:
  ConvCandidate(graph::KernelOp kernel, const ConvKernel &conv, Attribute config, Attribute input)
      : kernel(kernel), conv(conv), config(config), input(input) {}

  /// Fills `candidate` and returns an empty string, or returns the reason why the configuration
  /// does not fit.
  Reason make(Candidate &candidate) {
    if (!kernel.getInputs()[conv.weight].getDefiningOp<graph::ConstantOp>()) {
      return "its weights are not a constant";
    }
    bool isForIntegers = isa<kernels::ConvDotAttr, kernels::ConvTilesAttr>(config);
    if (!isa<kernels::DepthwiseAttr>(config) && isForIntegers != conv.integers.has_value()) {
      return isForIntegers ? "the template expects integers, the kernel computes with floats"
                           : "the template expects floats, the kernel computes with integers";
    }
    Reason reason = llvm::TypeSwitch<Attribute, Reason>(config)
                        .Case<kernels::ConvDirectAttr>([&](auto own) { return direct(own); })
                        .Case<kernels::ConvDotAttr>([&](auto own) { return dot(own); })
                        .Case<kernels::ConvTilesAttr>([&](auto own) { return tileRegisters(own); })
                        .Case<kernels::DepthwiseAttr>([&](auto own) { return depthwise(own); })
                        .Case<kernels::WinogradAttr>([&](auto own) { return winograd(own); })
                        .Case<kernels::ConvPixelsAttr>([&](auto own) { return pixels(own); })
                        .Case<kernels::WinogradPixelsAttr>([&](auto own) { return tiles(own); })
                        .Default([](Attribute) {
                          return "the configuration is not of a convolution template";
                        });
    if (reason.empty()) {
      candidate = std::move(result);
    }
    return reason;
  }

private:
  /// Sets the layouts of the epilogue operands and of the result, with lanes along channels.
  Reason alongChannels(int64_t block) {
    auto layouts = kernels::epilogueLayouts(conv, kernel.getBody().front(), block);
    if (!layouts) {
      return "an operand of its epilogue has no layout with lanes along channels";
    }
    result.operands = *layouts;
    result.result = graph::BlockedAttr::get(kernel.getContext(), block);
    result.config = config;
    result.operands[conv.input] = input;
    return "";
  }

  /// Gives the input and the result the same layout.
  Reason inBlocks(int64_t block, Attribute weights) {
    Reason reason = alongChannels(block);
    if (reason.empty() && input != result.result) {
      return "the template expects its input as " + textOf(result.result) + ", got " +
             textOf(input);
    }
    if (reason.empty()) {
      result.operands[conv.weight] = weights;
    }
    return reason;
  }

  Reason direct(kernels::ConvDirectAttr own) {
    const kernels::ConvProblem &p = conv.problem;
    auto blocked = graph::BlockedAttr::get(kernel.getContext(), own.getBlock());
    InputLayout form = p.isMatrix         ? InputLayout::Matrix
                       : input == blocked ? InputLayout::Blocked
                                          : InputLayout::Planar;
    if (input && form != InputLayout::Blocked) {
      return "the template expects its input as " + textOf(blocked) + " or planar, got " +
             textOf(input);
    }
    // If the rows of a matrix are whole blocks, the planar and the blocked layout have the same
    // bytes.
    auto inputType = cast<RankedTensorType>(kernel.getInputs()[conv.input].getType());
    bool isAsResult = form == InputLayout::Blocked ||
                      (p.isMatrix && graph::isSameInMemory(inputType.getShape(), input, blocked));
    if (!isAsResult && conv.isInputReused) {
      return "its epilogue also reads the input, so the input must have the layout of the result";
    }
    if (Reason reason = kernels::whyNotConvDirect(conv, kernel.getBody().front(), own, form);
        !reason.empty()) {
      return reason;
    }
    Reason reason = alongChannels(own.getBlock());
    if (reason.empty()) {
      result.operands[conv.weight] = kernels::convDirectWeights(p, own, form);
    }
    return reason;
  }

  Reason dot(kernels::ConvDotAttr own) {
    if (Reason reason = kernels::whyNotConvDot(conv, kernel.getBody().front(), own);
        !reason.empty()) {
      return reason;
    }
    Attribute wanted = kernels::convDotInput(conv.problem, own);
    auto blocked = graph::BlockedAttr::get(kernel.getContext(), own.getBlock());
    if (input != wanted) {
      return "the template expects its input as " + textOf(wanted) + ", got " + textOf(input);
    }
    if (conv.isInputReused && wanted != Attribute(blocked)) {
      return "its epilogue also reads the input, so the input must have the layout of the result";
    }
    Reason reason = alongChannels(own.getBlock());
    if (reason.empty()) {
      result.operands[conv.weight] = kernels::convDotWeights(conv, own);
    }
    return reason;
  }

  Reason tileRegisters(kernels::ConvTilesAttr own) {
    Reason reason = kernels::whyNotConvTiles(conv, own);
    return reason.empty() ? inBlocks(own.getBlock(), kernels::convTilesWeights(conv, own)) : reason;
  }

  Reason depthwise(kernels::DepthwiseAttr own) {
    return kernels::canRunDepthwise(conv.problem)
               ? inBlocks(own.getBlock(), kernels::depthwiseWeights(own))
               : "the kernel is not a depthwise convolution";
  }

  Reason winograd(kernels::WinogradAttr own) {
    return kernels::canRunWinograd(conv.problem, own.getTile())
               ? inBlocks(own.getBlock(), kernels::winogradWeights(own))
               : "the kernel is not a 3 x 3 convolution at stride 1, or the tile size is not "
                 "supported";
  }

  Reason pixels(kernels::ConvPixelsAttr own) {
    bool isFlat = kernels::isEpilogueFlat(conv, kernel.getBody().front());
    if (Reason reason = kernels::whyNotConvPixels(conv.problem, isFlat, own); !reason.empty()) {
      return reason;
    }
    return planar(kernels::convPixelsWeights(own));
  }

  Reason tiles(kernels::WinogradPixelsAttr own) {
    Reason reason = kernels::whyNotWinogradPixels(conv.problem, own);
    return reason.empty() ? planar(kernels::winogradPixelsWeights(own)) : reason;
  }

  /// Makes all operands except the weights planar.
  Reason planar(Attribute weights) {
    if (input) {
      return "the template expects a planar input, got " + textOf(input);
    }
    result.operands.resize(kernel.getInputs().size());
    result.operands[conv.weight] = weights;
    result.config = config;
    return "";
  }

  graph::KernelOp kernel;
  const ConvKernel &conv;
  Attribute config, input;
  Candidate result;
};

/// Fills the candidate of the generic loops with the main operand in layout `input`.
Reason loopsFor(graph::KernelOp kernel, const std::optional<ConvKernel> &conv, Attribute input,
                Candidate &candidate) {
  if (!input) {
    candidate = planarLoops(kernel, conv, kernels::Machine());
    return "";
  }
  auto blocked = dyn_cast<graph::BlockedAttr>(input);
  std::optional<Candidate> loops =
      blocked && !conv ? blockedLoops(kernel, blocked.getC(), /*takesIntegers=*/true)
                       : std::nullopt;
  if (!loops) {
    return "the generic loops do not support the input layout " + textOf(input);
  }
  candidate = *loops;
  return "";
}

Reason poolFor(graph::KernelOp kernel, kernels::PoolPixelsAttr config, Attribute input,
               Candidate &candidate) {
  if (!kernels::matchPoolKernel(kernel.getBody().front()) || input) {
    return "the kernel is not a max pool of planar tensors";
  }
  candidate.operands.resize(kernel.getInputs().size()); // planar
  candidate.config = config;
  return "";
}

/// Adds the configuration that a template chose. The configuration may still not fit the ops fused
/// with the convolution; it is then skipped.
void add(graph::KernelOp kernel, Attribute config, Attribute input, double cycles,
         std::vector<Candidate> &candidates) {
  llvm::Expected<Candidate> candidate = candidateFor(kernel, config, input);
  if (!candidate) {
    llvm::consumeError(candidate.takeError());
    return;
  }
  candidate->cycles = cycles;
  candidates.push_back(std::move(*candidate));
}

void addIntegers(graph::KernelOp kernel, const ConvKernel &conv, const kernels::Machine &machine,
                 std::vector<Candidate> &candidates) {
  MLIRContext *context = kernel.getContext();
  bool isFlat = kernels::isEpilogueFlat(conv, kernel.getBody().front());
  if (auto choice = kernels::chooseConvDot(conv, isFlat, machine, context)) {
    add(kernel, choice->config, kernels::convDotInput(conv.problem, choice->config), choice->cycles,
        candidates);
  }
  Attribute blocked = graph::BlockedAttr::get(context, machine.lanes());
  if (auto choice = kernels::chooseConvTiles(conv, machine, context)) {
    add(kernel, choice->config, blocked, choice->cycles, candidates);
  }
  if (auto choice = kernels::chooseDepthwise(conv.problem, machine, context)) {
    add(kernel, choice->config, blocked, choice->cycles, candidates);
  }
}

void addConvs(graph::KernelOp kernel, const ConvKernel &conv, const kernels::Machine &machine,
              bool isStrictMath, std::vector<Candidate> &candidates) {
  MLIRContext *context = kernel.getContext();
  const kernels::ConvProblem &p = conv.problem;
  Attribute blocked = graph::BlockedAttr::get(context, machine.lanes());
  bool isFlat = kernels::isEpilogueFlat(conv, kernel.getBody().front());
  SmallVector<InputLayout> inputs = {InputLayout::Blocked, InputLayout::Planar};
  if (p.isMatrix) {
    inputs = {InputLayout::Matrix};
  }
  for (InputLayout input : inputs) {
    if (auto choice = kernels::chooseConvDirect(p, input, isFlat, machine, context)) {
      add(kernel, choice->config, input == InputLayout::Blocked ? blocked : Attribute(),
          choice->cycles, candidates);
    }
  }
  if (auto choice = kernels::chooseConvPixels(p, isFlat, machine, context)) {
    add(kernel, choice->config, {}, choice->cycles, candidates);
  }
  if (auto choice = kernels::chooseDepthwise(p, machine, context)) {
    add(kernel, choice->config, blocked, choice->cycles, candidates);
  }
  if (isStrictMath) {
    return;
  }
  if (auto choice = kernels::chooseWinograd(p, machine, context)) {
    add(kernel, choice->config, blocked, choice->cycles, candidates);
  }
  if (auto choice = kernels::chooseWinogradPixels(p, machine, context)) {
    add(kernel, choice->config, {}, choice->cycles, candidates);
  }
}

} // namespace

std::optional<ConvKernel> layerOf(graph::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  std::optional<ConvKernel> conv = kernels::matchConvKernel(body);
  return conv ? conv : kernels::matchIntegerKernel(body);
}

llvm::Expected<Candidate> candidateFor(graph::KernelOp kernel, Attribute config, Attribute input) {
  std::optional<ConvKernel> conv = layerOf(kernel);
  Candidate candidate;
  Reason reason = "the kernel is not a convolution or a product with a constant matrix";
  if (!config) {
    reason = loopsFor(kernel, conv, input, candidate);
  } else if (auto pool = dyn_cast<kernels::PoolPixelsAttr>(config)) {
    reason = poolFor(kernel, pool, input, candidate);
  } else if (conv) {
    reason = ConvCandidate(kernel, *conv, config, input).make(candidate);
  }
  if (!reason.empty()) {
    return llvm::createStringError("the kernel cannot run as " +
                                   (config ? textOf(config) : "generic loops") + ": " + reason);
  }
  return candidate;
}

void applyCandidate(graph::KernelOp kernel, const Candidate &candidate) {
  Block &body = kernel.getBody().front();
  for (auto [argument, layout] : llvm::zip(body.getArguments(), candidate.operands)) {
    argument.setType(graph::withLayout(argument.getType(), layout));
  }
  if (candidate.config) {
    kernel.setConfigAttr(candidate.config);
  }
  Operation *yield = body.getTerminator();
  for (auto [result, value] : llvm::zip(kernel.getResults(), yield->getOperands())) {
    Type type = graph::withLayout(result.getType(), candidate.result);
    result.setType(type);
    value.setType(type);
  }
}

std::vector<Candidate> candidatesOf(graph::KernelOp kernel, const kernels::Machine &machine,
                                    bool isStrictMath) {
  std::optional<ConvKernel> conv = layerOf(kernel);
  std::vector<Candidate> candidates = {planarLoops(kernel, conv, machine)};
  if (conv && conv->integers) {
    if (machine.dot != kernels::DotForm::None) {
      addIntegers(kernel, *conv, machine, candidates);
    }
    return candidates;
  }
  if (conv) {
    addConvs(kernel, *conv, machine, isStrictMath, candidates);
    return candidates;
  }
  auto pool = kernels::matchPoolKernel(kernel.getBody().front());
  auto choice =
      pool ? kernels::choosePoolPixels(*pool, machine, kernel.getContext()) : std::nullopt;
  if (choice) {
    add(kernel, choice->config, {}, choice->cycles, candidates);
  }
  bool takesIntegers = machine.dot != kernels::DotForm::None;
  if (std::optional<Candidate> loops = blockedLoops(kernel, machine.lanes(), takesIntegers)) {
    candidates.push_back(*loops);
  }
  std::optional<Candidate> image = takesIntegers ? interleavedLoops(kernel, machine) : std::nullopt;
  if (image) {
    candidates.push_back(*image);
  }
  return candidates;
}

double reorderCycles(RankedTensorType type, Attribute from, Attribute to) {
  if (graph::isSameInMemory(type.getShape(), from, to)) {
    return 0;
  }
  return kReorderCycles * static_cast<double>(type.getNumElements());
}

} // namespace convoy::layout
