// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-schedule-check-contract)'

// Parts of one share need no order; a write to the whole range does.
func.func @main(%x: memref<8xf32>, %f: memref<36xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %f) flags %f : (memref<8xf32>, memref<36xi32>), memref<36xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<36xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  task.share %f[32] part 0 of 2 range 8 least 1 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<36xi32>
  // expected-note@+1 {{the unordered access of the other worker is here}}
  task.call @double(%x, %c0, %c8) : memref<8xf32>, index, index
  return
}
func.func private @worker_1(%x: memref<8xf32>, %f: memref<36xi32>) attributes {task.worker} {
  // expected-error@+1 {{breaks [schedule.3]: worker 1 accesses bytes 0 to 32 of argument 0 without an order relative to worker 0}}
  task.share %f[32] part 1 of 2 range 8 least 1 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<36xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}
task.kernel @double(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %e = memref.load %x[%begin] : memref<8xf32>
  memref.store %e, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// The same with a wait. Worker 0 also waits for the end of worker 1.
func.func @main(%x: memref<8xf32>, %f: memref<36xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %f) flags %f : (memref<8xf32>, memref<36xi32>), memref<36xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<36xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  task.share %f[32] part 0 of 2 range 8 least 1 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<36xi32>
  task.wait %f[1] 1 : memref<36xi32>
  task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
  return
}
func.func private @worker_1(%x: memref<8xf32>, %f: memref<36xi32>) attributes {task.worker} {
  task.share %f[32] part 1 of 2 range 8 least 1 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<36xi32>
  task.post %f[1] 1 : memref<36xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// Two works use the same word.
func.func @main(%x: memref<8xf32>, %f: memref<36xi32>) {
  %ran = task.parallel [@worker_0](%x, %f) flags %f : (memref<8xf32>, memref<36xi32>), memref<36xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<36xi32>) attributes {task.worker} {
  task.share %f[32] part 0 of 2 range 8 least 1 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<36xi32>
  // expected-error@+1 {{breaks [schedule.5]: word 32 is already used by another flag or share}}
  task.share %f[32] part 0 of 2 range 8 least 1 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<36xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

func.func @part_is_one_of_parts(%f: memref<36xi32>) {
  // expected-error@+1 {{expects 0 <= part < parts <= range and least >= 1, found part 2 of 2, range 8, least 1}}
  task.share %f[32] part 2 of 2 range 8 least 1 {
  ^bb0(%begin: index, %end: index):
  } : memref<36xi32>
  return
}

// -----

func.func @words_are_there(%f: memref<34xi32>) {
  // expected-error@+1 {{expects 2 words of shares at element 32 in 'memref<34xi32>'}}
  task.share %f[32] part 0 of 2 range 8 least 1 {
  ^bb0(%begin: index, %end: index):
  } : memref<34xi32>
  return
}

// -----

func.func @body_takes_steps(%f: memref<36xi32>) {
  // expected-error@+1 {{expects a body with two index arguments, the begin and end of the taken steps}}
  task.share %f[32] part 0 of 2 range 8 least 1 {
  ^bb0(%begin: index):
  } : memref<36xi32>
  return
}

// -----

func.func @main(%f: memref<32xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%f) flags %f : (memref<32xi32>), memref<32xi32>
  return
}
func.func private @worker_0(%f: memref<32xi32>) attributes {task.worker} {
  // expected-error@+1 {{breaks [schedule.1]: worker 0 waits forever, because worker 1 posts no count of 2 before}}
  task.wait %f[1] 2 : memref<32xi32>
  task.post %f[0] 1 : memref<32xi32>
  return
}
func.func private @worker_1(%f: memref<32xi32>) attributes {task.worker} {
  task.post %f[1] 1 : memref<32xi32>
  task.wait %f[0] 1 : memref<32xi32>
  task.post %f[1] 2 : memref<32xi32>
  return
}

// -----

func.func @main(%f: memref<32xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%f) flags %f : (memref<32xi32>), memref<32xi32>
  return
}
func.func private @worker_0(%f: memref<32xi32>) attributes {task.worker} {
  // expected-error@+1 {{breaks [schedule.2]: worker 0 must post to its own flag, each time with a greater count}}
  task.post %f[1] 1 : memref<32xi32>
  return
}
func.func private @worker_1(%f: memref<32xi32>) attributes {task.worker} {
  return
}

