// RUN: rm -rf %t && convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t})' -o /dev/null
// RUN: FileCheck %s < %t/net.c

// Gathers, masked loads and masked stores of 32-bit elements are macros with intrinsics. Vectors that
// are wider than a register are compared by halves.
// CHECK: #define COMPARE_F64X16(a, symbol, b)
// CHECK: _mm512_mask_i64gather_epi32
module attributes {memory.arena_bytes = 0 : i64, memory.weights_bytes = 0 : i64,
                   memory.weight_offsets = array<i64>, memory.weights = []} {

// CHECK: CONVOY_KERNEL void net_pick(
task.kernel @pick(%x: memref<64xf32>, %i: memref<16xindex>, %y: memref<64xf32>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read>, #task.access<read_write>], range = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %limit = arith.constant dense<1.0> : vector<16xf64>
  %at = vector.load %i[%c0] : memref<16xindex>, vector<16xindex>
  %first = vector.load %x[%c0] : memref<64xf32>, vector<16xf32>
  %wide = arith.extf %first : vector<16xf32> to vector<16xf64>
  // CHECK: const i32x16 [[below:v[0-9]+]] = COMPARE_F64X16({{v[0-9]+}}, <, F64X16(1.0));
  %below = arith.cmpf olt, %wide, %limit : vector<16xf64>
  // CHECK: = CONVOY_GATHER_16(f32x16, indices16, p0 + 5, {{v[0-9]+}}, [[below]], F32X16(0.0f));
  %picked = vector.gather %x[%c5] [%at], %below, %zero
      : memref<64xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  // CHECK: = CONVOY_LOAD_IF_16(f32x16, p0 + 5, [[below]], {{v[0-9]+}});
  %loaded = vector.maskedload %x[%c5], %below, %picked
      : memref<64xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  // CHECK: CONVOY_STORE_IF_16(f32x16, p2, [[below]], {{v[0-9]+}});
  vector.maskedstore %y[%c0], %below, %loaded : memref<64xf32>, vector<16xi1>, vector<16xf32>
  task.return
}

func.func @main(%x: memref<64xf32> {memory.role = "input"}, %i: memref<16xindex> {memory.role = "input"},
                %y: memref<64xf32> {memory.role = "output"}, %arena: memref<0xi8>, %weights: memref<0xi8>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  task.call @pick(%x, %i, %y, %c0, %c2) : memref<64xf32>, memref<16xindex>, memref<64xf32>, index, index
  return
}
}
