// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16 byte-ops=true},func.func(convoy-layout-choose-layouts,convoy-layout-cancel-transposes,convoy-layout-check-layouts))' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16},func.func(convoy-layout-choose-layouts))' | FileCheck %s --check-prefix=VECTORS

// On a microcontroller all images have their channels innermost, so neither the transpose of the
// input nor a reorder moves data. Other targets do not choose byte ops.
// CHECK-LABEL: func @channels_are_innermost
// CHECK-DAG: graph.constant {{.*}} tensor<4x1x3x3xi8, #kernel.depthwise_groups<offset = -128>>
// CHECK-DAG: graph.constant {{.*}} tensor<4xi32, #kernel.lane_quarters<minuend = 0>>
// CHECK-DAG: graph.constant {{.*}} tensor<4xi32, #kernel.lane_quarters<minuend = 31>>
// CHECK: %[[X:.*]] = graph.transpose %arg0
// CHECK-SAME: -> tensor<1x4x6x6xi8, #graph.blocked<c = 4>>
// CHECK: graph.kernel %[[X]],
// CHECK: {config = #kernel.depthwise_bytes<channels = 16>}
// CHECK: graph.kernel
// CHECK: {config = #kernel.add_bytes<rows = 1>}
// CHECK: graph.kernel
// CHECK: {config = #kernel.pool_bytes<rows = 1>}
// CHECK: graph.reorder {{.*}} -> tensor<1x4x1x1xi8>
// CHECK-NOT: graph.kernel
// VECTORS-NOT: #kernel.{{depthwise|add|pool}}_bytes
func.func @channels_are_innermost(%input: tensor<1x6x6x4xi8>) -> tensor<1x4xi8> {
  %w = graph.constant dense<3> : tensor<4x1x3x3xi8>
  %b = graph.constant dense<5> : tensor<4xi32>
  %m = graph.constant dense<1073741824> : tensor<4xi32>
  %s = graph.constant dense<36> : tensor<4xi32>
  %shape = graph.constant dense<[1, 4]> : tensor<2xi64>
  %x = graph.kernel %input {
  ^bb0(%i: tensor<1x6x6x4xi8>):
    %1 = graph.transpose %i {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x6x6x4xi8>) -> tensor<1x4x6x6xi8>
    graph.yield %1 : tensor<1x4x6x6xi8>
  } : (tensor<1x6x6x4xi8>) -> tensor<1x4x6x6xi8>
  %y = graph.kernel %x, %w, %b, %m, %s {
  ^bb0(%i: tensor<1x4x6x6xi8>, %iw: tensor<4x1x3x3xi8>, %ib: tensor<4xi32>, %im: tensor<4xi32>, %is: tensor<4xi32>):
    %1 = graph.integer_conv %i, %iw, %ib {dilations = array<i64: 1, 1>, groups = 4 : i64, inputZeroPoint = -128 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, weightZeroPoint = 0 : i64}
        : (tensor<1x4x6x6xi8>, tensor<4x1x3x3xi8>, tensor<4xi32>) -> tensor<1x4x6x6xi32>
    %2 = graph.requantize %1, %im, %is {axis = 1 : i64, high = 127 : i64, inputZeroPoint = 0 : i64, low = -128 : i64, rounding = 1 : i32, to = i8, zeroPoint = -128 : i64}
        : (tensor<1x4x6x6xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<1x4x6x6xi8>
    graph.yield %2 : tensor<1x4x6x6xi8>
  } : (tensor<1x4x6x6xi8>, tensor<4x1x3x3xi8>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<1x4x6x6xi8>
  %z = graph.kernel %x, %y {
  ^bb0(%i: tensor<1x4x6x6xi8>, %j: tensor<1x4x6x6xi8>):
    %1 = graph.integer_add %i, %j {high = 127 : i64, lhsMultiplier = 405404 : i64, lhsZeroPoint = -128 : i64, low = -128 : i64, rhsMultiplier = 1072283 : i64, rhsZeroPoint = 4 : i64, rounding = 1 : i32, shift = 19 : i64, to = i8, zeroPoint = -128 : i64}
        : (tensor<1x4x6x6xi8>, tensor<1x4x6x6xi8>) -> tensor<1x4x6x6xi8>
    graph.yield %1 : tensor<1x4x6x6xi8>
  } : (tensor<1x4x6x6xi8>, tensor<1x4x6x6xi8>) -> tensor<1x4x6x6xi8>
  %p = graph.kernel %z {
  ^bb0(%i: tensor<1x4x6x6xi8>):
    %1 = graph.integer_sum_pool %i {ceilMode = false, dilations = array<i64: 1, 1>, inputZeroPoint = -128 : i64, kernel = array<i64: 6, 6>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 6, 6>}
        : (tensor<1x4x6x6xi8>) -> tensor<1x4x1x1xi32>
    %pm = graph.constant dense<1099511628> : tensor<i32>
    %ps = graph.constant dense<37> : tensor<i32>
    %2 = graph.requantize %1, %pm, %ps {axis = 1 : i64, high = 127 : i64, inputZeroPoint = 0 : i64, low = -128 : i64, rounding = 1 : i32, to = i8, zeroPoint = -128 : i64}
        : (tensor<1x4x1x1xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4x1x1xi8>
    graph.yield %2 : tensor<1x4x1x1xi8>
  } : (tensor<1x4x6x6xi8>) -> tensor<1x4x1x1xi8>
  %v = graph.reshape %p, %shape : (tensor<1x4x1x1xi8>, tensor<2xi64>) -> tensor<1x4xi8>
  return %v : tensor<1x4xi8>
}
