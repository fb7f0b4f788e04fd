// RUN: convoy-opt %s -split-input-file -verify-diagnostics \
// RUN:   -pass-pipeline='builtin.module(convoy-codegen-lower-to-llvm{model=net})' | FileCheck %s

// CHECK-LABEL: llvm.func hidden @net_memrefs_are_pointers
// CHECK-SAME: (%[[X:.*]]: !llvm.ptr, %[[I:.*]]: i64) -> f32
func.func @memrefs_are_pointers(%x: memref<8xf32>, %i: index) -> f32 {
  // CHECK-NEXT: %[[P:.*]] = llvm.getelementptr inbounds %[[X]][%[[I]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK-NEXT: llvm.load %[[P]] {alignment = 4 : i64} : !llvm.ptr -> f32
  %a = memref.load %x[%i] : memref<8xf32>
  return %a : f32
}

// CHECK-LABEL: llvm.func hidden @net_kernel_arguments_do_not_alias
// CHECK-SAME: %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64
// CHECK-SAME: passthrough = ["noinline", "nounwind"]
task.kernel @kernel_arguments_do_not_alias(%x: memref<8xi8>, %y: memref<8xi8>, %b: index, %e: index) attributes {range = 1 : i64} {
  %a = memref.load %x[%b] : memref<8xi8>
  memref.store %a, %y[%b] : memref<8xi8>
  task.return
}

// CHECK-LABEL: llvm.func hidden @net_arguments_in_place_may_alias
// CHECK-SAME: %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64
task.kernel @arguments_in_place_may_alias(%x: memref<8xi8>, %r: memref<8xi8>, %y: memref<8xi8>, %b: index, %e: index) attributes {range = 1 : i64, in_place = array<i64: 1, 2>} {
  task.return
}

// CHECK-LABEL: llvm.func hidden @net_main_is_addresses_and_calls
func.func @main_is_addresses_and_calls(%x: memref<8xi8>, %arena: memref<128xi8>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK: %[[V:.*]] = llvm.getelementptr inbounds %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %v = memref.view %arena[%c64][] : memref<128xi8> to memref<8xi8>
  // CHECK: llvm.call @net_kernel_arguments_do_not_alias(%{{.*}}, %[[V]], %{{.*}}) {task.probe = 3 : i64} : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
  task.call @kernel_arguments_do_not_alias(%x, %v, %c0, %c0) {task.probe = 3 : i64} : memref<8xi8>, memref<8xi8>, index, index
  // CHECK: %[[N:.*]] = llvm.mlir.constant(8 : i64)
  // CHECK: "llvm.intr.memmove"(%{{.*}}, %[[V]], %[[N]])
  memref.copy %v, %x : memref<8xi8> to memref<8xi8>
  return
}

// CHECK-LABEL: llvm.func hidden @net_vectors_need_element_alignment
func.func @vectors_need_element_alignment(%x: memref<64xf32>, %i: index, %m: vector<8xi1>, %p: vector<8xf32>, %at: vector<8xi32>) {
  // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  %a = vector.load %x[%i] : memref<64xf32>, vector<8xf32>
  // A masked row may start before its buffer.
  // CHECK: %[[ROW:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: llvm.intr.masked.load %[[ROW]], {{.*}} {alignment = 4 : i32}
  %b = vector.maskedload %x[%i], %m, %p : memref<64xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  // CHECK: %[[L:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, vector<8xi32>) -> !llvm.vec<8 x ptr>, f32
  // CHECK: llvm.intr.masked.gather %[[L]], {{.*}} {alignment = 4 : i32}
  %c = vector.gather %x[%i][%at], %m, %p : memref<64xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  // CHECK: llvm.intr.fma
  %d = vector.fma %a, %b, %c : vector<8xf32>
  // CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  vector.store %d, %x[%i] : memref<64xf32>, vector<8xf32>
  // CHECK: llvm.intr.masked.scatter %{{.*}} {alignment = 4 : i32}
  vector.scatter %x[%i][%at], %m, %d : memref<64xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
  // CHECK: llvm.intr.masked.store %{{.*}} {alignment = 4 : i32}
  vector.maskedstore %x[%i], %m, %d : memref<64xf32>, vector<8xi1>, vector<8xf32>
  return
}

