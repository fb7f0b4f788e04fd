// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans the local addresses of a run's tensors with the shared planner and emits its instructions.
// Weights are loaded in tiles of output channels into two alternating buffers. The load of one tile
// overlaps with the computation of the previous tile:
//
//     transfers   load x   load w0   load w1   load w2   store y
//     computing                      conv w0   conv w1   conv w2

#include "Accelerators/BM1880/LocalRun.h"
#include "Accelerators/BM1880/Timing.h"
#include "Graph/Constant.h"
#include "Memory/Planner/Planner.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::bm1880 {
namespace {

int64_t localBytes(Value value) {
  Shape4 shape = *shape4(value);
  return laneBytes(shape[0], shape[1], shape[2] * shape[3], /*isAligned=*/true);
}

/// Returns the tensors that an op reads as activations.
SmallVector<Value> inputsOf(Operation *op) {
  return isa<convcore::EltwiseOp>(op) ? SmallVector<Value>(op->getOperands())
                                      : SmallVector<Value>{op->getOperand(0)};
}

/// The tiles of output channels in which a convolution's weights are loaded.
struct Tiles {
  int64_t channels = 0; // of each tile except the last
  int64_t count = 1;
  int64_t kernelBytes = 0; // per lane and tile
  int64_t bufferBytes = 0; // kernel and bias, aligned
  size_t block = 0;        // index in the memory plan
};

Tiles tilesOf(convcore::ConvOp op, int64_t mostBytes) {
  auto weight = cast<RankedTensorType>(op.getWeight().getType()).getShape();
  int64_t perChannel = weight[1] * weight[2] * weight[3];
  int64_t slots = std::max<int64_t>(mostBytes / std::max<int64_t>(perChannel + 2, 1), 1);
  Tiles tiles;
  tiles.channels = std::min(slots * kLanes, static_cast<int64_t>(llvm::alignTo(weight[0], kLanes)));
  tiles.count = llvm::divideCeil(weight[0], tiles.channels);
  tiles.kernelBytes = tiles.channels / kLanes * perChannel;
  tiles.bufferBytes =
      static_cast<int64_t>(llvm::alignTo(tiles.kernelBytes + 2 * tiles.channels / kLanes, kUnits));
  return tiles;
}

class LocalRun {
public:
  LocalRun(ArrayRef<Operation *> ops, llvm::function_ref<int64_t(Value)> at,
           llvm::function_ref<bool(Value)> isNeeded)
      : ops(ops), at(at), isNeeded(isNeeded) {}

  /// Plans the addresses; returns false if the tensors and tiles of at most `mostBytes` do not fit.
  bool plan(int64_t mostBytes) {
    blocks.clear();
    blockOf.clear();
    tiles.assign(ops.size(), Tiles());
    for (auto [index, op] : llvm::enumerate(ops)) {
      auto step = static_cast<int64_t>(index);
      for (Value input : inputsOf(op)) {
        // An input from outside the run is loaded while the previous op computes.
        touch(storageOf(input), step - 1, step);
      }
      Value result = op->getResult(0);
      touch(result, step, step + (isNeeded(result) ? 1 : 0));
      if (auto conv = dyn_cast<convcore::ConvOp>(op)) {
        tiles[index] = tilesOf(conv, mostBytes);
        tiles[index].block = blocks.size();
        int64_t buffers = tiles[index].count > 1 ? 2 : 1;
        blocks.push_back({buffers * tiles[index].bufferBytes, step - 1, step});
      }
    }
    return memory::planMemories(blocks, {{"lanes", kLaneBytes, kUnits}}).has_value();
  }

  std::vector<Instruction> emit(WeightMemory &weights) {
    placeWeights(weights);
    loadStep(0);
    for (size_t step = 0; step < ops.size(); ++step) {
      int64_t count = tiles[step].count;
      for (int64_t tile = 0; tile < count; ++tile) {
        if (tile + 1 < count) {
          loadTile(step, tile + 1);
        } else {
          loadStep(step + 1);
        }
        compute(step, tile);
      }
      if (isNeeded(ops[step]->getResult(0))) {
        transfer("tl_layer_store_stride", "ga_dst", "la_src", ops[step], ops[step]->getResult(0));
      }
    }
    return std::move(list);
  }

private:
  /// Extends the live range of a value to [first, last].
  void touch(Value value, int64_t first, int64_t last) {
    auto [it, isNew] = blockOf.try_emplace(value, blocks.size());
    if (isNew) {
      blocks.push_back({localBytes(value), first, last});
    }
    blocks[it->second].last = std::max(blocks[it->second].last, last);
  }

