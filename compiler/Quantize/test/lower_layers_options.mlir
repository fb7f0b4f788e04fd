// RUN: not convoy-opt %s -pass-pipeline='builtin.module(func.func(convoy-quantize-lower-layers{multiplier-bits=40}))' 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not convoy-opt %s -pass-pipeline='builtin.module(func.func(convoy-quantize-lower-layers{short-table=2}))' 2>&1 | FileCheck %s --check-prefix=TABLES
// RUN: not convoy-opt %s -pass-pipeline='builtin.module(func.func(convoy-quantize-lower-layers{rounding=down}))' 2>&1 | FileCheck %s --check-prefix=ROUNDING

// The pass rejects options outside their range.

// BITS: error: expects multiplier-bits in [8, 31], got 40
// TABLES: error: expects short-table and long-table in [1, 4096] intervals, or both 0, got 2 and 0
// ROUNDING: Cannot find option named 'down'!
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
