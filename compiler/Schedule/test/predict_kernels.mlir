// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 grain-ns=0 scheduler=program-order})' | FileCheck %s

// Eight tasks, of which only the last one enters the inner loops: 1000 loads and stores at 0.15 ns each.
// The loads spread their numbers over all lanes. The weights are in no cache: 40 kB at 10 bytes per ns are
// 4000 ns. The other operands are small, so the kernel before left them in the cache: 512 bytes at 40 bytes
// per ns. A custom op has the time of its cycles, 0.33 ns each.
// CHECK: serialNs = 4.642{{8|7999}}{{[0-9]*}}e+03 : f64
module attributes {memory.arena_bytes = 64 : i64} {
  func.func @main(%x: memref<64xf32> {memory.role = "input"}, %w: memref<10000xf32> {memory.role = "input"}, %y: memref<64xf32> {memory.role = "output"},
                  %arena: memref<64xi8> {memory.role = "arena"}) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %status = memref.view %arena[%c0][] : memref<64xi8> to memref<1xi32>
    %ok = arith.constant 0 : i32
    memref.store %ok, %status[%c0] : memref<1xi32>
    task.call @last_0(%x, %y, %c0, %c8) : memref<64xf32>, memref<64xf32>, index, index
    task.call @weights_0(%x, %w, %y, %c0, %c8) : memref<64xf32>, memref<10000xf32>, memref<64xf32>, index, index
    task.call @custom_0(%x, %y, %status, %c0, %c1) : memref<64xf32>, memref<64xf32>, memref<1xi32>, index, index
    %code = memref.load %status[%c0] : memref<1xi32>
    return %code : i32
  }
  task.kernel @last_0(%a: memref<64xf32>, %b: memref<64xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read_write>], range = 8 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c1000 = arith.constant 1000 : index
    scf.for %i = %begin to %end step %c1 {
      %next = arith.addi %i, %c1 : index
      %upper = arith.minsi %next, %c8 : index
      %lower = arith.maxsi %i, %c7 : index
      scf.for %j = %lower to %upper step %c1 {
        scf.for %k = %c0 to %c1000 step %c1 {
          %e = memref.load %a[%j] : memref<64xf32>
          %v = vector.broadcast %e : f32 to vector<8xf32>
          vector.store %v, %b[%c0] : memref<64xf32>, vector<8xf32>
        }
      }
    }
    task.return
  }
  task.kernel @weights_0(%a: memref<64xf32>, %w: memref<10000xf32>, %b: memref<64xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read>, #task.access<read_write>], range = 8 : i64,
                  tensors = (tensor<64xf32>, tensor<100x100xf32, #kernel.conv_weights<o = 4, i = 4, transposed = false>>) -> tensor<64xf32>} {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %e = memref.load %w[%i] : memref<10000xf32>
      memref.store %e, %b[%i] : memref<64xf32>
    }
    task.return
  }
  task.kernel @custom_0(%a: memref<64xf32>, %b: memref<64xf32>, %s: memref<1xi32>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read_write>, #task.access<read_write>], may_fail, range = 1 : i64} {
    task.call_custom "f" (%a) to (%b) status %s
        {cycles = 1000 : i64, elementTypes = array<i32: 1, 1>, parameters = [], shapes = [array<i64: 64>, array<i64: 64>]}
        : (memref<64xf32>), (memref<64xf32>), memref<1xi32>
    task.return
  }
}
