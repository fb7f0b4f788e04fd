// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest of one kernel by pulling: loops run over the elements of a
// result, and each element asks for the operand elements it needs. An op without
// loops of its own therefore fuses by being asked.
//
//     for n, c, h:  for w in steps of W:
//       store y[n,c,h,w..] <- element(relu) <- element(add) <- element(conv) <- load x, w
//
// Each op has one emitter, in the file of its family, either of elements (most)
// or of its whole result (scatter, sort: ops that write where the data says).

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Loops/Registers.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace convoy::kernels {

class KernelEmitter;

/// On a requantize whose rounded products all fit i32, with room for a zero point.
inline constexpr llvm::StringLiteral kNarrowAttr = "kernel.narrow";
/// On a requantize that is narrow, rounds half up and shifts by 33 to 53: the upper half
/// of a product is enough, and a zero point fits beside it.
inline constexpr llvm::StringLiteral kUpperAttr = "kernel.upper";

/// The element of result `result` at `at`, in registers. Lanes where `mask` is
/// off may hold anything but must not read out of bounds.
struct ElementQuery {
  unsigned result;
  llvm::ArrayRef<Index> at;
  mlir::Value mask;
};

using ElementEmitter = mlir::Value (*)(mlir::Operation *, KernelEmitter &, const ElementQuery &);
using WholeEmitter = void (*)(mlir::Operation *, KernelEmitter &);
/// Why an op cannot be emitted as it stands ("reduces over axes known only at
/// run time"), or empty.
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
  const EmitterRow *find(mlir::Operation *op) const {
    auto it = rows.find(op->getName().getTypeID());
    return it == rows.end() ? nullptr : &it->second;
  }

private:
  llvm::DenseMap<mlir::TypeID, EmitterRow> rows;
};

const EmitterTable &emitterTable();

// One per family.
void addElementwiseEmitters(EmitterTable &table);
void addIntegerEmitters(EmitterTable &table);
void addMovementEmitters(EmitterTable &table);
void addProductEmitters(EmitterTable &table);
void addReductionEmitters(EmitterTable &table);
void addRegionEmitters(EmitterTable &table);
void addSamplingEmitters(EmitterTable &table);
void addScatterEmitters(EmitterTable &table);
void addSelectionEmitters(EmitterTable &table);
void addSortEmitters(EmitterTable &table);
void addTransformEmitters(EmitterTable &table);
void addWindowEmitters(EmitterTable &table);

/// Shapes of a kernel in which every op is element-wise: neighbouring dimensions
/// that broadcast alike are one, so that 1x64x56x56 + 1x64x1x1 runs as 64x3136.
struct Collapse {
  /// For each collapsed dimension, how many trailing-aligned dimensions it holds.
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
  /// Products of 32 by 32 bits are made in two halves, of even and of odd lanes: machines
  /// that multiply so leave lanes where they are.
  bool pairsProducts = false;

  /// Binds a kernel argument or result to memory.
  void bind(mlir::Value value, Buffer buffer) { buffers[value] = buffer; }
  const Buffer &buffer(mlir::Value value) const { return buffers.find(value)->second; }
  bool isInMemory(mlir::Value value) const { return buffers.count(value); }

  // Values.
  /// The element of a value; `at` has the value's (collapsed) rank.
  mlir::Value element(mlir::Value value, llvm::ArrayRef<Index> at, mlir::Value mask = {});
  /// The element at a row-major offset.
  mlir::Value elementAt(mlir::Value value, const Index &linear, mlir::Value mask = {});
  /// Says what an element is, for a template that has computed it.
  void provide(mlir::Value value, llvm::ArrayRef<Index> at, mlir::Value element);
  /// The channels of a block, one per lane.
  Index blockOfChannels(mlir::Value blockIndex, int64_t block);
  /// The same `channels` further on, a multiple of the block.
  Index laterBlock(const Index &channels, int64_t distance, int64_t block);
  /// Where the element at `at` of a value in memory is, in its layout.
  Index offset(mlir::Value value, llvm::ArrayRef<Index> at);
  /// The element of an operand that broadcasts to the result of the op asked.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<Index> at, mlir::Value mask = {});
  /// The shape that `at` counts in.
  Shape shape(mlir::Value value) const;
  ElementType type(mlir::Value value) const;
  mlir::Type registerType(mlir::Value value) const {
    return kernels::registerType(type(value), b.getContext());
  }
  /// The elements of a constant operand; limits have made sure it is one.
  Shape ints(mlir::Value value) const;

  // Loops.
  /// for i in [lower, upper): carried = body(i, carried). Values of the carried
  /// list are spread to lanes when the body makes them vectors.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value lower, mlir::Value upper, llvm::ArrayRef<mlir::Value> carried,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);
  llvm::SmallVector<mlir::Value>
  loop(int64_t upper, llvm::ArrayRef<mlir::Value> carried,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);
  /// Nested loops over a box from zero; the body gets one index per dimension.
  llvm::SmallVector<mlir::Value>
  loops(llvm::ArrayRef<int64_t> box, llvm::ArrayRef<mlir::Value> carried,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<mlir::Value>,
                                                          mlir::ValueRange)>
            body);
  /// Loops over all elements of `value` with lanes along the last dimension that
  /// is not 1, or along channels when its layout is blocked; the outermost loop
  /// runs over the kernel's range.
  void nest(mlir::Value value, llvm::function_ref<void(llvm::ArrayRef<Index>)> body);
  /// The same without the range, for ops that emit themselves whole: one task
  /// does everything. `block` of channels, or 0 for planar.
  void wholeNest(llvm::ArrayRef<int64_t> shape, ElementType type, int64_t block,
                 llvm::function_ref<void(llvm::ArrayRef<Index>)> body);
  /// Loops over a box one element at a time, in order, for ops where order
  /// matters.
  void serialNest(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<Index>)> body);

  mlir::Value index(int64_t value) { return b.create<mlir::arith::ConstantIndexOp>(value); }

  /// Emits everything the block returns into `results`, one memref each.
  void emitKernel(mlir::Block &body, llvm::ArrayRef<mlir::Value> results, mlir::Value begin,
                  mlir::Value end);
  /// Where result i of an op that emits itself whole goes; null when nothing
  /// reads it.
  std::optional<Buffer> output(mlir::Operation *op, unsigned i) const;
  /// The number of steps of the outermost loop; known after emitKernel.
  int64_t range = 1;

private:
  mlir::Value compute(mlir::Value value, llvm::ArrayRef<Index> at, mlir::Value mask);
  void chooseCollapse(mlir::Block &body);
  std::vector<void *> keyOf(mlir::Value value, llvm::ArrayRef<Index> at, mlir::Value mask) const;
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
  /// First channel of a block to the block's number: offsets need no division.
  llvm::DenseMap<mlir::Value, mlir::Value> blockNumbers;
};

} // namespace convoy::kernels
