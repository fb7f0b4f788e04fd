// RUN: rm -rf %t && convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t/vectors})' -o /dev/null
// RUN: FileCheck %s --check-prefixes=CHECK,VECTORS < %t/vectors/net.c
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t/plain plain=true})' -o /dev/null
// RUN: FileCheck %s --check-prefixes=CHECK,PLAIN < %t/plain/net.c
// RUN: FileCheck %s --check-prefix=HEADER < %t/plain/net.h

// HEADER: #define NET_WORKSPACE_BYTES 128
// HEADER: int net_run(const net_inputs *inputs, net_outputs *outputs, void *workspace);

// VECTORS: typedef float f32x4 __attribute__((vector_size(4 * sizeof(float))));
// VECTORS: #define CONVOY_FMA_F32_4(a, b, c) ((f32x4)_mm_fmadd_ps(
// PLAIN-NOT: vector_size
// CHECK: static const _Alignas(64) float net_w0[4] = {
// CHECK-NEXT: 1.0f, 2.0f, (-0.5f), INFINITY,

module attributes {memory.arena_bytes = 128 : i64, memory.weights_bytes = 64 : i64,
                   memory.weight_offsets = array<i64: 0>,
                   memory.weights = [dense<[1.0, 2.0, -0.5, 0x7F800000]> : tensor<4xf32>]} {

// The comment contains the nodes and the shapes.
// CHECK: /* 'Conv_3' (Conv)
// CHECK-NEXT: x0: 8x4 f32
// CHECK-NEXT: x1: 4 f32
// CHECK-NEXT: y0: 4 f32
// CHECK: CONVOY_KERNEL void net_dot_0(const float *restrict x0, const float *restrict x1,
// CHECK-NEXT: ptrdiff_t begin, ptrdiff_t end) {
task.kernel @dot_0(%x: memref<32xf32>, %w: memref<4xf32>, %y: memref<4xf32>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read>, #task.access<read_write>],
                range = 8 : i64,
                tensors = (tensor<8x4xf32>, tensor<4xf32>) -> tensor<4xf32>,
                nodes = loc(fused["Conv_3"("Conv")])} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %weights = vector.load %w[%c0] : memref<4xf32>, vector<4xf32>
  // The accumulator is one variable, so no iteration copies it.
  // VECTORS: f32x4 [[acc:v[0-9]+]] = F32X4(0.0f);
  // VECTORS: for (ptrdiff_t i0 = begin; i0 < end; ++i0) {
  // VECTORS-NEXT: const f32x4 [[row:v[0-9]+]] = *(const f32x4_memory *)(x0 + (i0 * 4));
  // VECTORS-NEXT: [[acc]] = CONVOY_FMA_F32_4([[row]], {{v[0-9]+}}, [[acc]]);
  // VECTORS-NEXT: }
  // PLAIN: [[acc:v[0-9]+]][l] = 0.0f;
  // PLAIN: for (ptrdiff_t i0 = begin; i0 < end; ++i0) {
  // PLAIN-NEXT: CONVOY_SIMD
  // PLAIN-NEXT: for (ptrdiff_t l = 0; l < 4; ++l) {
  // PLAIN-NEXT: const float [[row:f[0-9]+]] = x0[(i0 * 4) + l];
  // PLAIN-NEXT: [[acc]][l] = fmaf([[row]], {{v[0-9]+}}[l], [[acc]][l]);
  // PLAIN-NEXT: }
  %sum = scf.for %i = %begin to %end step %c1 iter_args(%acc = %zero) -> vector<4xf32> {
    %at = arith.muli %i, %c4 : index
    %row = vector.load %x[%at] : memref<32xf32>, vector<4xf32>
    %next = math.fma %row, %weights, %acc : vector<4xf32>
    scf.yield %next : vector<4xf32>
  }
  // VECTORS: *(f32x4_memory *)(y0) = [[acc]];
  // PLAIN: y0[l] = [[acc]][l];
  vector.store %sum, %y[%c0] : memref<4xf32>, vector<4xf32>
  // A mask with one border is a comparison of the lane.
  // PLAIN: (l >= 3) ? [[acc]][l] : 0.0f
  %mask = arith.constant dense<[false, false, false, true]> : vector<4xi1>
  %masked = arith.select %mask, %sum, %zero : vector<4xi1>, vector<4xf32>
  vector.store %masked, %y[%c0] : memref<4xf32>, vector<4xf32>
  task.return
}

