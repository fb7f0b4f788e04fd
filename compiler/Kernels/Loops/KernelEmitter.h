// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest of one kernel by pulling elements: loops run over the elements of a result,
// and each element requests the operand elements that it needs. An op without its own loops is
// therefore fused into its consumer.
//
//     for n, c, h:  for w in steps of W:
//       store y[n,c,h,w..] <- element(relu) <- element(add) <- element(conv) <- load x, w
//
// Each op has one emitter, in the file of its family. Most emitters compute one element. Emitters
// of ops whose indices come from data (scatter, sort) write the whole result.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Loops/Registers.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace convoy::kernels {

class KernelEmitter;

/// A request for the element of result `result` at `at`, in registers. Lanes where `mask` is false
/// may hold any value but must not read out of bounds.
struct ElementQuery {
  unsigned result;
  llvm::ArrayRef<Index> at;
  mlir::Value mask;
};

using ElementEmitter = mlir::Value (*)(mlir::Operation *, KernelEmitter &, const ElementQuery &);
using WholeEmitter = void (*)(mlir::Operation *, KernelEmitter &);
/// Returns why an op cannot be emitted ("reduces over axes known only at run time"), or an empty
/// string.
using LimitCheck = std::string (*)(mlir::Operation *);

struct EmitterRow {
  ElementEmitter element = nullptr;
  WholeEmitter whole = nullptr;
  LimitCheck limit = nullptr;
};

class EmitterTable {
public:
  template <typename OpT, mlir::Value (*kEmit)(OpT, KernelEmitter &, const ElementQuery &)>
  void addElement(LimitCheck limit = nullptr) {
    rows[mlir::TypeID::get<OpT>()] = {
        [](mlir::Operation *op, KernelEmitter &k, const ElementQuery &query) {
          return kEmit(mlir::cast<OpT>(op), k, query);
        },
        nullptr, limit};
  }
  template <typename OpT, void (*kEmit)(OpT, KernelEmitter &)>
  void addWhole(LimitCheck limit = nullptr) {
    rows[mlir::TypeID::get<OpT>()] = {
        nullptr, [](mlir::Operation *op, KernelEmitter &k) { kEmit(mlir::cast<OpT>(op), k); },
        limit};
  }
  /// Adds an op that is always alone in its kernel; LoopsTemplate.cpp lowers it without an emitter.
  template <typename OpT>
  void addAlone() {
    rows[mlir::TypeID::get<OpT>()] = {};
  }
  const EmitterRow *find(mlir::Operation *op) const {
    auto it = rows.find(op->getName().getTypeID());
    return it == rows.end() ? nullptr : &it->second;
  }

private:
  llvm::DenseMap<mlir::TypeID, EmitterRow> rows;
};

const EmitterTable &emitterTable();

// One function per op family.
void addElementwiseEmitters(EmitterTable &table);
void addExtentEmitters(EmitterTable &table);
void addGroupEmitters(EmitterTable &table);
void addIntegerEmitters(EmitterTable &table);
void addLRNEmitters(EmitterTable &table);
void addMovementEmitters(EmitterTable &table);
void addProductEmitters(EmitterTable &table);
void addReductionEmitters(EmitterTable &table);
void addRegionEmitters(EmitterTable &table);
void addSamplingEmitters(EmitterTable &table);
void addScatterEmitters(EmitterTable &table);
void addSelectionEmitters(EmitterTable &table);
void addSortEmitters(EmitterTable &table);
void addSuppressionEmitters(EmitterTable &table);
void addTransformEmitters(EmitterTable &table);
void addWindowEmitters(EmitterTable &table);

/// The collapsed shapes of a kernel in which every op is element-wise. Adjacent dimensions that
/// broadcast in the same way are merged: 1x64x56x56 + 1x64x1x1 runs as 64x3136.
struct Collapse {
  /// For each collapsed dimension, the number of dimensions that it holds, aligned at the last
  /// dimension.
  llvm::SmallVector<int64_t> groups;
  int64_t rank = 0;
};

class KernelEmitter {
public:
  KernelEmitter(mlir::ImplicitLocOpBuilder &builder, int64_t vectorBytes)
      : b(builder), vectorBytes(vectorBytes) {}

  // Building.
  mlir::ImplicitLocOpBuilder &b;
  Lanes lanes() { return Lanes(b, width); }
  int64_t width = 1;
  /// Returns the vector width for a row of `extent` elements: the largest power of two that the row
  /// fills.
  int64_t vectorLanes(ElementType type, int64_t extent) const;
  /// Compute 32-bit by 32-bit products in two halves, of even and of odd lanes. Targets with such
  /// an instruction then need no lane permutation.
  bool pairsProducts = false;
  /// Compute 32-bit by 32-bit products with instructions that widen adjacent lanes (smull of Arm).
  bool widensProducts = false;
  /// Emit 8-bit images of up to four channels with lanes along pixels (InterleavedNest.cpp).
  /// Emitted C has no op for it.
  bool interleavesImages = true;

  /// Merges dimensions of all values. A template whose loops run over merged dimensions calls it
  /// before it requests elements.
  void setCollapse(Collapse given) { collapse = std::move(given); }

  /// Binds a kernel argument or result to memory.
  void bind(mlir::Value value, Buffer buffer) { buffers[value] = buffer; }
  const Buffer &buffer(mlir::Value value) const { return buffers.find(value)->second; }
  bool isInMemory(mlir::Value value) const { return buffers.count(value); }

