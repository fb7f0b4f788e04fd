// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generic loops as a template: the fallback that supports every kernel whose ops have an
// emitter. The template has no configuration. Lanes run along a row (planar) or along channels
// (blocked). LoopsModel.cpp estimates the time.

#include "Graph/Constant.h"
#include "Graph/OpFacts.h"
#include "Graph/View.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/KernelTemplate.h"
#include "Kernels/Loops/BlockMoves.h"
#include "Kernels/Loops/CustomCall.h"
#include "Kernels/Loops/LoopsModel.h"
#include "Kernels/Loops/TransposedCopy.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Cycles per vector operation with lanes along channels.
constexpr double kVectorCycles = 1;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Returns whether elements of this type fit a 32-bit lane.
bool isForLanes(Value value, bool takesIntegers) {
  Type element = typeOf(value).getElementType();
  return element.isF32() || (takesIntegers && (element.isInteger(8) || element.isInteger(16) ||
                                               element.isInteger(32)));
}

/// Returns whether each scale of an op is a scalar or one value per channel.
bool scalesByChannel(Operation &op) {
  return llvm::all_of(op.getOperands().drop_front(), [](Value operand) {
    auto argument = dyn_cast<BlockArgument>(operand);
    return typeOf(operand).getNumElements() == 1 || (argument && isChannelVector(argument));
  });
}

/// Returns the integers of an operand that defines what an op does, or nullopt.
std::optional<SmallVector<int64_t>> intsOf(Value value) {
  std::optional<Tensor> tensor = value ? graph::constantValue(value) : std::nullopt;
  if (!tensor) {
    return std::nullopt;
  }
  return SmallVector<int64_t>(tensor->ints());
}

/// Returns whether a slice of `dim` elements of a dimension selects whole blocks in order. The last
/// block of the result must be whole, because the lanes after the last channel would hold other
/// channels.
bool selectsBlocks(int64_t start, int64_t step, int64_t dim, int64_t result, int64_t block) {
  int64_t first = std::clamp<int64_t>(start < 0 ? start + dim : start, 0, dim);
  bool isWhole = first == 0 && result == dim;
  return step == 1 && (isWhole || (first % block == 0 && result % block == 0));
}

/// Returns whether a slice keeps whole blocks of channels together.
bool slicesBlocks(graph::SliceOp slice, int64_t block) {
  auto starts = intsOf(slice.getStarts()), axes = intsOf(slice.getAxes()),
       steps = intsOf(slice.getSteps());
  RankedTensorType input = typeOf(slice.getInput());
  if (!starts || !axes || (slice.getSteps() && !steps) || input.getRank() < 3) {
    return false;
  }
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    int64_t dim = axis < 0 ? axis + input.getRank() : axis;
    if (dim == 1 && !selectsBlocks((*starts)[i], steps ? (*steps)[i] : 1, input.getDimSize(1),
                                   typeOf(slice.getResult()).getDimSize(1), block)) {
      return false;
    }
  }
  return true;
}

/// Returns whether a pad changes no channels.
bool padsPixels(graph::PadOp pad) {
  RankedTensorType input = typeOf(pad.getInput()), result = typeOf(pad.getResult());
  auto pads = intsOf(pad.getPads()), axes = intsOf(pad.getAxes());
  if (!pads || (pad.getAxes() && !axes) || input.getRank() < 3) {
    return false;
  }
  size_t count = pads->size() / 2;
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = axes ? (*axes)[i] : static_cast<int64_t>(i);
    axis += axis < 0 ? input.getRank() : 0;
    if (axis == 1 && ((*pads)[i] != 0 || (*pads)[count + i] != 0)) {
      return false;
    }
  }
  return result.getDimSize(1) == input.getDimSize(1);
}

/// Returns whether the op moves whole blocks of channels: all lanes read the same pixel.
bool movesPixels(Operation &op, int64_t block) {
  if (auto gather = dyn_cast<graph::GatherOp>(op)) {
    return gather.getAxis() >= 2 && typeOf(gather.getIndices()).getRank() == 1;
  }
  if (auto slice = dyn_cast<graph::SliceOp>(op)) {
    return slicesBlocks(slice, block);
  }
  auto pad = dyn_cast<graph::PadOp>(op);
  return pad && padsPixels(pad);
}

/// Returns whether only data movements read the value, as positions along a dimension.
bool isPosition(BlockArgument argument) {
  return !argument.use_empty() && llvm::all_of(argument.getUses(), [](OpOperand &use) {
    auto gather = dyn_cast<graph::GatherOp>(use.getOwner());
    return gather && use.get() == gather.getIndices() && use.getOperandNumber() == 1;
  });
}

