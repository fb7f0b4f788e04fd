// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transforms of one dimension, as loops over the rows or columns of a tile of
// vectors. A transform is made of parts that share nothing but what they read. All at
// once need a register for most of what is read; one after the other, each in a loop of
// its own, they do with four registers and read more often.

#pragma once

#include "Kernels/Loops/KernelEmitter.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::kernels {

class LineTransforms {
public:
  using Value = mlir::Value;
  /// Gives element i of a line.
  using Load = llvm::function_ref<Value(Value line, int64_t i)>;
  /// Takes frequency or result `place` of a line.
  using Store = llvm::function_ref<void(Value line, int64_t place, Value value)>;

  /// `isByParts`: where registers are few.
  LineTransforms(KernelEmitter &emitter, int64_t tile, bool isByParts)
      : elements(emitter), tile(tile), isByParts(isByParts) {}

  /// Lines [0, lines) of `tile` + 2 pixels at all frequencies.
  void input(Value lines, Load load, Store store);
  /// Lines of products, one per frequency, as `tile` results.
  void output(Value lines, Load load, Store store);

private:
  struct Placed {
    int64_t place;
    Value value;
  };
  using Line = llvm::function_ref<Value(int64_t)>;
  using Part = llvm::SmallVector<Placed>;

  void emit(Value lines, int64_t parts, llvm::function_ref<Part(int64_t part, Line line)> transform,
            Load load, Store store);
  void loop(Value lines, llvm::function_ref<void(Value)> body);
  Part inputPart(int64_t part, Line pixel);
  Part outputPart(int64_t part, Line product);

  KernelEmitter &elements;
  int64_t tile;
  bool isByParts;
};

} // namespace convoy::kernels