// A loop over lanes would overwrite these neighbors before it reads them.
// CHECK: CONVOY_KERNEL void net_shift_1(
task.kernel @shift_1(%y: memref<8xf32>, %begin: index, %end: index)
    attributes {access = [#task.access<read_write>], range = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // PLAIN: [[copy:v[0-9]+]][l] = {{p0|y0}}[l];
  // PLAIN-NEXT: }
  // PLAIN: {{p0|y0}}[1 + l] = [[copy]][l];
  %v = vector.load %y[%c0] : memref<8xf32>, vector<4xf32>
  vector.store %v, %y[%c1] : memref<8xf32>, vector<4xf32>
  task.return
}

// The operand may share the memory of the result, so the pointers are not restrict, and all
// lanes are read before one is written.
// CHECK: CONVOY_KERNEL void net_sum_3(const float *{{p0|x0}}, float *{{p1|y0}}, ptrdiff_t begin, ptrdiff_t end) {
task.kernel @sum_3(%x: memref<8xf32>, %y: memref<8xf32>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<write>], range = 1 : i64, in_place = array<i64: 0, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // PLAIN: [[copy:v[0-9]+]][l] = p0[1 + l];
  // PLAIN-NEXT: }
  // PLAIN: p1[l] = [[copy]][l];
  %v = vector.load %x[%c1] : memref<8xf32>, vector<4xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<4xf32>
  task.return
}

// An interleave is a shuffle.
// CHECK: CONVOY_KERNEL void net_interleave_4(
task.kernel @interleave_4(%x: memref<4xf32>, %y: memref<4xf32>, %begin: index, %end: index) attributes {access = [#task.access<read>, #task.access<read_write>],
                range = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // VECTORS: __builtin_shufflevector({{v[0-9]+}}, {{v[0-9]+}}, 0, 2, 1, 3);
  // PLAIN: [[both:v[0-9]+]][0] = [[a:v[0-9]+]][0];
  // PLAIN-NEXT: [[both]][1] = [[b:v[0-9]+]][0];
  // PLAIN-NEXT: [[both]][2] = [[a]][1];
  // PLAIN-NEXT: [[both]][3] = [[b]][1];
  %a = vector.load %x[%c0] : memref<4xf32>, vector<2xf32>
  %b = vector.load %x[%c2] : memref<4xf32>, vector<2xf32>
  %v = vector.interleave %a, %b : vector<2xf32> -> vector<4xf32>
  vector.store %v, %y[%c0] : memref<4xf32>, vector<4xf32>
  task.return
}

// The loop exchanges two values through a copy.
// CHECK: CONVOY_KERNEL void net_swap_2(
task.kernel @swap_2(%y: memref<2xi32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  // CHECK: uint32_t [[a:u[0-9]+]] = 1u;
  // CHECK: uint32_t [[b:u[0-9]+]] = 2u;
  // CHECK: [[copyB:u[0-9]+]] = [[b]];
  // CHECK: [[copyA:u[0-9]+]] = [[a]];
  // CHECK: [[a]] = [[copyB]];
  // CHECK: [[b]] = [[copyA]];
  %r:2 = scf.for %i = %begin to %end step %c1 iter_args(%a = %one, %b = %two) -> (i32, i32) {
    scf.yield %b, %a : i32, i32
  }
  memref.store %r#0, %y[%c0] : memref<2xi32>
  memref.store %r#1, %y[%c1] : memref<2xi32>
  task.return
}

// CHECK: static uint32_t net_main(const float *in0_x, float *out1_y, uint8_t *arena) {
func.func @main(%x: memref<32xf32> {graph.name = "x", graph.type = tensor<8x4xf32>, memory.role = "input"},
                %y: memref<4xf32> {graph.name = "y", graph.type = tensor<4xf32>, memory.role = "output"},
                %arena: memref<128xi8> {memory.role = "arena"},
                %weights: memref<64xi8> {memory.role = "weights"}) -> i32 {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %w = memref.view %weights[%c0][] : memref<64xi8> to memref<4xf32>
  // CHECK: net_dot_0(in0_x, net_w0, out1_y, 0, 8);
  task.call @dot_0(%x, %w, %y, %c0, %c8) : memref<32xf32>, memref<4xf32>, memref<4xf32>, index, index
  %t = memref.view %arena[%c64][] : memref<128xi8> to memref<8xf32>
  // CHECK: net_shift_1(ARENA(float, 64), 0, 8);
  task.call @shift_1(%t, %c0, %c8) : memref<8xf32>, index, index
  %u = memref.view %arena[%c64][] : memref<128xi8> to memref<2xi32>
  task.call @swap_2(%u, %c0, %c8) : memref<2xi32>, index, index
  %ok = arith.constant 0 : i32
  return %ok : i32
}
}

// CHECK: int net_run(const net_inputs *inputs, net_outputs *outputs, void *workspace) {
// CHECK: if ((uintptr_t)workspace % 64u != 0u) {