// -----

func.func @main(%x: memref<8xf32>, %f: memref<32xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %f) flags %f : (memref<8xf32>, memref<32xi32>), memref<32xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<32xi32>) attributes {task.worker} {
  return
}
func.func private @worker_1(%x: memref<8xf32>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{breaks [schedule.4]: worker 1 may execute this op after the region has ended}}
  memref.store %zero, %x[%c0] : memref<8xf32>
  return
}

// -----

func.func @main(%x: memref<8xf32>, %f: memref<16xi32>) {
  // expected-error@+1 {{expects flags of type memref<32xi32> or larger, found 'memref<16xi32>'}}
  %ran = task.parallel [@worker_0, @worker_1](%x, %f) flags %f : (memref<8xf32>, memref<16xi32>), memref<16xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<16xi32>) attributes {task.worker} {
  return
}
func.func private @worker_1(%x: memref<8xf32>, %f: memref<16xi32>) attributes {task.worker} {
  return
}

// -----

func.func @main(%x: memref<8xf32>, %f: memref<16xi32>) {
  // expected-error@+1 {{expects a function marked task.worker, found none named @worker_0}}
  %ran = task.parallel [@worker_0](%x) flags %f : (memref<8xf32>), memref<16xi32>
  return
}

// -----

// Bands of rows: worker 1 reads row 3 of each plane for its rows 4 to 7, without a wait.
func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %f: memref<32xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %y, %f) flags %f
      : (memref<64xf32>, memref<64xf32>, memref<32xi32>), memref<32xi32>
  return
}
func.func private @worker_0(%x: memref<64xf32>, %y: memref<64xf32>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  // expected-note@+1 {{the unordered access of the other worker is here}}
  scf.for %i = %c0 to %c16 step %c8 {
    %end = arith.addi %i, %c4 : index
    task.call @own(%y, %x, %i, %end) : memref<64xf32>, memref<64xf32>, index, index
  }
  return
}
func.func private @worker_1(%x: memref<64xf32>, %y: memref<64xf32>, %f: memref<32xi32>) attributes {task.worker} {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  // expected-error@+1 {{breaks [schedule.3]: worker 1 accesses bytes 48 to 128 of argument 0 without an order relative to worker 0}}
  scf.for %i = %c4 to %c16 step %c8 {
    %end = arith.addi %i, %c4 : index
    task.call @halo(%x, %y, %i, %end) : memref<64xf32>, memref<64xf32>, index, index
  }
  return
}
task.kernel @own(%a: memref<64xf32>, %b: memref<64xf32>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read_write>],
                range = 16 : i64, tensors = (tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>,
                rows = #task.row_steps<outer = 2, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 1, 1, 0>]>} {
  %e = memref.load %a[%begin] : memref<64xf32>
  memref.store %e, %b[%begin] : memref<64xf32>
  task.return
}
task.kernel @halo(%a: memref<64xf32>, %b: memref<64xf32>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read_write>],
                range = 16 : i64, tensors = (tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>,
                rows = #task.row_steps<outer = 2, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 3, 1, 1>]>} {
  %e = memref.load %a[%begin] : memref<64xf32>
  memref.store %e, %b[%begin] : memref<64xf32>
  task.return
}

// -----