  // Values.
  /// Returns the element of a value; `at` has the collapsed rank of the value.
  mlir::Value element(mlir::Value value, llvm::ArrayRef<Index> at, mlir::Value mask = {});
  /// Returns the element at a row-major offset.
  mlir::Value elementAt(mlir::Value value, const Index &linear, mlir::Value mask = {});
  /// Sets an element that a template has already computed.
  void provide(mlir::Value value, llvm::ArrayRef<Index> at, mlir::Value element);
  /// Returns the channels of a block, one per lane.
  Index blockOfChannels(mlir::Value blockIndex, int64_t block);
  /// Returns the channels that are `distance` after `channels`; `distance` is a multiple of the
  /// block.
  Index laterBlock(const Index &channels, int64_t distance, int64_t block);
  /// Returns the number of the block if the lanes are the channels of a block, or null.
  mlir::Value blockNumber(const Index &channels) const {
    return channels.step == 1 ? blockNumbers.lookup(channels.base) : mlir::Value();
  }
  /// Returns the offset of the element at `at` of a value in memory, in the layout of the value.
  Index offset(mlir::Value value, llvm::ArrayRef<Index> at);
  /// Returns the element of an operand that broadcasts to the result of the requested op.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<Index> at, mlir::Value mask = {});
  /// Returns the shape to which the indices `at` refer.
  Shape shape(mlir::Value value) const;
  ElementType type(mlir::Value value) const;
  mlir::Type registerType(mlir::Value value) const {
    return kernels::registerType(type(value), b.getContext());
  }
  /// Returns the elements of a constant operand; a limit check has ensured that it is constant.
  Shape ints(mlir::Value value) const;

  // Loops.
  using Values = llvm::SmallVector<mlir::Value>;
  /// The body of a loop gets the index and the carried values, and returns their next values.
  using LoopBody = llvm::function_ref<Values(mlir::Value, mlir::ValueRange)>;
  using BoxBody = llvm::function_ref<Values(llvm::ArrayRef<mlir::Value>, mlir::ValueRange)>;
  /// Emit: for i in [lower, upper): carried = body(i, carried). If the body turns a carried value
  /// into a vector, the initial value is broadcast to lanes. A loop of one step is only its body.
  Values loop(mlir::Value lower, mlir::Value upper, llvm::ArrayRef<mlir::Value> carried,
              LoopBody body);
  Values loop(int64_t upper, llvm::ArrayRef<mlir::Value> carried, LoopBody body);
  /// Emit the same without carried values.
  void loop(mlir::Value lower, mlir::Value upper, llvm::function_ref<void(mlir::Value)> body);
  void loop(int64_t upper, llvm::function_ref<void(mlir::Value)> body);
  /// Emits nested loops over a box that starts at zero; the body gets one index per dimension.
  Values loops(llvm::ArrayRef<int64_t> box, llvm::ArrayRef<mlir::Value> carried, BoxBody body);
  /// Loops over all elements of `value`. Lanes run along the last dimension that is not 1, or along
  /// channels if the layout is blocked. The outermost loop runs over the kernel's range.
  void nest(mlir::Value value, llvm::function_ref<void(llvm::ArrayRef<Index>)> body);
  /// Like nest, but without the range, for ops that emit their whole result in one task. `block` is
  /// the channel block, or 0 for planar.
  void wholeNest(llvm::ArrayRef<int64_t> shape, ElementType type, int64_t block,
                 llvm::function_ref<void(llvm::ArrayRef<Index>)> body);
  /// Loops over a box one element at a time, in order, for ops that depend on the order.
  void serialNest(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<Index>)> body);

  mlir::Value index(int64_t value) { return b.create<mlir::arith::ConstantIndexOp>(value); }

  /// Emits all values that the block returns into `results`, one memref each.
  void emitKernel(mlir::Block &body, llvm::ArrayRef<mlir::Value> results, mlir::Value begin,
                  mlir::Value end);
  /// Returns the memory of result i of an op that emits its whole result, or nullopt if the result
  /// has no uses.
  std::optional<Buffer> output(mlir::Operation *op, unsigned i) const;
  /// The number of steps of the outermost loop; valid after emitKernel.
  int64_t range = 1;

private:
  mlir::Value compute(mlir::Value value, llvm::ArrayRef<Index> at, mlir::Value mask);
  /// Returns the mask without the lanes of a partial block that have no element in the memory of
  /// `value`.
  mlir::Value insideLanes(mlir::Value value, llvm::ArrayRef<Index> at, mlir::Value mask);
  void chooseCollapse(mlir::Block &body);
  std::vector<void *> keyOf(mlir::Value value, llvm::ArrayRef<Index> at, mlir::Value mask) const;
  /// Returns whether registers hold a block of channels: a power of two of at most four vectors of
  /// 32-bit lanes. A layout with one block of all channels can have larger blocks.
  bool isVectorBlock(int64_t block) const;
  void emitBlockedNest(llvm::ArrayRef<int64_t> shape, int64_t block, bool usesRange,
                       llvm::function_ref<void(llvm::ArrayRef<Index>)> body);
  void emitNest(llvm::ArrayRef<int64_t> shape, ElementType type, bool usesRange,
                llvm::function_ref<void(llvm::ArrayRef<Index>)> body);
  bool isVisible(mlir::Value value) const;
  bool emitInterleaved(mlir::Value value, const Buffer &out);

  int64_t vectorBytes;
  mlir::Value begin, end;
  llvm::DenseMap<mlir::Value, Buffer> outputs;
  std::optional<Collapse> collapse;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  std::map<std::vector<void *>, mlir::Value> cache;
  /// Maps the first channel of a block to the number of the block, so that offsets need no
  /// division.
  llvm::DenseMap<mlir::Value, mlir::Value> blockNumbers;
};

} // namespace convoy::kernels
