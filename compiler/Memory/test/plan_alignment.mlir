// RUN: convoy-opt %s -verify-diagnostics -pass-pipeline='builtin.module(convoy-memory-plan-arena{alignment=2})'

// expected-error@+1 {{expects an alignment of tensors that is a power of two from 4 to 64, got 2; correct alignmentBytes of the memories in the target's description}}
module {
  func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {
    return %x : tensor<4xi8>
  }
}