// The workers of rounds begin them together; their accesses need no order.
func.func @main(%x: memref<8xf32>, %f: memref<64xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %f) flags %f : (memref<8xf32>, memref<64xi32>), memref<64xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<64xi32>) attributes {task.worker} {
  task.rounds %f[32] part 0 of 2 range 4 rounds 2 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<64xi32>
  task.wait %f[1] 1 : memref<64xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %f: memref<64xi32>) attributes {task.worker} {
  task.rounds %f[32] part 1 of 2 range 4 rounds 2 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<64xi32>
  task.post %f[1] 1 : memref<64xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64, rounds = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// Worker 1 begins its rounds only after worker 0 has finished them.
func.func @main(%x: memref<8xf32>, %f: memref<64xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %f) flags %f : (memref<8xf32>, memref<64xi32>), memref<64xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<64xi32>) attributes {task.worker} {
  // expected-error@+1 {{breaks [schedule.1]: worker 0 waits forever, because not all workers of its rounds begin them}}
  task.rounds %f[32] part 0 of 2 range 4 rounds 2 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<64xi32>
  task.post %f[0] 1 : memref<64xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %f: memref<64xi32>) attributes {task.worker} {
  task.wait %f[0] 1 : memref<64xi32>
  task.rounds %f[32] part 1 of 2 range 4 rounds 2 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<64xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64, rounds = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// A share uses an element of a flag of rounds.
func.func @main(%x: memref<8xf32>, %f: memref<32xi32>) {
  %ran = task.parallel [@worker_0](%x, %f) flags %f : (memref<8xf32>, memref<32xi32>), memref<32xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<32xi32>) attributes {task.worker} {
  task.rounds %f[16] part 0 of 1 range 4 rounds 2 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<32xi32>
  // expected-error@+1 {{breaks [schedule.5]: word 18 is already used by another flag or share}}
  task.share %f[18] part 0 of 1 range 8 least 1 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<32xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64, rounds = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

func.func @rounds_have_as_many_steps_as_parts(%f: memref<64xi32>) {
  // expected-error@+1 {{expects 0 <= part < parts <= range and rounds >= 1, found part 0 of 2, range 1, rounds 4}}
  task.rounds %f[32] part 0 of 2 range 1 rounds 4 {
  ^bb0(%begin: index, %end: index):
  } : memref<64xi32>
  return
}

// -----

func.func @flags_of_rounds_are_there(%f: memref<48xi32>) {
  // expected-error@+1 {{expects 2 flags of rounds at element 32 in 'memref<48xi32>'}}
  task.rounds %f[32] part 0 of 2 range 4 rounds 4 {
  ^bb0(%begin: index, %end: index):
  } : memref<48xi32>
  return
}

// -----

// Parts of rounds must have the same number of rounds.
func.func @main(%x: memref<8xf32>, %f: memref<64xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %f) flags %f : (memref<8xf32>, memref<64xi32>), memref<64xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<64xi32>) attributes {task.worker} {
  // expected-error@+1 {{breaks [schedule.3]: worker 0 accesses bytes 0 to 32 of argument 0 without an order relative to worker 1}}
  task.rounds %f[32] part 0 of 2 range 4 rounds 2 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<64xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %f: memref<64xi32>) attributes {task.worker} {
  // expected-note@+1 {{the unordered access of the other worker is here}}
  task.rounds %f[32] part 1 of 2 range 4 rounds 3 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<64xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64, rounds = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// Two sides of one condition need no order, because a run executes only one of them.
func.func @main(%x: memref<8xf32>, %c: memref<1xi8>, %f: memref<32xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %c, %f) flags %f
      : (memref<8xf32>, memref<1xi8>, memref<32xi32>), memref<32xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %c: memref<1xi8>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i8
  %flag = memref.load %c[%c0] : memref<1xi8>
  %isOn = arith.cmpi ne, %flag, %zero : i8
  scf.if %isOn {
    task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
  }
  task.wait %f[1] 1 : memref<32xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %c: memref<1xi8>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i8
  %flag = memref.load %c[%c0] : memref<1xi8>
  %isOn = arith.cmpi ne, %flag, %zero : i8
  scf.if %isOn {
  } else {
    task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
  }
  task.post %f[1] 1 : memref<32xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// The conditions are loaded from different bytes.
func.func @main(%x: memref<8xf32>, %c: memref<2xi8>, %f: memref<32xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %c, %f) flags %f
      : (memref<8xf32>, memref<2xi8>, memref<32xi32>), memref<32xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %c: memref<2xi8>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i8
  %flag = memref.load %c[%c0] : memref<2xi8>
  %isOn = arith.cmpi ne, %flag, %zero : i8
  scf.if %isOn {
    // expected-note@+1 {{the unordered access of the other worker is here}}
    task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
  }
  task.wait %f[1] 1 : memref<32xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %c: memref<2xi8>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i8
  %flag = memref.load %c[%c1] : memref<2xi8>
  %isOn = arith.cmpi ne, %flag, %zero : i8
  scf.if %isOn {
  } else {
    // expected-error@+1 {{breaks [schedule.3]: worker 1 accesses bytes 0 to 32 of argument 0 without an order relative to worker 0}}
    task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
  }
  task.post %f[1] 1 : memref<32xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// Worker 1 waits on every side, but worker 0 posts only on one.
func.func @main(%c: memref<1xi8>, %f: memref<32xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%c, %f) flags %f
      : (memref<1xi8>, memref<32xi32>), memref<32xi32>
  return
}
func.func private @worker_0(%c: memref<1xi8>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i8
  %flag = memref.load %c[%c0] : memref<1xi8>
  %isOn = arith.cmpi ne, %flag, %zero : i8
  scf.if %isOn {
    task.post %f[0] 1 : memref<32xi32>
  }
  return
}
func.func private @worker_1(%c: memref<1xi8>, %f: memref<32xi32>) attributes {task.worker} {
  // expected-error@+1 {{breaks [schedule.1]: worker 1 waits forever, because worker 0 posts no count of 1 before}}
  task.wait %f[0] 1 : memref<32xi32>
  return
}

// -----

// The workers of a loop meet after the writes of an iteration, but worker 1 reads the bytes before
// it waits: the next iteration of worker 0 may overwrite them.
func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %f: memref<64xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %y, %f) flags %f
      : (memref<8xf32>, memref<8xf32>, memref<64xi32>), memref<64xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %y: memref<8xf32>, %f: memref<64xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %start = arith.constant 0 : i32
  %steps = arith.constant 1 : i32
  %end = scf.for %i = %c0 to %c8 step %c1 iter_args(%base = %start) -> (i32) {
    // expected-note@+1 {{the unordered access of the other worker is here}}
    task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
    task.team_post %f[2] 1 plus %base : memref<64xi32>
    %next = arith.addi %base, %steps : i32
    scf.yield %next : i32
  } {task.team = {line = 2 : i64, part = 0 : i64, parts = 2 : i64, steps = 1 : i64}}
  task.wait %f[1] 1 : memref<64xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %y: memref<8xf32>, %f: memref<64xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %start = arith.constant 0 : i32
  %steps = arith.constant 1 : i32
  %end = scf.for %i = %c0 to %c8 step %c1 iter_args(%base = %start) -> (i32) {
    task.team_wait %f[2] 1 plus %base : memref<64xi32>
    // expected-error@+1 {{breaks [schedule.3]: worker 1 accesses bytes 0 to 32 of argument 0 without an order relative to worker 0}}
    task.call @copy(%x, %y, %c0, %c8) : memref<8xf32>, memref<8xf32>, index, index
    %next = arith.addi %base, %steps : i32
    scf.yield %next : i32
  } {task.team = {line = 2 : i64, part = 1 : i64, parts = 2 : i64, steps = 1 : i64}}
  task.post %f[1] 1 : memref<64xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}