// CHECK-LABEL: llvm.func hidden @net_stack_is_taken_once
func.func @stack_is_taken_once(%x: memref<8xf32>, %more: i1) {
  %c0 = arith.constant 0 : index
  // CHECK: llvm.alloca %{{.*}} x f32 {alignment = 64 : i64}
  // CHECK: llvm.br
  // CHECK-NOT: llvm.alloca
  cf.br ^loop
^loop:
  %s = memref.alloca() : memref<4xf32>
  %a = memref.load %x[%c0] : memref<8xf32>
  memref.store %a, %s[%c0] : memref<4xf32>
  cf.cond_br %more, ^loop, ^done
^done:
  return
}

// CHECK-LABEL: llvm.func hidden @net_a_bool_is_a_byte
func.func @a_bool_is_a_byte(%x: memref<8xi1>, %i: index) -> i1 {
  // CHECK: llvm.getelementptr inbounds {{.*}} -> !llvm.ptr, i1
  // CHECK: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> i1
  %a = memref.load %x[%i] : memref<8xi1>
  return %a : i1
}

// CHECK-LABEL: llvm.func hidden @net_flags_are_lines_of_16
func.func private @flags_are_lines_of_16(%flags: memref<32xi32>) attributes {task.worker} {
  // CHECK: %[[COUNT:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK: %[[FLAG:.*]] = llvm.getelementptr inbounds %{{.*}}[16] : (!llvm.ptr) -> !llvm.ptr, i32
  // The number of a wait is that of the worker; probes report it.
  // CHECK: llvm.call @net_wait(%[[FLAG]], %[[COUNT]]) {task.probe = -2 : i64} : (!llvm.ptr, i32) -> ()
  task.wait %flags[1] 3 : memref<32xi32>
  // CHECK: llvm.call @net_post
  task.post %flags[0] 2 : memref<32xi32>
  return
}

// CHECK-LABEL: llvm.func hidden @net_share_is_a_loop
// CHECK-SAME: (%[[FLAGS:.*]]: !llvm.ptr, %[[X:.*]]: !llvm.ptr)
func.func private @share_is_a_loop(%flags: memref<36xi32>, %x: memref<8xf32>) attributes {task.worker} {
  // CHECK: %[[WORDS:.*]] = llvm.getelementptr inbounds %[[FLAGS]][32] : (!llvm.ptr) -> !llvm.ptr, i32
  // CHECK: llvm.br ^[[CHECK:.*]]
  // CHECK: ^[[CHECK]]:
  // CHECK: %[[TAKEN:.*]] = llvm.call @convoy_share_take(%[[WORDS]], {{.*}}) : (!llvm.ptr, i32, i32, i32, i32) -> i64
  // CHECK: %[[BEGIN:.*]] = llvm.lshr %[[TAKEN]]
  // CHECK: %[[END:.*]] = llvm.and %[[TAKEN]]
  // CHECK: %[[NONE:.*]] = llvm.icmp "eq" %[[TAKEN]]
  // CHECK: llvm.cond_br %[[NONE]], ^[[AFTER:.*]], ^[[BODY:.*]](%[[BEGIN]], %[[END]] : i64, i64)
  // CHECK: ^[[BODY]](%[[I:.*]]: i64, %{{.*}}: i64):
  // CHECK: llvm.getelementptr {{.*}}%[[X]][%[[I]]]
  // CHECK: llvm.br ^[[CHECK]]
  // CHECK: ^[[AFTER]]:
  // CHECK: llvm.return
  task.share %flags[32] part 1 of 2 range 8 least 1 {
  ^bb0(%begin: index, %end: index):
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %x[%begin] : memref<8xf32>
  } : memref<36xi32>
  return
}