/// Returns whether lanes can run along channels through this op: each result channel depends only
/// on the same channel of the operands, or the op supports blocked layouts.
bool keepsChannels(Operation &op, int64_t block) {
  if (isa<graph::ConstantOp, graph::MaxPoolOp, graph::AveragePoolOp, graph::IntegerSumPoolOp,
          graph::ReorderOp>(op)) {
    return true;
  }
  if (isa<graph::RequantizeOp, graph::QuantizeLinearOp, graph::DequantizeLinearOp>(op)) {
    return scalesByChannel(op);
  }
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    std::optional<Tensor> axes = graph::constantValue(reduce.getAxes());
    int64_t rank = typeOf(reduce.getInput()).getRank();
    return axes && rank >= 3 && !axes->isEmpty() && llvm::all_of(axes->ints(), [&](int64_t axis) {
             return (axis < 0 ? axis + rank : axis) >= 2;
           });
  }
  if (auto concat = dyn_cast<graph::ConcatOp>(op)) {
    bool areWhole = llvm::all_of(concat.getInputs().drop_back(), [&](Value input) {
      return typeOf(input).getDimSize(1) % block == 0;
    });
    return typeOf(concat.getResult()).getRank() >= 3 && (concat.getAxis() != 1 || areWhole);
  }
  if (auto lrn = dyn_cast<graph::LRNOp>(op)) {
    // LRN loads neighboring channels from memory, at most from the adjacent block.
    return isa<BlockArgument>(lrn.getInput()) && static_cast<int64_t>(lrn.getSize()) <= block;
  }
  return movesPixels(op, block) ||
         (graph::classify(&op) == graph::OpClass::Elementwise && !isa<graph::BatchNormOp>(op));
}

/// Returns whether the kernel only moves whole blocks of channels.
bool movesBlocksOnly(graph::KernelOp kernel, int64_t block) {
  Block &body = kernel.getBody().front();
  return body.getNumArguments() == 1 && kernel.getNumResults() == 1 &&
         movesBlocks(body.getTerminator()->getOperand(0), body.getArgument(0), block);
}

/// Returns the layout of an operand when lanes run along channels, or nullopt if the operand has no
/// such layout.
std::optional<Attribute> laneLayout(BlockArgument argument, int64_t rank, int64_t channels,
                                    Attribute blocked, int64_t block) {
  RankedTensorType type = typeOf(argument);
  if (type.getNumElements() == 1) {
    return Attribute();
  }
  if (isChannelVector(argument)) {
    return blocked;
  }
  if (type.getRank() == rank) {
    bool isOneChannel = type.getDimSize(1) == 1 && channels != 1;
    return isOneChannel ? Attribute() : blocked;
  }
  // The shape is aligned at the last dimension, so dimension 1 is not the channel dimension of a
  // blocked layout.
  int64_t missing = rank - type.getRank();
  bool hasChannels = missing == 1 && type.getDimSize(0) != 1;
  if (missing < 0 || (hasChannels && channels % block != 0)) {
    return std::nullopt;
  }
  return Attribute();
}

/// Returns whether the lanes of each op of the kernel can be the channels of a block.
bool computesBlocks(graph::KernelOp kernel, int64_t block, bool takesIntegers) {
  Block &body = kernel.getBody().front();
  auto isTaken = [&](BlockArgument argument) {
    return isForLanes(argument, takesIntegers) || isPosition(argument);
  };
  auto keepsAll = [&] {
    return llvm::all_of(body.without_terminator(),
                        [&](Operation &op) { return keepsChannels(op, block); });
  };
  return kernel.getNumResults() == 1 && isForLanes(kernel.getResult(0), takesIntegers) &&
         llvm::all_of(body.getArguments(), isTaken) &&
         (keepsAll() || movesBlocksOnly(kernel, block));
}

/// Returns the candidate with lanes along blocks of `block` channels. Returns nullopt if the kernel
/// mixes channels, has too few channels, or has integers and `takesIntegers` is false.
std::optional<Candidate> blockedLoops(graph::KernelOp kernel, int64_t block, bool takesIntegers) {
  Block &body = kernel.getBody().front();
  // The rank at which dimension 1 is the channel: the largest rank of the operands.
  int64_t rank = 0;
  for (BlockArgument argument : body.getArguments()) {
    rank = std::max(rank, typeOf(argument).getRank());
  }
  RankedTensorType result = typeOf(kernel.getResult(0));
  // With fewer channels, most lanes would be empty.
  if (!computesBlocks(kernel, block, takesIntegers) || rank < 3 || result.getRank() < 2 ||
      result.getDimSize(1) * 2 < block) {
    return std::nullopt;
  }
  Attribute blocked = graph::BlockedAttr::get(kernel.getContext(), block);
  int64_t channels = result.getDimSize(1);
  Candidate candidate;
  candidate.result = blocked;
  for (BlockArgument argument : body.getArguments()) {
    std::optional<Attribute> layout = laneLayout(argument, rank, channels, blocked, block);
    if (!layout) {
      return std::nullopt;
    }
    candidate.operands.push_back(*layout);
  }
  int64_t vectors =
      result.getNumElements() / std::max<int64_t>(channels, 1) * llvm::divideCeil(channels, block);
  candidate.cycles = kVectorCycles * workPerElement(kernel) * static_cast<double>(vectors);
  return candidate;
}

