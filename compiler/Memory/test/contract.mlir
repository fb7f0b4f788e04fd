// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-memory-check-contract)'

module attributes {memory.arena_bytes = 64 : i64, memory.plan = {calls = [], tensors = []}, memory.weights = []} {
  func.func @tensor_is_refused(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{still has a tensor result after memory planning}}
    %0 = graph.unary abs %x : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// expected-error@+1 {{has no attributes with the sizes of arena and weights after memory planning}}
module {
}

// -----

// expected-error@+1 {{has no memory plan after memory planning}}
module attributes {memory.arena_bytes = 64 : i64, memory.weights = []} {
}

// -----

module attributes {memory.arena_bytes = 64 : i64, memory.plan = {calls = [], tensors = []}, memory.weights = []} {
  func.func @view_of_a_row_is_refused(%x: memref<32xi8>, %row: index) {
    // expected-error@+1 {{remains after memory planning; run convoy-memory-lower-row-views}}
    %r = task.row_view %x[%row] rows 4 : memref<32xi8> -> memref<8xi8, strided<[1], offset: ?>>
    return
  }
}
