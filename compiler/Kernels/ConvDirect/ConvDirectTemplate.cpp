// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_direct template. Emits the convolution that ConvDirect.td documents with the multiply of
// f32.

#include "Kernels/ConvDirect/ConvDirect.h"
#include "Kernels/Convolution/ConvTemplate.h"
#include "Kernels/Core/ConvEmitter.h"
#include "Kernels/Core/FloatMultiply.h"
#include "Kernels/Core/GroupWindows.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Returns the input layouts that the template tries for a problem, in order.
SmallVector<InputLayout> inputsOf(const ConvProblem &problem) {
  if (problem.isMatrix) {
    return {InputLayout::Matrix};
  }
  return {InputLayout::Blocked, InputLayout::Planar};
}

/// Returns the reason why a configuration does not fit the kernel, or an empty string if it fits.
/// The configuration may come from a file.
std::string whyNotConvDirect(const ConvKernel &kernel, Block &body, ConvDirectAttr config,
                             InputLayout input) {
  int64_t block = config.getBlock();
  bool joinsGroups = cutsBlocks(kernel.problem, block);
  ConvProblem p = joinsGroups ? joinGroups(kernel.problem) : kernel.problem;
  int64_t blocks = (p.outputChannels + block - 1) / block;
  int64_t depthBlock = depthBlockOf(p, input, block);
  int64_t columns = config.getColumns();
  if (kernel.problem.groups > 1 && input == InputLayout::Planar) {
    return "the input of a convolution with groups is planar";
  }
  constexpr int64_t kMaxFetch = 64; // each line is an instruction of the innermost step
  if (config.getFetch() > kMaxFetch) {
    return "fetch expects at most " + std::to_string(kMaxFetch) + " cache lines, got " +
           std::to_string(config.getFetch());
  }
  if (joinsGroups && config.getDepth() < p.inputChannels) {
    return "groups that are computed as one have one pass";
  }
  if (config.getVectors() > blocks || (p.groups > 1 && blocks % config.getVectors() != 0)) {
    return "the kernel has " + std::to_string(blocks) +
           " blocks of output channels, which tiles of " + std::to_string(config.getVectors()) +
           " blocks do not fit";
  }
  if (config.getDepth() % depthBlock != 0) {
    return "depth is not a multiple of a block of " + std::to_string(depthBlock) +
           " input channels";
  }
  bool isJoined = columns % p.outputColumns == 0 &&
                  (columns == 0 || p.outputRows * p.outputColumns % columns == 0);
  bool canJoin = p.isPointwise() && isEpilogueFlat(kernel, body);
  if (p.isMatrix && columns != 0 && p.outputColumns % columns != 0) {
    return "a matrix of " + std::to_string(p.outputColumns) +
           " rows cannot be split into parts of columns = " + std::to_string(columns);
  }
  if (!p.isMatrix && columns != 0 && (!isJoined || !canJoin)) {
    return "rows of " + std::to_string(p.outputColumns) +
           " pixels cannot be joined to columns = " + std::to_string(columns);
  }
  return "";
}

/// The elements of a cache line.
constexpr int64_t kLineElements = 16;

/// Returns the tiling for the problem with the groups of the model.
ConvTiling tilingFor(const ConvProblem &p, ConvDirectAttr config, int64_t channelBlock,
                     bool isBlocked) {
  ConvTiling tiling = tilingOf(config, channelBlock);
  if (cutsBlocks(p, config.getBlock())) {
    tiling.windows = windowsOf(p, config.getVectors() * config.getBlock(), channelBlock);
  }
  tiling.depth = tiling.windows ? 0 : config.getDepth();
  tiling.unroll = config.getUnroll();
  tiling.fetchWeights = config.getFetch();
  // A longer block spans several cache lines and is streamed.
  bool isFetched = p.taps() == 1 && isBlocked && config.getBlock() <= kLineElements;
  tiling.fetchPixels = isFetched ? 1 : 0;
  tiling.fetchResult = config.getFetchResult();
  tiling.canStoreSums = true;
  return tiling;
}

