// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a region: chooses which ops run in local memory, plans the neuron memory and emits the
// program. Ops keep their order. A run of ops uses local memory if the schedule finishes earlier
// than with kernels of global memory.

#include "Accelerators/BM1880/LowerRegion.h"
#include "Accelerators/BM1880/BM1880.h"
#include "Accelerators/BM1880/LocalRun.h"
#include "Accelerators/BM1880/Text.h"
#include "Accelerators/BM1880/Timing.h"
#include "Graph/Graph.h"
#include "Memory/Planner/Planner.h"
#include "Support/TypedDiagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace convoy::bm1880 {
namespace {

constexpr int64_t kAlignment = 64;
constexpr size_t kLongestRun = 64; // longer runs do not fit in the lanes

/// Consecutive ops that run in the same kind of memory.
struct Segment {
  size_t begin;
  size_t end;
  bool isLocal;
};

int64_t cyclesOf(ArrayRef<Instruction> list) {
  int64_t last = 0;
  for (const Interval &interval : schedule(list)) {
    last = std::max(last, interval.end);
  }
  return last;
}

class RegionLowering {
public:
  RegionLowering(func::FuncOp region, bool usesLocal)
      : region(region), usesLocal(usesLocal), block(region.getBody().front()),
        code(ModuleOp::create(region.getLoc())) {}

  FailureOr<accelerators::Program> run() {
    // The pass declares this dialect, so this is a no-op there.
    region.getContext()->loadDialect<BM1880Dialect>();
    if (failed(collect())) {
      return failure();
    }
    choose();
    placeNeurons();
    emit();
    if (failed(verify(*code))) {
      return failure();
    }
    return program();
  }

private:
  LogicalResult collect() {
    for (Operation &op : block.without_terminator()) {
      if (isa<graph::ConstantOp, convcore::ReshapeOp>(op)) {
        continue;
      }
      if (std::optional<accelerators::Refusal> refusal = refuseLayer(&op)) {
        return emitUnsupported(&op, "not supported by 'bm1880': ") << refusal->reason;
      }
      auto rescale = dyn_cast<convcore::RequantizeOp>(op);
      if (rescale && foldedRescale(rescale)) {
        continue; // the concatenation requantizes this input
      }
      for (Value input : readsOf(&op)) {
        readers[storageOf(input)].push_back(ops.size());
      }
      ops.push_back(&op);
    }
    for (Value result : block.getTerminator()->getOperands()) {
      readers[storageOf(result)].push_back(ops.size());
    }
    return success();
  }

  /// Returns the activations that an op's instructions read.
  static SmallVector<Value> readsOf(Operation *op) {
    SmallVector<Value> reads;
    if (isa<convcore::ConvOp, convcore::ByteLrnOp>(op)) {
      return {op->getOperand(0)};
    }
    for (Value operand : op->getOperands()) {
      convcore::RequantizeOp folded =
          isa<convcore::ConcatOp>(op) ? foldedRescale(operand) : convcore::RequantizeOp();
      reads.push_back(folded ? folded.getInput() : operand);
    }
    return reads;
  }

  bool isReadOutside(Value value, size_t begin, size_t end) const {
    auto found = readers.find(value);
    return found != readers.end() && llvm::any_of(found->second, [&](size_t reader) {
             return reader < begin || reader >= end;
           });
  }

  std::optional<std::vector<Instruction>> localRun(size_t begin, size_t end,
                                                   WeightMemory &memory) const {
    return emitLocalRun(
        ArrayRef(ops).slice(begin, end - begin), [&](Value value) { return addressOf(value); },
        [&](Value value) { return isReadOutside(value, begin, end); }, memory);
  }

  std::vector<Instruction> globalKernels(Operation *op, WeightMemory &memory) const {
    auto at = [&](Value value) { return addressOf(value); };
    return LayerEmitter(at, memory).emit(op);
  }

  /// Returns the end of the run from `begin` with the largest gain, or `begin` if no run gains.
  size_t bestRun(size_t begin) const {
    size_t best = begin;
    int64_t mostGain = 0;
    int64_t globalCycles = 0;
    for (size_t end = begin + 1; end <= std::min(ops.size(), begin + kLongestRun); ++end) {
      WeightMemory none(/*keepsBytes=*/false);
      if (!isLocalOp(ops[end - 1])) {
        break;
      }
      std::optional<std::vector<Instruction>> run = localRun(begin, end, none);
      if (!run) {
        break;
      }
      globalCycles += cyclesOf(globalKernels(ops[end - 1], none));
      int64_t gain = globalCycles - cyclesOf(*run);
      if (gain > mostGain) {
        mostGain = gain;
        best = end;
      }
    }
    return best;
  }

  void choose() {
    size_t next = 0;
    while (next < ops.size()) {
      size_t end = usesLocal ? bestRun(next) : next;
      bool isLocal = end > next;
      end = isLocal ? end : next + 1;
      segments.push_back({next, end, isLocal});
      next = end;
    }
  }

