// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in memory and in registers. Memory is a flat buffer of a storage type. Registers hold
// the type in which arithmetic is done:
//
//     element      f64  f32  f16  bf16  f8 f4  i1  i4   u8   i64
//     storage      f64  f32  f16  i16   i8     i8  i8   i8   i64
//     register     f64  f32  f32  f32   f32    i1  i8   i8   i64
//
// A narrow float in a register is always representable in its own type, because every op rounds its
// result (roundTo), as the reference does.

#pragma once

#include "Kernels/Loops/Lanes.h"
#include "Support/ElementType.h"

namespace convoy::kernels {

mlir::Type storageType(ElementType type, mlir::MLIRContext *context);
mlir::Type registerType(ElementType type, mlir::MLIRContext *context);

/// A tensor in memory: memref<size x storage>.
struct Buffer {
  mlir::Value memref;
  ElementType type;
};

/// Loads one element per lane, or one scalar if the offset is uniform. Lanes where `mask` is false
/// read nothing and hold an unspecified value.
mlir::Value load(Lanes &lanes, const Buffer &buffer, const Index &offset, mlir::Value mask = {});

/// Stores one element per lane.
void store(Lanes &lanes, const Buffer &buffer, const Index &offset, mlir::Value value);

/// Rounds a float register to a value that `type` can represent. Does nothing for f32, f64 and
/// integers.
mlir::Value roundTo(Lanes &lanes, ElementType type, mlir::Value value);

/// Converts between registers of two element types, as graph.cast does. `roundMode` (0 up, 1 down,
/// 2 nearest) applies to f8E8M0.
mlir::Value convert(Lanes &lanes, mlir::Value value, ElementType from, ElementType to,
                    bool saturate = true, int roundMode = 0);

/// Returns an integer minus its zero point, computed in i32, as `to`.
mlir::Value centered(Lanes &lanes, mlir::Value value, ElementType from, int64_t zeroPoint,
                     ElementType to = ElementType::I32);

/// Returns an integer as i64, plus `size` if it is negative: an index that counts from the end.
mlir::Value wrapped(Lanes &lanes, mlir::Value value, ElementType from, int64_t size);

/// Convert narrow floats as bits: f32 to the low bits of an i32 and back.
mlir::Value narrowToBits(Lanes &lanes, mlir::Value value, ElementType type, bool saturate,
                         int roundMode);
mlir::Value widenFromBits(Lanes &lanes, mlir::Value bits, ElementType type);

} // namespace convoy::kernels
