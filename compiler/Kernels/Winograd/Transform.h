// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One-dimensional transforms as loops over the rows or columns of a tile of vectors. A transform
// consists of parts that only share their inputs. If all parts run in one loop, most inputs need a
// register. If each part has a loop of its own, four registers suffice, but inputs are loaded more
// often.

#pragma once

#include "Kernels/Loops/KernelEmitter.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::kernels {

class LineTransforms {
public:
  using Value = mlir::Value;
  /// Returns element i of a line.
  using Load = llvm::function_ref<Value(Value line, int64_t i)>;
  /// Stores frequency or result `place` of a line.
  using Store = llvm::function_ref<void(Value line, int64_t place, Value value)>;

  /// `isByParts` emits one loop per part, for targets with few registers.
  LineTransforms(KernelEmitter &emitter, int64_t tile, bool isByParts)
      : elements(emitter), tile(tile), isByParts(isByParts) {}

  /// Transforms lines [0, lines) of `tile` + 2 pixels to all frequencies.
  void input(Value lines, Load load, Store store);
  /// Transforms lines of products, one per frequency, to `tile` results.
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
  Part inputPart(int64_t part, Line pixel);
  Part outputPart(int64_t part, Line product);

  KernelEmitter &elements;
  int64_t tile;
  bool isByParts;
};

} // namespace convoy::kernels
