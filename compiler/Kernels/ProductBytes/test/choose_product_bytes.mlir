// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32 dot=bytes tiles=true},func.func(convoy-layout-choose-layouts))' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32 vector-registers=16 dot=pairs},func.func(convoy-layout-choose-layouts))' | FileCheck %s --check-prefix=PAIRS
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32 vector-registers=16},func.func(convoy-layout-choose-layouts))' | FileCheck %s --check-prefix=LOOPS

// LOOPS-NOT: #kernel.product_bytes

// Many rows use tile registers. The weights stay bytes; the layout adds the column sums and the
// padding of the last step.
// CHECK-LABEL: func @many_rows
// CHECK: tensor<288x288xui8, #kernel.byte_weights<o = 16, i = 64>>
// CHECK: config = #kernel.product_bytes<block = 16, tiles = {{[1-4]}},
// PAIRS-LABEL: func @many_rows
// PAIRS: tensor<288x288xui8, #kernel.byte_weights<o = 8, i = 4>>
// PAIRS: config = #kernel.product_bytes<block = 8, tiles = 0,
func.func @many_rows(%x: tensor<166x288xui8>, %zx: tensor<ui8>, %zw: tensor<ui8>) -> tensor<166x288xi32> {
  %w = graph.constant dense<5> : tensor<288x288xui8>
  %0 = graph.kernel %x, %w, %zx, %zw {
  ^bb0(%a: tensor<166x288xui8>, %b: tensor<288x288xui8>, %c: tensor<ui8>, %d: tensor<ui8>):
    %1 = graph.byte_matmul %a, %b, %c, %d : (tensor<166x288xui8>, tensor<288x288xui8>, tensor<ui8>, tensor<ui8>) -> tensor<166x288xi32>
    graph.yield %1 : tensor<166x288xi32>
  } : (tensor<166x288xui8>, tensor<288x288xui8>, tensor<ui8>, tensor<ui8>) -> tensor<166x288xi32>
  return %0 : tensor<166x288xi32>
}

// A single row would leave tiles almost empty, so vectors stream the weights.
// CHECK-LABEL: func @one_row
// CHECK: config = #kernel.product_bytes<block = 16, tiles = 0, height = 1,
func.func @one_row(%x: tensor<1x288xi8>, %zx: tensor<i8>, %zw: tensor<1x100xi8>) -> tensor<1x100xi32> {
  %w = graph.constant dense<5> : tensor<288x100xi8>
  %0 = graph.kernel %x, %w, %zx, %zw {
  ^bb0(%a: tensor<1x288xi8>, %b: tensor<288x100xi8>, %c: tensor<i8>, %d: tensor<1x100xi8>):
    %1 = graph.byte_matmul %a, %b, %c, %d : (tensor<1x288xi8>, tensor<288x100xi8>, tensor<i8>, tensor<1x100xi8>) -> tensor<1x100xi32>
    graph.yield %1 : tensor<1x100xi32>
  } : (tensor<1x288xi8>, tensor<288x100xi8>, tensor<i8>, tensor<1x100xi8>) -> tensor<1x100xi32>
  return %0 : tensor<1x100xi32>
}

// The template packs the right side when it compiles the model, so the right side must be constant.
// CHECK-LABEL: func @computed_right_side
// CHECK-NOT: #kernel.product_bytes
func.func @computed_right_side(%x: tensor<8x64xi8>, %w: tensor<64x32xi8>, %z: tensor<i8>) -> tensor<8x32xi32> {
  %0 = graph.kernel %x, %w, %z {
  ^bb0(%a: tensor<8x64xi8>, %b: tensor<64x32xi8>, %c: tensor<i8>):
    %1 = graph.byte_matmul %a, %b, %c, %c : (tensor<8x64xi8>, tensor<64x32xi8>, tensor<i8>, tensor<i8>) -> tensor<8x32xi32>
    graph.yield %1 : tensor<8x32xi32>
  } : (tensor<8x64xi8>, tensor<64x32xi8>, tensor<i8>) -> tensor<8x32xi32>
  return %0 : tensor<8x32xi32>
}