task.kernel @copy(%x: memref<8xf32>, %y: memref<8xf32>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read_write>], range = 8 : i64} {
  %e = memref.load %x[%begin] : memref<8xf32>
  memref.store %e, %y[%begin] : memref<8xf32>
  task.return
}

// -----

// No worker clears the words of the share for the next iteration.
func.func @main(%x: memref<8xf32>, %f: memref<68xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %f) flags %f : (memref<8xf32>, memref<68xi32>), memref<68xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<68xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %start = arith.constant 0 : i32
  %steps = arith.constant 1 : i32
  %end = scf.for %i = %c0 to %c8 step %c1 iter_args(%base = %start) -> (i32) {
    // expected-error@+1 {{breaks [schedule.6]: no task.team_renew clears the word of this part}}
    task.share %f[64] part 0 of 2 range 8 least 1 {
    ^bb0(%begin: index, %stop: index):
      task.call @fill(%x, %begin, %stop) : memref<8xf32>, index, index
    } : memref<68xi32>
    task.team_post %f[2] 1 plus %base : memref<68xi32>
    task.team_wait %f[3] 1 plus %base : memref<68xi32>
    %next = arith.addi %base, %steps : i32
    scf.yield %next : i32
  } {task.team = {line = 2 : i64, part = 0 : i64, parts = 2 : i64, steps = 1 : i64}}
  task.wait %f[1] 1 : memref<68xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %f: memref<68xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %start = arith.constant 0 : i32
  %steps = arith.constant 1 : i32
  %end = scf.for %i = %c0 to %c8 step %c1 iter_args(%base = %start) -> (i32) {
    task.share %f[64] part 1 of 2 range 8 least 1 {
    ^bb0(%begin: index, %stop: index):
      task.call @fill(%x, %begin, %stop) : memref<8xf32>, index, index
    } : memref<68xi32>
    task.team_post %f[3] 1 plus %base : memref<68xi32>
    task.team_wait %f[2] 1 plus %base : memref<68xi32>
    %next = arith.addi %base, %steps : i32
    scf.yield %next : i32
  } {task.team = {line = 2 : i64, part = 1 : i64, parts = 2 : i64, steps = 1 : i64}}
  task.post %f[1] 1 : memref<68xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// A word is cleared while the other worker may still take steps of the share.