  int64_t local(Value value) const { return blocks[blockOf.lookup(storageOf(value))].offset; }
  int64_t tileAddress(size_t step, int64_t tile) const {
    return blocks[tiles[step].block].offset + tile % 2 * tiles[step].bufferBytes;
  }

  void placeWeights(WeightMemory &weights) {
    kernelAt.assign(ops.size(), kNoAddress);
    biasAt.assign(ops.size(), kNoAddress);
    for (auto [step, op] : llvm::enumerate(ops)) {
      if (auto conv = dyn_cast<convcore::ConvOp>(op)) {
        kernelAt[step] = weights.addKernel(*graph::constantValue(conv.getWeight()));
        biasAt[step] =
            weights.addBias(conv.getBias() ? graph::constantValue(conv.getBias()) : std::nullopt);
      }
    }
  }

  void transfer(StringRef name, StringRef global, StringRef localField, Operation *op,
                Value value) {
    Shape4 s = *shape4(value);
    list.emplace_back(name, nameOf(op))
        .set(global, at(value))
        .set(localField, local(value))
        .setAll("Local_N", {s[0], s[1], s[2], s[3], s[1], s[2], s[3], 0, 1, 1});
  }

  void loadStep(size_t step) {
    if (step >= ops.size()) {
      return;
    }
    for (Value input : inputsOf(ops[step])) {
      Value storage = storageOf(input);
      bool isInside = llvm::is_contained(ops, storage.getDefiningOp());
      if (!isInside && loaded.insert(storage).second) {
        transfer("tl_layer_load_stride", "ga_src", "la_dst", ops[step], storage);
      }
    }
    if (isa<convcore::ConvOp>(ops[step])) {
      loadTile(step, 0);
    }
  }

  void loadTile(size_t step, int64_t tile) {
    auto conv = cast<convcore::ConvOp>(ops[step]);
    auto weight = cast<RankedTensorType>(conv.getWeight().getType()).getShape();
    int64_t first = tile * tiles[step].channels;
    int64_t channels = std::min(tiles[step].channels, weight[0] - first);
    int64_t taps = weight[2] * weight[3];
    int64_t to = tileAddress(step, tile);
    auto load = [&](int64_t from, int64_t address, Shape4 size, int64_t all) {
      list.emplace_back("tl_layer_load_stride", nameOf(conv))
          .setAll("ga_src", {from, address})
          .setAll("Local_N", {size[0], size[1], size[2], size[3], all, size[2], size[3], 0, 0, 0});
    };
    load(kernelAt[step] + first * taps * weight[1], to, {1, channels, taps, weight[1]}, weight[0]);
    if (conv.getBias()) {
      load(biasAt[step] + first, to + tiles[step].kernelBytes, {2, channels, 1, 1}, weight[0]);
    }
  }

  void compute(size_t step, int64_t tile) {
    llvm::TypeSwitch<Operation *>(ops[step])
        .Case([&](convcore::ConvOp conv) { computeConv(conv, step, tile); })
        .Case([&](convcore::PoolOp pool) { computePool(pool); })
        .Case([&](convcore::EltwiseOp eltwise) { computeEltwise(eltwise); });
  }

