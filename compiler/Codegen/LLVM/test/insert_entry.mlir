// RUN: convoy-opt %s -split-input-file -verify-diagnostics \
// RUN:   -pass-pipeline='builtin.module(convoy-codegen-insert-entry{model=net})' | FileCheck %s

// CHECK: module attributes
// CHECK-SAME: codegen.inputs = [{name = "x", type = tensor<2x4xf32>}, {name = "none", type = tensor<0xi64>}]
// CHECK-SAME: codegen.model = "net"
// CHECK-SAME: codegen.outputs = [{name = "y", type = tensor<8xui8>}]
module attributes {memory.arena_bytes = 256 : i64} {
  // CHECK: llvm.func @net_main(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
  llvm.func @net_main(
      %x: !llvm.ptr {graph.name = "x", graph.type = tensor<2x4xf32>, memory.role = "input"},
      %none: !llvm.ptr {graph.name = "none", graph.type = tensor<0xi64>, memory.role = "input"},
      %y: !llvm.ptr {graph.name = "y", graph.type = tensor<8xui8>, memory.role = "output"},
      %arena: !llvm.ptr {memory.role = "arena"}, %weights: !llvm.ptr {memory.role = "weights"}) -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }
}
// CHECK: llvm.mlir.global external constant @net_weights()
// CHECK: llvm.mlir.global external hidden @net_status() {{.*}} : i32
// CHECK: llvm.func @net_run(%[[IN:.*]]: !llvm.ptr, %[[OUT:.*]]: !llvm.ptr, %[[WS:.*]]: !llvm.ptr) -> i32

// The entry checks the status first.
// CHECK: %[[AT:.*]] = llvm.mlir.addressof @net_status
// CHECK: %[[STATUS:.*]] = llvm.load %[[AT]]
// CHECK: llvm.icmp "ne" %[[STATUS]]
// CHECK: llvm.cond_br %{{.*}}, ^[[NOT_READY:bb[0-9]+]],

// Then it checks the workspace: not null, and its low six bits are zero.
// CHECK: llvm.icmp "eq" %[[WS]]
// CHECK: llvm.cond_br %{{.*}}, ^[[NULL:bb[0-9]+]], ^[[NEXT:bb[0-9]+]]
// CHECK: llvm.ptrtoint %[[WS]]
// CHECK: llvm.mlir.constant(63 : i64)
// CHECK: llvm.cond_br %{{.*}}, ^[[WORKSPACE:bb[0-9]+]],

// Then it loads one pointer per tensor. The pointer of an empty tensor may be null.
// CHECK: llvm.icmp "eq" %[[IN]]
// CHECK: llvm.icmp "eq" %[[OUT]]
// CHECK: %[[X0:.*]] = llvm.getelementptr inbounds %[[IN]][0]
// CHECK: %[[X:.*]] = llvm.load %[[X0]]
// CHECK: llvm.icmp "eq" %[[X]]
// CHECK: %[[NONE1:.*]] = llvm.getelementptr inbounds %[[IN]][1]
// CHECK-NEXT: %[[NONE:.*]] = llvm.load %[[NONE1]]
// CHECK-NEXT: %[[Y0:.*]] = llvm.getelementptr inbounds %[[OUT]][0]
// CHECK: %[[Y:.*]] = llvm.load %[[Y0]]
// CHECK: %[[W:.*]] = llvm.mlir.addressof @net_weights
// CHECK: %[[R:.*]] = llvm.call @net_main(%[[X]], %[[NONE]], %[[Y]], %[[WS]], %[[W]])
// CHECK: llvm.return %[[R]]
// CHECK: ^[[NULL]]:
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: ^[[WORKSPACE]]:
// CHECK: llvm.mlir.constant(4 : i32)
// CHECK: ^[[NOT_READY]]:
// CHECK-NEXT: llvm.return %[[STATUS]]

// -----

// expected-error@+1 {{'builtin.module' op has no function 'net_main'; expected the result of convoy-codegen-lower-to-llvm}}
module {
}

// -----

module {
  // expected-error@+1 {{'llvm.func' op argument 0 has no memory.role, or is a tensor without graph.name and graph.type}}
  llvm.func @net_main(%x: !llvm.ptr {memory.role = "input"}) -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }
}

// -----

module {
  llvm.func @net_main() -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }
  // expected-error@+1 {{'llvm.func' op has the name of a function in the model's C interface}}
  llvm.func @net_run() {
    llvm.return
  }
}

// -----

// The extents are the last pointer of the outputs and no output of the interface.
// CHECK: codegen.extents = 2 : i64
// CHECK-SAME: codegen.outputs = [{dims = array<i32: -1, 1>, name = "y", type = tensor<2x8xi64>}]
module attributes {memory.arena_bytes = 0 : i64} {
  llvm.func @net_main(
      %y: !llvm.ptr {graph.dims = array<i32: -1, 1>, graph.name = "y", graph.type = tensor<2x8xi64>, memory.role = "output"},
      %extents: !llvm.ptr {graph.extents, graph.name = "extents", graph.type = tensor<2xi64>, memory.role = "output"},
      %arena: !llvm.ptr {memory.role = "arena"}, %weights: !llvm.ptr {memory.role = "weights"}) -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }
}
// CHECK: llvm.func @net_run(%{{.*}}: !llvm.ptr, %[[OUT:.*]]: !llvm.ptr,
// CHECK: llvm.getelementptr inbounds %[[OUT]][1]