class ConvDirectTemplate : public ConvTemplate {
public:
  StringRef id() const override { return ConvDirectAttr::getMnemonic(); }
  int version() const override { return 1; }
  bool usesBlocks() const override { return true; }

protected:
  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    const ConvProblem &p = facts.conv->problem;
    bool canRun = llvm::any_of(
        inputsOf(p), [&](InputLayout input) { return canRunConvDirect(p, input, machine); });
    // An infinite input times a zero between the groups is NaN.
    bool isPlain = facts.isStrictMath && cutsBlocks(p, machine.lanes());
    if (canRun && !isPlain) {
      return "";
    }
    return "a group has " + std::to_string(p.inputChannels) + " input and " +
           std::to_string(p.outputChannels) +
           " output channels, the template expects multiples of " +
           std::to_string(machine.lanes()) + (canRun ? " with strict math" : "");
  }

  std::vector<ConfigChoice> chooseConv(const KernelFacts &facts,
                                       const Machine &machine) const override {
    std::vector<ConfigChoice> choices;
    for (InputLayout input : inputsOf(facts.conv->problem)) {
      auto choice =
          chooseConvDirect(facts.conv->problem, input, isFlat(facts), machine, facts.context());
      if (choice) {
        choices.push_back({choice->config, layoutOf(input, facts, machine), choice->cycles});
      }
    }
    return choices;
  }

  std::vector<LayoutSpace> convSpaces(const KernelFacts &facts,
                                      const Machine &machine) const override {
    const ConvProblem &p = facts.conv->problem;
    std::vector<LayoutSpace> spaces;
    for (InputLayout input : inputsOf(p)) {
      if (canRunConvDirect(p, input, machine)) {
        spaces.push_back(named(convDirectSpace(p, input, isFlat(facts), machine, facts.context()),
                               layoutOf(input, facts, machine)));
      }
    }
    return spaces;
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<ConvDirectAttr>(config);
    const ConvProblem &p = facts.conv->problem;
    auto blocked = graph::BlockedAttr::get(facts.context(), own.getBlock());
    InputLayout form = p.isMatrix         ? InputLayout::Matrix
                       : input == blocked ? InputLayout::Blocked
                                          : InputLayout::Planar;
    if (input && form != InputLayout::Blocked) {
      return "the template expects its input as " + layoutText(blocked) + " or planar, got " +
             layoutText(input);
    }
    if (facts.conv->isInputReused && !isAsResult(facts, form, input, blocked)) {
      return "its epilogue also reads the input, so the input must have the layout of the result";
    }
    std::string reason = whyNotConvDirect(*facts.conv, facts.body(), own, form);
    Attribute weights = ConvWeightsAttr::get(facts.context(), own.getVectors() * own.getBlock(),
                                             depthBlockOf(p, form, own.getBlock()), p.isMatrix,
                                             cutsBlocks(p, own.getBlock()) ? p.groups : 1);
    return reason.empty() ? alongChannels(facts, own.getBlock(), input, weights, candidate)
                          : reason;
  }

  LogicalResult lowerConv(task::KernelOp kernel, const ConvKernel &matched, Attribute given,
                          const Machine &machine) const override {
    auto config = cast<ConvDirectAttr>(given);
    KernelFunction function(kernel);
    ConvKernel layer = matched;
    if (cutsBlocks(matched.problem, config.getBlock())) {
      layer.problem = joinGroups(matched.problem);
    }
    const ConvProblem &p = layer.problem;
    Block &body = function.body();
    auto weights =
        cast<ConvWeightsAttr>(graph::layoutOf(body.getArgument(matched.weight).getType()));
    // A matrix with the columns of one block has the same bytes as a blocked tensor.
    bool isBlocked = p.isMatrix
                         ? p.inputChannels == config.getBlock()
                         : graph::channelBlock(body.getArgument(matched.input).getType()) != 0;
    FloatMultiply multiply(function.b, {function.operand(matched.input), ElementType::F32},
                           {function.operand(matched.weight), matched.weightType},
                           config.getBlock());
    KernelEmitter elements(function.b, machine.vectorBytes);
    ConvTiling tiling = tilingFor(matched.problem, config, weights.getI(), isBlocked);
    ConvEmitter emitter(function, layer, tiling, multiply, elements);
    if (!emitter.storesSums()) {
      function.allowInPlace(addedOperands(matched, body));
    }
    int64_t range = emitter.emit();
    if (!p.isMatrix) {
      int64_t joined = config.getColumns() == 0 ? 1 : config.getColumns() / p.outputColumns;
      function.setRows(p.batch * p.groups * emitter.panelChunks(),
                       task::evenChunks(p.outputRows, config.getRows() * joined));
    }
    function.finish(range);
    return success();
  }

private:
  static Attribute layoutOf(InputLayout input, const KernelFacts &facts, const Machine &machine) {
    return input == InputLayout::Blocked ? nativeBlocks(facts, machine) : Attribute();
  }

  /// Returns whether the input has the layout of the result. If the rows of a matrix are whole
  /// blocks, the planar and the blocked layout have the same bytes.
  static bool isAsResult(const KernelFacts &facts, InputLayout form, Attribute input,
                         Attribute blocked) {
    auto type = cast<RankedTensorType>(facts.kernel.getInputs()[facts.conv->input].getType());
    return form == InputLayout::Blocked ||
           (form == InputLayout::Matrix && graph::isSameInMemory(type.getShape(), input, blocked));
  }
};

} // namespace

const KernelTemplate &convDirectTemplate() { return onlyObject<ConvDirectTemplate>(); }

} // namespace convoy::kernels
