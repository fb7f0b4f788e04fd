// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects vectors from 1 to 1048576, got 0}}
func.func private @vectors() attributes {c = #kernel.recurrent<vectors = 0, depth = 4, unroll = 1>}

// -----

// expected-error@+1 {{expects unroll from 1 to 1048576, got -1}}
func.func private @unroll() attributes {c = #kernel.recurrent<vectors = 8, depth = 4, unroll = -1>}

// -----

// expected-error@+1 {{expects at most 16384 unrolled products per step, got 32768}}
func.func private @products() attributes {c = #kernel.recurrent<vectors = 1024, depth = 32, unroll = 1>}