func.func @main(%x: memref<8xf32>, %f: memref<68xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %f) flags %f : (memref<8xf32>, memref<68xi32>), memref<68xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<68xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %start = arith.constant 0 : i32
  %steps = arith.constant 1 : i32
  %end = scf.for %i = %c0 to %c8 step %c1 iter_args(%base = %start) -> (i32) {
    task.share %f[64] part 0 of 2 range 8 least 1 {
    ^bb0(%begin: index, %stop: index):
      task.call @fill(%x, %begin, %stop) : memref<8xf32>, index, index
    } : memref<68xi32>
    // expected-error@+1 {{breaks [schedule.6]: worker 0 may clear only the word of its own part, after all workers of the loop have left the share}}
    task.team_renew %f[64] : memref<68xi32>
    task.team_post %f[2] 1 plus %base : memref<68xi32>
    task.team_wait %f[3] 1 plus %base : memref<68xi32>
    %next = arith.addi %base, %steps : i32
    scf.yield %next : i32
  } {task.team = {line = 2 : i64, part = 0 : i64, parts = 2 : i64, steps = 1 : i64}}
  return
}
func.func private @worker_1(%x: memref<8xf32>, %f: memref<68xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %start = arith.constant 0 : i32
  %steps = arith.constant 1 : i32
  %end = scf.for %i = %c0 to %c8 step %c1 iter_args(%base = %start) -> (i32) {
    task.share %f[64] part 1 of 2 range 8 least 1 {
    ^bb0(%begin: index, %stop: index):
      task.call @fill(%x, %begin, %stop) : memref<8xf32>, index, index
    } : memref<68xi32>
    task.team_post %f[3] 1 plus %base : memref<68xi32>
    task.team_wait %f[2] 1 plus %base : memref<68xi32>
    task.team_renew %f[66] : memref<68xi32>
    %next = arith.addi %base, %steps : i32
    scf.yield %next : i32
  } {task.team = {line = 2 : i64, part = 1 : i64, parts = 2 : i64, steps = 1 : i64}}
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// Worker 1 learns inside of both branches that worker 0 is done. It writes inside of the outer one:
// if worker 0 has written, the condition of the inner one holds, too.
func.func @main(%x: memref<8xf32>, %c: memref<2xi1>, %f: memref<32xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %c, %f) flags %f
      : (memref<8xf32>, memref<2xi1>, memref<32xi32>), memref<32xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %c: memref<2xi1>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %first = memref.load %c[%c0] : memref<2xi1>
  scf.if %first {
    task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
    task.post %f[0] 1 : memref<32xi32>
  }
  task.wait %f[1] 1 : memref<32xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %c: memref<2xi1>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %second = memref.load %c[%c1] : memref<2xi1>
  scf.if %second {
    %first = memref.load %c[%c0] : memref<2xi1>
    scf.if %first {
      task.wait %f[0] 1 : memref<32xi32>
    }
    task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
  }
  task.post %f[1] 1 : memref<32xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// The same, but worker 1 waits only on the other side of the inner branch.
func.func @main(%x: memref<8xf32>, %c: memref<2xi1>, %f: memref<32xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %c, %f) flags %f
      : (memref<8xf32>, memref<2xi1>, memref<32xi32>), memref<32xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %c: memref<2xi1>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %first = memref.load %c[%c0] : memref<2xi1>
  scf.if %first {
    // expected-note@+1 {{the unordered access of the other worker is here}}
    task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
  }
  task.post %f[0] 1 : memref<32xi32>
  task.wait %f[1] 1 : memref<32xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %c: memref<2xi1>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %second = memref.load %c[%c1] : memref<2xi1>
  scf.if %second {
    %first = memref.load %c[%c0] : memref<2xi1>
    scf.if %first {
    } else {
      task.wait %f[0] 1 : memref<32xi32>
    }
    // expected-error@+1 {{breaks [schedule.3]: worker 1 accesses bytes 0 to 32 of argument 0 without an order relative to worker 0}}
    task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
  }
  task.post %f[1] 1 : memref<32xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// Worker 1 passes on what it learned inside of a branch: its post comes after the branch.
func.func @main(%x: memref<8xf32>, %c: memref<1xi1>, %f: memref<48xi32>) {
  %ran = task.parallel [@worker_0, @worker_1, @worker_2](%x, %c, %f) flags %f
      : (memref<8xf32>, memref<1xi1>, memref<48xi32>), memref<48xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %c: memref<1xi1>, %f: memref<48xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %flag = memref.load %c[%c0] : memref<1xi1>
  scf.if %flag {
    task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
    task.post %f[0] 1 : memref<48xi32>
  }
  task.wait %f[2] 1 : memref<48xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %c: memref<1xi1>, %f: memref<48xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %flag = memref.load %c[%c0] : memref<1xi1>
  scf.if %flag {
    task.wait %f[0] 1 : memref<48xi32>
  }
  task.post %f[1] 1 : memref<48xi32>
  return
}
func.func private @worker_2(%x: memref<8xf32>, %c: memref<1xi1>, %f: memref<48xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  task.wait %f[1] 1 : memref<48xi32>
  task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
  task.post %f[2] 1 : memref<48xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// The bytes of the inner condition have another use on the other side of the outer branch. Workers
// 0 and 2 evaluate the same condition, before and after worker 1 writes these bytes.
func.func @main(%x: memref<8xf32>, %a: memref<1xi1>, %c: memref<1xi1>, %f: memref<48xi32>) {
  %ran = task.parallel [@worker_0, @worker_1, @worker_2](%x, %a, %c, %f) flags %f
      : (memref<8xf32>, memref<1xi1>, memref<1xi1>, memref<48xi32>), memref<48xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %a: memref<1xi1>, %c: memref<1xi1>, %f: memref<48xi32>)
    attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %outer = memref.load %a[%c0] : memref<1xi1>
  scf.if %outer {
    task.call @flag(%c, %c0, %c1) : memref<1xi1>, index, index
    task.post %f[0] 1 : memref<48xi32>
    %inner = memref.load %c[%c0] : memref<1xi1>
    scf.if %inner {
      task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
      task.post %f[0] 2 : memref<48xi32>
    }
  }
  task.wait %f[1] 1 : memref<48xi32>
  task.wait %f[2] 1 : memref<48xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %a: memref<1xi1>, %c: memref<1xi1>, %f: memref<48xi32>)
    attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outer = memref.load %a[%c0] : memref<1xi1>
  scf.if %outer {
  } else {
    task.call @flag(%c, %c0, %c1) : memref<1xi1>, index, index
  }
  task.post %f[1] 1 : memref<48xi32>
  return
}
func.func private @worker_2(%x: memref<8xf32>, %a: memref<1xi1>, %c: memref<1xi1>, %f: memref<48xi32>)
    attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %outer = memref.load %a[%c0] : memref<1xi1>
  scf.if %outer {
    task.wait %f[0] 1 : memref<48xi32>
    %inner = memref.load %c[%c0] : memref<1xi1>
    scf.if %inner {
      task.wait %f[0] 2 : memref<48xi32>
      task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
    }
  }
  task.post %f[2] 1 : memref<48xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}
