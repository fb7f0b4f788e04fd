// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-outline-choose-io)' -split-input-file -verify-diagnostics | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-outline-choose-io{inputs-by-rows=true})' -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=ROWS

// A tensor without elements has no rows.
// ROWS: func.func @main(%arg0: tensor<4xi8> {graph.name = "x", task.by_rows}, %arg1: tensor<2xi8> {task.by_rows}, %arg2: tensor<0xi8> {task.in_arena})
// ROWS-SAME: -> (tensor<4xi8> {task.in_arena})

// CHECK: func.func @main(%arg0: tensor<4xi8> {graph.name = "x", task.in_arena}, %arg1: tensor<2xi8> {task.in_arena}, %arg2: tensor<0xi8> {task.in_arena})
// CHECK-SAME: -> (tensor<4xi8> {task.in_arena})
// CHECK: func.func private @other(tensor<4xi8>)
func.func @main(%x: tensor<4xi8> {graph.name = "x"}, %y: tensor<2xi8>, %z: tensor<0xi8>) -> tensor<4xi8> {
  return %x : tensor<4xi8>
}
func.func private @other(tensor<4xi8>)

// -----

// expected-error@+1 {{has no function @main; expected an imported model}}
module {
}
