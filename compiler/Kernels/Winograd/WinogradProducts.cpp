// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the products: a matrix of weights times a matrix of tiles for each frequency. All groups of
// tiles of a task read the weights once, sequentially. During each pass, the code prefetches the
// weights of the next pass into the second-level cache.

#include "Kernels/Core/FloatMultiply.h"
#include "Kernels/Core/RegisterTile.h"
#include "Kernels/Winograd/WinogradEmitter.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace convoy::kernels {
namespace {

constexpr int64_t kLineElements = 16; // f32 elements per cache line
constexpr int kSecondLevel = 2;       // memref.prefetch locality; 3 is the first-level cache

} // namespace

void WinogradEmitter::emitProducts(const Task &task) {
  loop(plan.frequencies, [&](Value frequency) {
    loop(index(0), task.panels, [&](Value panel) { emitPanel(task, frequency, panel); });
  });
}

void WinogradEmitter::emitPanel(const Task &task, Value frequency, Value panel) {
  int64_t panelWidth = config.getVectors() * block;
  Value chunk = add(mul(task.chunk, plan.frequencies), frequency);
  Value weights = mul(add(mul(chunk, config.getPanels()), panel), p.inputChannels * panelWidth);
  Value input = mul(frequency, plan.inputStride);
  Value place = plan.hasRounds ? add(mul(task.chunk, config.getPanels()), panel) : panel;
  Value sums =
      add(mul(frequency, plan.productStride), mul(place, config.getVectors() * plan.productPlane));
  loop(plan.passes, [&](Value pass) {
    auto emitGroups = [&](Value low, Value high, int64_t tiles) {
      loop(low, high, [&](Value group) {
        Value slot = mul(sub(firstTile(group), task.tileLow), block);
        Group at;
        at.tiles = tiles;
        at.pass = pass;
        at.weights = add(weights, mul(pass, config.getDepth() * panelWidth));
        at.input = add(add(input, mul(pass, config.getDepth() / block * plan.inputPlane)), slot);
        at.products = add(sums, slot);
        at.ahead = aheadOf(at.weights, sub(group, task.groupLow));
        emitGroup(at);
      });
    };
    emitGroups(task.groupLow, min(task.groupHigh, plan.longer), plan.groupTiles);
    if (plan.longer < plan.groups) {
      emitGroups(max(task.groupLow, plan.longer), task.groupHigh, plan.groupTiles - 1);
    }
  });
}

void WinogradEmitter::emitGroup(Group group) {
  int64_t perPass = config.getDepth() / block;
  int64_t full = p.inputChannels / block;
  int64_t rest = p.inputChannels % block;
  Values sums = start(group);
  // Blocks are counted from the first block of the pass.
  Value done = mul(group.pass, perPass);
  Value count = min(sub(index(full), done), perPass);
  auto body = [&](Value i, Values carried) {
    return accumulateBlock(group, i, block, std::move(carried));
  };
  sums = plan.passes == 1 ? loop(full, sums, body) : loop(index(0), count, sums, body);
  if (rest > 0 && plan.passes == 1) {
    sums = accumulateBlock(group, index(full), rest, sums);
  } else if (rest > 0) {
    // The remaining channels are summed once, in the last pass.
    Value isLast = compare(CmpIPredicate::eq, group.pass, plan.passes - 1);
    Value times = b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), isLast);
    sums = loop(index(0), times, sums, [&](Value, Values carried) {
      return accumulateBlock(group, count, rest, std::move(carried));
    });
  }
  for (int64_t v = 0; v < config.getVectors(); ++v) {
    for (int64_t tile = 0; tile < group.tiles; ++tile) {
      store(sums[v * group.tiles + tile], products,
            add(group.products, v * plan.productPlane + tile * block));
    }
  }
}

/// Returns zeros in the first pass, otherwise the sums that the previous pass stored.
WinogradEmitter::Values WinogradEmitter::start(const Group &group) {
  int64_t count = config.getVectors() * group.tiles;
  Values zeros(count, b.create<arith::ConstantOp>(b.getZeroAttr(vector)));
  if (plan.passes == 1) {
    return zeros;
  }
  SmallVector<Type> types(count, vector);
  Value isFirst = compare(CmpIPredicate::eq, group.pass, 0);
  auto loadSums = [&] {
    Values loaded;
    for (int64_t v = 0; v < config.getVectors(); ++v) {
      for (int64_t tile = 0; tile < group.tiles; ++tile) {
        loaded.push_back(load(products, add(group.products, v * plan.productPlane + tile * block)));
      }
    }
    return loaded;
  };
  return branch(isFirst, [&] { return zeros; }, loadSums, types);
}

WinogradEmitter::Values WinogradEmitter::accumulateBlock(const Group &group, Value blockIndex,
                                                         int64_t channels, Values sums) {
  return unrolled(channels, std::min(config.getUnroll(), channels), std::move(sums),
                  [&](Value first, int64_t count, Values carried) {
                    return accumulate(group, blockIndex, first, count, std::move(carried));
                  });
}

/// The micro-kernel: sums += weights of `channels` channels times their tiles.
WinogradEmitter::Values WinogradEmitter::accumulate(const Group &group, Value blockIndex,
                                                    Value first, int64_t channels, Values sums) {
  int64_t panelWidth = config.getVectors() * block;
  Value weight = add(group.weights, mul(add(mul(blockIndex, block), first), panelWidth));
  Value input = add(add(group.input, mul(blockIndex, plan.inputPlane)), first);
  FloatMultiply multiply(b, {transformed, ElementType::F32}, {w, kernel.weightType}, block);
  auto weights = [&](int64_t channel, int64_t v) {
    return add(weight, channel * panelWidth + v * block);
  };
  auto inputs = [&](int64_t channel, int64_t tile) {
    if (tile == 0) { // between the loads of weights and of inputs
      fetchAhead(group, blockIndex, first, channel);
    }
    return add(input, tile * block + channel);
  };
  return RegisterTile(multiply, config.getVectors(), group.tiles)
      .accumulate(channels, weights, inputs, std::move(sums));
}

int64_t WinogradEmitter::fetchShares() const { return std::min<int64_t>(config.getGroups(), 2); }

/// Returns the offset of the weights that a group prefetches. The weights of the next pass follow
/// the weights of this pass. The first two groups of a task prefetch one half each.
mlir::Value WinogradEmitter::aheadOf(Value weights, Value ordinal) {
  int64_t pass = std::min(config.getDepth(), p.inputChannels) * config.getVectors() * block;
  Value share = mul(min(ordinal, fetchShares() - 1), pass / fetchShares());
  return add(add(weights, pass), share);
}

/// Distributes the prefetches of a share over the channels.
void WinogradEmitter::fetchAhead(const Group &group, Value blockIndex, Value first,
                                 int64_t channel) {
  int64_t perChannel = config.getVectors() * block / fetchShares();
  int64_t low = channel * perChannel / kLineElements;
  int64_t high = (channel + 1) * perChannel / kLineElements;
  for (int64_t line = low; line < high; ++line) {
    Value offset = mul(add(mul(blockIndex, block), first), perChannel);
    offset = add(add(group.ahead, offset), line * kLineElements);
    fetch(w, offset, /*isWrite=*/false, kSecondLevel);
  }
}

} // namespace convoy::kernels