  void computeConv(convcore::ConvOp op, size_t step, int64_t tile) {
    Shape4 in = *shape4(op.getInput());
    Shape4 out = *shape4(op);
    int64_t first = tile * tiles[step].channels;
    int64_t kernel = tileAddress(step, tile);
    int64_t bias = kernel + tiles[step].kernelBytes;
    auto weight = cast<RankedTensorType>(op.getWeight().getType()).getShape();
    ArrayRef<int64_t> pads = op.getPads();
    Rescale rescale = *rescaleOf(op.getRequantAttr());
    int64_t result = local(op) + laneBytes(1, first, out[2] * out[3], /*isAligned=*/true);
    list.emplace_back("bm_tl_conv", nameOf(op))
        .setAll("la_ifmap", {local(op.getInput()), result, kernel, bias, kernel, bias})
        .setAll("input_n", in)
        .setAll("group", {1, std::min(tiles[step].channels, out[1] - first), out[2], out[3],
                          weight[2], weight[3], op.getDilations()[0], op.getDilations()[1], pads[0],
                          pads[2], pads[1], pads[3], op.getStrides()[0], op.getStrides()[1]})
        .set("rshift", rescale.shift)
        .set("do_bias", op.getBias() ? 1 : 0)
        .set("do_relu", rescale.hasRelu);
  }

  void computePool(convcore::PoolOp op) {
    bool isMean = op.getKind() == convcore::PoolKind::Average;
    Rescale rescale = isMean ? *rescaleOf(op.getRequantAttr()) : Rescale();
    ArrayRef<int64_t> pads = op.getPads();
    list.emplace_back("tl_pool", nameOf(op))
        .setAll("ifmap_laddr", {local(op.getInput()), local(op)})
        .setAll("input_n", *shape4(op.getInput()))
        .setAll("output_n", *shape4(op))
        .setAll("kh",
                {op.getKernel()[0], op.getKernel()[1], op.getStrides()[0], op.getStrides()[1],
                 pads[0], pads[2], pads[1], pads[3], isMean, rescale.shift, rescale.multiplier});
  }

  void computeEltwise(convcore::EltwiseOp op) {
    EltwiseTerms terms = *termsOf(op);
    list.emplace_back("tl_eltwise", nameOf(op))
        .setList("la_input", {local(op.getLhs()), local(op.getRhs())})
        .setAll("la_output", {local(op), 0})
        .setAll("input_n", *shape4(op))
        .setAll("input_size",
                {2, terms.rescale.shift, op.getKind() == convcore::EltwiseKind::Mul ? 0 : 1})
        .setList("threshold_x_quantized", {terms.lhs, terms.rhs})
        .set("do_relu", terms.rescale.hasRelu);
  }

  ArrayRef<Operation *> ops;
  llvm::function_ref<int64_t(Value)> at;
  llvm::function_ref<bool(Value)> isNeeded;
  std::vector<memory::Block> blocks;
  llvm::DenseMap<Value, size_t> blockOf;
  std::vector<Tiles> tiles;
  std::vector<int64_t> kernelAt, biasAt;
  llvm::DenseSet<Value> loaded;
  std::vector<Instruction> list;
};

} // namespace

bool isLocalOp(Operation *op) {
  std::optional<Shape4> shape = shape4(op->getResult(0));
  if (!shape || (*shape)[0] != 1) {
    return false; // channels of several images are not consecutive on a lane
  }
  for (Value input : inputsOf(op)) {
    if (shape4(input) != shape4(storageOf(input))) {
      return false; // a tensor of another shape is distributed differently over the lanes
    }
  }
  if (auto conv = dyn_cast<convcore::ConvOp>(op)) {
    return conv.getGroups() == 1;
  }
  auto pool = dyn_cast<convcore::PoolOp>(op);
  // tl_pool has no relu.
  bool hasRelu = pool && pool.getRequant() && rescaleOf(*pool.getRequant())->hasRelu;
  return (pool && !hasRelu) || isa<convcore::EltwiseOp>(op);
}

std::optional<std::vector<Instruction>> emitLocalRun(ArrayRef<Operation *> ops,
                                                     llvm::function_ref<int64_t(Value)> at,
                                                     llvm::function_ref<bool(Value)> isNeeded,
                                                     WeightMemory &weights) {
  LocalRun run(ops, at, isNeeded);
  for (int64_t mostBytes = kLaneBytes; mostBytes >= kUnits; mostBytes /= 2) {
    if (run.plan(mostBytes)) {
      return run.emit(weights);
    }
  }
  return std::nullopt;
}

} // namespace convoy::bm1880
