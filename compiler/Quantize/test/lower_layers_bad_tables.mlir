// RUN: not convoy-opt %s -pass-pipeline='builtin.module(func.func(convoy-quantize-lower-layers{short-table=0 long-table=4}))' 2>&1 | FileCheck %s

// CHECK: error: expects short-table and long-table in [1, 4096] intervals, or both 0, got 0 and 4
func.func @anything() {
  return
}