task.kernel @flag(%c: memref<1xi1>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 1 : i64} {
  %false = arith.constant false
  memref.store %false, %c[%begin] : memref<1xi1>
  task.return
}

// -----

// The condition depends on the number of the iteration, so its sides in two iterations do not
// exclude each other.
func.func @main(%x: memref<8xf32>, %f: memref<64xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %f) flags %f : (memref<8xf32>, memref<64xi32>), memref<64xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<64xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %start = arith.constant 0 : i32
  %steps = arith.constant 1 : i32
  %end = scf.for %i = %c0 to %c8 step %c1 iter_args(%base = %start) -> (i32) {
    %isFirst = arith.cmpi eq, %i, %c0 : index
    scf.if %isFirst {
      // expected-note@+1 {{the unordered access of the other worker is here}}
      task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
    }
    %next = arith.addi %base, %steps : i32
    scf.yield %next : i32
  } {task.team = {line = 2 : i64, part = 0 : i64, parts = 2 : i64, steps = 1 : i64}}
  task.wait %f[1] 1 : memref<64xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %f: memref<64xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %start = arith.constant 0 : i32
  %steps = arith.constant 1 : i32
  %end = scf.for %i = %c0 to %c8 step %c1 iter_args(%base = %start) -> (i32) {
    %isFirst = arith.cmpi eq, %i, %c0 : index
    scf.if %isFirst {
    } else {
      // expected-error@+1 {{breaks [schedule.3]: worker 1 accesses bytes 0 to 32 of argument 0 without an order relative to worker 0}}
      task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
    }
    %next = arith.addi %base, %steps : i32
    scf.yield %next : i32
  } {task.team = {line = 2 : i64, part = 1 : i64, parts = 2 : i64, steps = 1 : i64}}
  task.post %f[1] 1 : memref<64xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// The second part of a share does not wait for an earlier write, but the first part comes after it.