  /// Places all values except those that stay in the lanes in global memory.
  void placeNeurons() {
    std::vector<memory::Block> blocks;
    SmallVector<Value> values;
    auto segmentOf = [&](size_t op) {
      return llvm::count_if(segments, [&](const Segment &s) { return s.end <= op; });
    };
    auto place = [&](Value value, int64_t first) {
      int64_t last = first;
      for (size_t reader : readers.lookup(value)) {
        last = std::max<int64_t>(last, segmentOf(reader));
      }
      values.push_back(value);
      blocks.push_back({bytesOf(value), first, last});
      bytesWithoutReuse += bytesOf(value);
    };
    for (Value argument : block.getArguments()) {
      place(argument, -1);
    }
    for (auto [index, segment] : llvm::enumerate(segments)) {
      for (size_t i = segment.begin; i < segment.end; ++i) {
        Value result = ops[i]->getResult(0);
        if (!segment.isLocal || isReadOutside(result, segment.begin, segment.end)) {
          place(result, static_cast<int64_t>(index));
        } else {
          bytesWithoutReuse += bytesOf(result);
        }
      }
    }
    neuronBytes = memory::planMemory(blocks, kAlignment);
    for (auto [value, placed] : llvm::zip(values, blocks)) {
      neurons[value] = placed.offset;
    }
  }

  int64_t addressOf(Value value) const { return neurons.lookup(storageOf(value)); }

  void emit() {
    OpBuilder builder = OpBuilder::atBlockEnd(code->getBody());
    for (const Segment &segment : segments) {
      std::vector<Instruction> list = segment.isLocal
                                          ? *localRun(segment.begin, segment.end, weights)
                                          : globalKernels(ops[segment.begin], weights);
      for (const Instruction &instruction : list) {
        toOp(instruction, builder, ops[segment.begin]->getLoc());
      }
    }
  }

  accelerators::Program program() {
    accelerators::Program result;
    Commands sizes;
    sizes.weightBytes = static_cast<int64_t>(weights.bytes().size());
    auto rangeOf = [&](Value value) {
      return accelerators::MemoryRange{sizes.neuronBase() + addressOf(value), bytesOf(value)};
    };
    llvm::transform(block.getArguments(), std::back_inserter(result.inputs), rangeOf);
    llvm::transform(block.getTerminator()->getOperands(), std::back_inserter(result.outputs),
                    rangeOf);
    result.image = weights.bytes();
    result.memoryBytes = sizes.neuronBase() + neuronBytes;
    std::vector<Instruction> list;
    for (Operation &op : *code->getBody()) {
      list.push_back(fromOp(&op));
    }
    std::string text = llvm::formatv("# weights {0} neurons {1} without_reuse {2}\n",
                                     sizes.weightBytes, neuronBytes, bytesWithoutReuse)
                           .str() +
                       writeText(list);
    result.commands.assign(text.begin(), text.end());
    std::vector<Interval> times = schedule(list);
    for (size_t i = 0; i < list.size(); ++i) {
      result.steps.push_back(
          {list[i].layer, list[i].name().str(),
           kNanosecondsPerCycle * static_cast<double>(times[i].end - times[i].start)});
    }
    return result;
  }

  func::FuncOp region;
  bool usesLocal;
  mlir::Block &block;
  OwningOpRef<ModuleOp> code; // the emitted instructions
  std::vector<Operation *> ops;
  DenseMap<Value, SmallVector<size_t>> readers; // op numbers; ops.size() stands for the caller
  std::vector<Segment> segments;
  DenseMap<Value, int64_t> neurons;
  WeightMemory weights;
  int64_t neuronBytes = 0;
  int64_t bytesWithoutReuse = 0;
};

} // namespace

int64_t Commands::neuronBase() const {
  return static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(weightBytes), kAlignment));
}

llvm::Expected<Commands> splitCommands(llvm::ArrayRef<uint8_t> bytes) {
  StringRef all(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  auto [line, text] = all.split('\n');
  SmallVector<StringRef> words;
  line.split(words, ' ');
  Commands commands;
  bool isHeader = words.size() == 7 && words[1] == "weights" && words[3] == "neurons" &&
                  !words[2].getAsInteger(10, commands.weightBytes) &&
                  !words[4].getAsInteger(10, commands.neuronBytes) &&
                  !words[6].getAsInteger(10, commands.bytesWithoutReuse) &&
                  commands.weightBytes >= 0 && commands.neuronBytes >= 0;
  if (!isHeader) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the commands do not start with a line of memory sizes");
  }
  commands.text = text;
  return commands;
}

FailureOr<accelerators::Program> lowerRegion(func::FuncOp region, bool usesLocal) {
  return RegionLowering(region, usesLocal).run();
}

} // namespace convoy::bm1880