/// Returns the candidate with planar operands and results; every kernel has one. `conv` is the
/// convolution or product of the kernel, if it has one.
Candidate planarLoops(graph::KernelOp kernel, const std::optional<ConvKernel> &conv,
                      const Machine &machine) {
  Candidate candidate;
  candidate.operands.resize(kernel.getInputs().size());
  candidate.cycles = planarCycles(kernel, conv, machine);
  return candidate;
}

/// Returns the candidate with planar operands and a result in blocks of four channels, the input
/// layout of integer convolutions on images. Returns nullopt if the result is not an 8-bit image of
/// at most four channels, or if the kernel has ops that are not element-wise.
std::optional<Candidate> interleavedLoops(graph::KernelOp kernel, const Machine &machine) {
  constexpr int64_t kBlock = 4;
  RankedTensorType result = typeOf(kernel.getResult(0));
  bool isNarrow = result.getElementType().isInteger(8) || result.getElementType().isInteger(16);
  bool isImage = kernel.getNumResults() == 1 && isNarrow && result.getRank() == 4 &&
                 result.getDimSize(1) <= kBlock;
  bool isPlain = llvm::all_of(kernel.getBody().front().without_terminator(), [](Operation &op) {
    return isa<graph::ConstantOp, graph::QuantizeLinearOp, graph::RequantizeOp>(op) ||
           (graph::classify(&op) == graph::OpClass::Elementwise && !isa<graph::BatchNormOp>(op));
  });
  if (!isImage || !isPlain) {
    return std::nullopt;
  }
  Candidate candidate = planarLoops(kernel, std::nullopt, machine);
  candidate.result = graph::BlockedAttr::get(kernel.getContext(), kBlock);
  return candidate;
}

/// Returns the candidate of a kernel that only transposes and whose operand and result then have
/// the same bytes, or nullopt. The layout stage replaces the kernel by a view.
std::optional<Candidate> viewedTranspose(graph::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto transpose = dyn_cast<graph::TransposeOp>(body.front());
  bool isAll = transpose && transpose->getNextNode() == body.getTerminator() &&
               kernel.getNumResults() == 1 && kernel.getInputs().size() == 1;
  std::optional<graph::ViewLayouts> layouts =
      isAll ? graph::layoutsOfView(transpose) : std::nullopt;
  if (!layouts) {
    return std::nullopt;
  }
  Candidate candidate;
  candidate.operands = {layouts->input};
  candidate.result = layouts->result;
  return candidate;
}

/// Returns the number of rows of the kernel's single result if the range runs over rows, fastest,
/// for each channel block, as KernelEmitter does for blocked results. Returns 0 otherwise.
int64_t blockedRows(Block &body) {
  Operation *yield = body.getTerminator();
  Value value = yield->getNumOperands() == 1 ? yield->getOperand(0) : Value();
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!type || type.getRank() != 4 || graph::channelBlock(type) == 0) {
    return 0;
  }
  Operation *root = value.getDefiningOp();
  const EmitterRow *row = root ? emitterTable().find(root) : nullptr;
  return row && row->whole ? 0 : type.getDimSize(2);
}

/// Returns an op inside the kernel that the generic loops cannot emit, or null. Only the kernels of
/// other templates contain such ops.
Operation *unsupportedOp(Block &body) {
  for (Operation &op : body.without_terminator()) {
    if (graph::classify(&op) == graph::OpClass::Control) {
      return &op;
    }
  }
  return nullptr;
}

/// Returns how many vectors one step of the loops computes. In a chain of gathers (a walk through
/// trees), each waits for the one before it, and its many micro-operations fill the reorder buffer
/// before the next step starts. Several vectors in one step are independent chains. A result in
/// blocks of channels has vectors of its own size.
int64_t vectorsPerStep(Block &body) {
  constexpr int64_t kChains = 4;
  if (llvm::any_of(body.getTerminator()->getOperandTypes(),
                   [](Type type) { return graph::channelBlock(type) > 0; })) {
    return 1;
  }
  llvm::SmallPtrSet<Operation *, 16> followers; // ops that read the result of a gather
  for (Operation &op : body) {
    auto follows = [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return source && (isa<graph::GatherOp>(source) || followers.contains(source));
    };
    if (auto gather = dyn_cast<graph::GatherOp>(op); gather && follows(gather.getIndices())) {
      return kChains;
    }
    if (llvm::any_of(op.getOperands(), follows)) {
      followers.insert(&op);
    }
  }
  return 1;
}

