// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{expects the attribute 'memory.role' to be input, output, arena or weights, found "scratch"}}
func.func @unknown_role(%x: memref<4xf32> {memory.role = "scratch"}) {
  return
}

// -----

// expected-error@+1 {{has the attribute 'memory.role', which belongs on an argument of a function}}
func.func @role_of_function() attributes {memory.role = "input"} {
  return
}

// -----

// expected-error@+1 {{has the unknown attribute 'memory.bytes'; expected one of: memory.arena_bytes, memory.alignment, memory.arenas, memory.copied_weights, memory.peak, memory.plan, memory.weights, memory.weight_offsets, memory.weights_bytes, memory.role, memory.offset, memory.arena}}
module attributes {memory.bytes = 64 : i64} {
}

// -----

// expected-error@+1 {{expects the attribute 'memory.arena_bytes' to be a number of bytes, found "64"}}
module attributes {memory.arena_bytes = "64"} {
}

// -----

// expected-error@+1 {{expects the attribute 'memory.plan' to be a dictionary of calls and tensors, found {calls = [], tensors = [{arena = 0 : i64}]}}}
module attributes {memory.plan = {calls = [], tensors = [{arena = 0 : i64}]}} {
}

// -----

// expected-error@+1 {{expects the attribute 'memory.offset' to be a number of bytes, found -8 : i64}}
func.func @negative_offset(%x: memref<4xf32> {memory.offset = -8 : i64}) {
  return
}