// CHECK-LABEL: llvm.func hidden @net_rounds_are_a_loop_with_a_meeting
// CHECK-SAME: %[[X:[a-z0-9]+]]: !llvm.ptr
func.func @rounds_are_a_loop_with_a_meeting(%x: memref<20xf32>, %flags: memref<64xi32>) {
  // CHECK: llvm.br ^[[HEAD:.*]](%{{.*}} : i64)
  // CHECK: ^[[HEAD]](%[[ROUND:.*]]: i64):
  // CHECK: %[[RANGE:.*]] = llvm.mlir.constant(5 : i64)
  // CHECK: %[[STEP:.*]] = llvm.mul %[[ROUND]], %[[RANGE]]
  // CHECK: %[[FIRST:.*]] = llvm.mlir.constant(2 : i64)
  // CHECK: %[[BEGIN:.*]] = llvm.add %[[STEP]], %[[FIRST]]
  // CHECK: %[[LAST:.*]] = llvm.mlir.constant(5 : i64)
  // CHECK: %[[END:.*]] = llvm.add %[[STEP]], %[[LAST]]
  // CHECK: llvm.br ^[[BODY:.*]](%[[BEGIN]], %[[END]] : i64, i64)
  // CHECK: ^[[BODY]](%[[I:.*]]: i64, %{{.*}}: i64):
  // CHECK: llvm.getelementptr {{.*}}%[[X]][%[[I]]]
  // CHECK: %[[NEXT:.*]] = llvm.add %[[ROUND]],
  // CHECK: %[[COUNT:.*]] = llvm.trunc %[[NEXT]] : i64 to i32
  // CHECK: %[[OWN:.*]] = llvm.getelementptr inbounds %{{.*}}[48] : (!llvm.ptr) -> !llvm.ptr, i32
  // CHECK: llvm.call @net_post(%[[OWN]], %[[COUNT]])
  // CHECK: %[[OTHER:.*]] = llvm.getelementptr inbounds %{{.*}}[32] : (!llvm.ptr) -> !llvm.ptr, i32
  // CHECK: llvm.call @net_wait(%[[OTHER]], %[[COUNT]])
  // CHECK: %[[MORE:.*]] = llvm.icmp "slt" %[[NEXT]]
  // CHECK: llvm.cond_br %[[MORE]], ^[[HEAD]](%[[NEXT]] : i64), ^[[AFTER:.*]]
  // CHECK: ^[[AFTER]]:
  // CHECK: llvm.return
  task.rounds %flags[32] part 1 of 2 range 5 rounds 4 {
  ^bb0(%begin: index, %end: index):
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %x[%begin] : memref<20xf32>
  } : memref<64xi32>
  return
}

// CHECK-LABEL: llvm.func hidden @net_region_clears_words
func.func @region_clears_words(%flags: memref<36xi32>) -> i1 {
  // CHECK: %[[WORDS:.*]] = llvm.getelementptr inbounds %{{.*}}[32] : (!llvm.ptr) -> !llvm.ptr, i32
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16 : i64)
  // CHECK: "llvm.intr.memset"(%[[WORDS]], %{{.*}}, %[[BYTES]])
  %ran = task.parallel [@idle, @idle](%flags) flags %flags : (memref<36xi32>), memref<36xi32>
  return %ran : i1
}
func.func private @idle(%flags: memref<36xi32>) attributes {task.worker} {
  return
}

// CHECK-LABEL: llvm.func hidden @net_region_gets_flags_and_pointers
// CHECK-SAME: (%[[FLAGS:.*]]: !llvm.ptr)
func.func @region_gets_flags_and_pointers(%flags: memref<32xi32>) -> i1 {
  // CHECK: %[[RAN:.*]] = llvm.call @net_region(%[[FLAGS]], %[[FLAGS]]) : (!llvm.ptr, !llvm.ptr) -> i1
  %ran = task.parallel [@flags_are_lines_of_16, @flags_are_lines_of_16](%flags) flags %flags
      : (memref<32xi32>), memref<32xi32>
  // CHECK: llvm.return %[[RAN]]
  return %ran : i1
}

// -----

func.func @dynamic_memory_is_refused(%x: memref<?xf32>, %i: index) -> f32 {
  // expected-error@+1 {{'memref.load' op not supported by code generation: 'memref<?xf32>'; memrefs must be static, one-dimensional and of identity layout}}
  %a = memref.load %x[%i] : memref<?xf32>
  return %a : f32
}

// -----

func.func @packed_vectors_are_refused(%x: memref<8xi1>, %i: index) -> vector<8xi1> {
  // expected-error@+1 {{'vector.load' op not supported by code generation: a vector of elements narrower than a byte in memory; load bytes and compare}}
  %a = vector.load %x[%i] : memref<8xi1>, vector<8xi1>
  return %a : vector<8xi1>
}

// -----

func.func @other_memory_ops_are_refused(%x: memref<8xf32>) {
  // expected-error@+1 {{'builtin.unrealized_conversion_cast' op not supported by code generation: no lowering of this memory access}}
  %a = builtin.unrealized_conversion_cast %x : memref<8xf32> to memref<8xi32>
  return
}
