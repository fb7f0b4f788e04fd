// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the live ranges of a region's values and their addresses.

#include "Accelerators/RegionMemory.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::accelerators {
namespace {

void placeConstants(mlir::Block &block, int64_t alignment, RegionMemory &memory) {
  for (auto constant : block.getOps<graph::ConstantOp>()) {
    Tensor tensor = graph::toTensor(constant.getValue());
    memory.image.resize(llvm::alignTo(memory.image.size(), alignment));
    memory.ranges[constant.getResult()] = {static_cast<int64_t>(memory.image.size()),
                                           tensor.bytes()};
    const auto *bytes = tensor.data<uint8_t>();
    memory.image.insert(memory.image.end(), bytes, bytes + tensor.bytes());
  }
}

/// Returns one memory block per value, in order.
std::vector<memory::Block> lifetimes(mlir::Block &block, ArrayRef<Value> values,
                                     llvm::function_ref<int64_t(Value)> bytesOf) {
  llvm::DenseMap<Operation *, int64_t> stepOf;
  int64_t step = 0;
  for (Operation &op : block) {
    stepOf[&op] = step++;
  }
  std::vector<memory::Block> blocks;
  for (Value value : values) {
    Operation *definition = value.getDefiningOp();
    int64_t first = definition ? stepOf[definition] : -1;
    int64_t last = first;
    for (Operation *user : value.getUsers()) {
      last = std::max(last, stepOf[user]);
    }
    blocks.push_back({bytesOf(value), first, last});
  }
  return blocks;
}

} // namespace

FailureOr<RegionMemory> planRegion(func::FuncOp region, const memory::Space &space,
                                   llvm::function_ref<int64_t(Value)> bytesOf) {
  mlir::Block &block = region.getBody().front();
  RegionMemory memory;
  placeConstants(block, space.alignment, memory);
  SmallVector<Value> values(block.getArguments());
  for (Operation &op : block.without_terminator()) {
    if (!isa<graph::ConstantOp>(op)) {
      llvm::append_range(values, op.getResults());
    }
  }
  std::vector<memory::Block> blocks = lifetimes(block, values, bytesOf);
  auto base = static_cast<int64_t>(llvm::alignTo(memory.image.size(), space.alignment));
  memory::Space rest = space;
  rest.bytes = space.bytes == 0 ? 0 : std::max<int64_t>(space.bytes - base, 1);
  std::optional<std::vector<int64_t>> bytes = memory::planMemories(blocks, {rest});
  if (!bytes) {
    return region.emitError("region needs more than the ")
           << space.bytes << " bytes of the device's memory '" << space.name << "'";
  }
  for (auto [value, placed] : llvm::zip(values, blocks)) {
    memory.ranges[value] = {base + placed.offset, placed.bytes};
  }
  memory.bytes = base + bytes->front();
  return memory;
}

} // namespace convoy::accelerators
