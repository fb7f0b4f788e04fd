// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects unroll from 1 to 1048576, got 0}}
func.func private @no_step() attributes {c = #kernel.conv_direct<block = 16, vectors = 2, pixels = 14, depth = 64, unroll = 0, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>}

// -----

// expected-error@+1 {{expects at most 16384 unrolled products per step, got 16777216}}
func.func private @too_much_code() attributes {c = #kernel.conv_direct<block = 16, vectors = 1024, pixels = 1024, depth = 64, unroll = 16, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>}