class LoopsTemplate : public KernelTemplate {
public:
  StringRef id() const override { return "loops"; }
  int version() const override { return 1; }
  bool usesBlocks() const override { return true; }

  std::string whyNot(const KernelFacts &facts, const Machine &machine) const override { return ""; }

  /// Returns the planar candidate first. It exists for every kernel.
  std::vector<Candidate> candidates(const KernelFacts &facts,
                                    const Machine &machine) const override {
    std::vector<Candidate> result = {planarLoops(facts.kernel, facts.conv, machine)};
    if (auto loops = blocked(facts, machine)) {
      result.push_back(*loops);
    }
    bool takesImages = !facts.conv && machine.dot != DotForm::None;
    auto image = takesImages ? interleavedLoops(facts.kernel, machine) : std::nullopt;
    if (image) {
      result.push_back(*image);
    }
    // Only byte ops read and write one block of all channels.
    if (auto view = machine.hasByteOps ? viewedTranspose(facts.kernel) : std::nullopt) {
      result.push_back(*view);
    }
    return result;
  }

  /// Returns the planar and the blocked choice.
  std::vector<ConfigChoice> choose(const KernelFacts &facts,
                                   const Machine &machine) const override {
    std::vector<ConfigChoice> choices = {
        {Attribute(), Attribute(), planarLoops(facts.kernel, facts.conv, machine).cycles}};
    if (auto loops = blocked(facts, machine)) {
      choices.push_back({Attribute(), loops->result, loops->cycles});
    }
    return choices;
  }

  std::string fit(const KernelFacts &facts, Attribute config, Attribute input,
                  Candidate &candidate) const override {
    if (Operation *op = unsupportedOp(facts.body())) {
      return "the generic loops do not support " + op->getName().getStringRef().str();
    }
    if (!input) {
      candidate = planarLoops(facts.kernel, facts.conv, Machine());
      return "";
    }
    auto blocked = dyn_cast<graph::BlockedAttr>(input);
    std::optional<Candidate> loops =
        blocked && !facts.conv ? blockedLoops(facts.kernel, blocked.getC(), /*takesIntegers=*/true)
                               : std::nullopt;
    if (!loops) {
      return "the generic loops do not support the input layout " + layoutText(input);
    }
    candidate = *loops;
    return "";
  }

  LogicalResult lower(task::KernelOp kernel, Attribute config,
                      const Machine &machine) const override {
    if (Operation *op = unsupportedOp(kernel.getBody().front())) {
      return op->emitOpError("is inside a kernel of the generic loops, which do not support it; "
                             "expected the configuration of a template");
    }
    if (graph::CustomOp custom = customOpIn(kernel.getBody().front())) {
      return lowerCustomCall(kernel, custom);
    }
    if (auto copy = transposedCopy(kernel.getBody().front(), machine)) {
      lowerTransposedCopy(kernel, *copy, machine);
      return success();
    }
    KernelFunction function(kernel);
    // A microcontroller executes in order.
    int64_t vectors = machine.hasByteOps ? 1 : vectorsPerStep(function.body());
    KernelEmitter emitter(function.b, machine.vectorBytes * vectors);
    emitter.interleavesImages = !machine.hasByteOps;
    function.bindOperands(emitter);
    // The emitter binds results by position, because a kernel may return the same value twice.
    emitter.emitKernel(function.body(), function.resultMemory(), function.begin(), function.end());
    int64_t rows = blockedRows(function.body());
    if (rows > 0 && emitter.range % rows == 0) {
      function.setRows(emitter.range / rows, task::evenChunks(rows, 1));
    }
    function.finish(emitter.range);
    return success();
  }

private:
  /// Returns the candidate in blocks of the machine's lanes, if there is one. Convolutions have
  /// none, because templates are faster in this layout.
  static std::optional<Candidate> blocked(const KernelFacts &facts, const Machine &machine) {
    bool takesIntegers = machine.dot != DotForm::None;
    return facts.conv ? std::nullopt : blockedLoops(facts.kernel, machine.lanes(), takesIntegers);
  }
};

} // namespace

const KernelTemplate &fallbackTemplate() { return onlyObject<LoopsTemplate>(); }

} // namespace convoy::kernels