func.func @main(%x: memref<8xf32>, %f: memref<36xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %f) flags %f : (memref<8xf32>, memref<36xi32>), memref<36xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %f: memref<36xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-note@+1 {{the unordered access of the other worker is here}}
  task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
  task.share %f[32] part 0 of 2 range 8 least 1 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<36xi32>
  task.wait %f[1] 1 : memref<36xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %f: memref<36xi32>) attributes {task.worker} {
  // expected-error@+1 {{breaks [schedule.3]: worker 1 accesses bytes 0 to 32 of argument 0 without an order relative to worker 0}}
  task.share %f[32] part 1 of 2 range 8 least 1 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<36xi32>
  task.post %f[1] 1 : memref<36xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// Worker 0 begins the rounds only on one side of a branch.
func.func @main(%x: memref<8xf32>, %c: memref<1xi1>, %f: memref<64xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %c, %f) flags %f
      : (memref<8xf32>, memref<1xi1>, memref<64xi32>), memref<64xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %c: memref<1xi1>, %f: memref<64xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %flag = memref.load %c[%c0] : memref<1xi1>
  scf.if %flag {
    task.rounds %f[32] part 0 of 2 range 4 rounds 2 {
    ^bb0(%begin: index, %end: index):
      task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
    } : memref<64xi32>
  }
  return
}
func.func private @worker_1(%x: memref<8xf32>, %c: memref<1xi1>, %f: memref<64xi32>) attributes {task.worker} {
  // expected-error@+1 {{breaks [schedule.1]: worker 1 waits forever, because not all workers of its rounds begin them}}
  task.rounds %f[32] part 1 of 2 range 4 rounds 2 {
  ^bb0(%begin: index, %end: index):
    task.call @fill(%x, %begin, %end) : memref<8xf32>, index, index
  } : memref<64xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64, rounds = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}

// -----

// A branch and a branch inside of it have the same condition, so no inference executes the post and
// the wait on the other side of the inner branch.
func.func @main(%x: memref<8xf32>, %c: memref<1xi1>, %f: memref<32xi32>) {
  %ran = task.parallel [@worker_0, @worker_1](%x, %c, %f) flags %f
      : (memref<8xf32>, memref<1xi1>, memref<32xi32>), memref<32xi32>
  return
}
func.func private @worker_0(%x: memref<8xf32>, %c: memref<1xi1>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %outer = memref.load %c[%c0] : memref<1xi1>
  scf.if %outer {
    %inner = memref.load %c[%c0] : memref<1xi1>
    scf.if %inner {
    } else {
      task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
      task.post %f[0] 1 : memref<32xi32>
    }
  }
  task.wait %f[1] 1 : memref<32xi32>
  return
}
func.func private @worker_1(%x: memref<8xf32>, %c: memref<1xi1>, %f: memref<32xi32>) attributes {task.worker} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %outer = memref.load %c[%c0] : memref<1xi1>
  scf.if %outer {
    %inner = memref.load %c[%c0] : memref<1xi1>
    scf.if %inner {
    } else {
      task.wait %f[0] 1 : memref<32xi32>
    }
  }
  task.call @fill(%x, %c0, %c8) : memref<8xf32>, index, index
  task.post %f[1] 1 : memref<32xi32>
  return
}
task.kernel @fill(%x: memref<8xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%begin] : memref<8xf32>
  task.return
}
