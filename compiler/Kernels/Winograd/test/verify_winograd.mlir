// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects depth to be a multiple of block = 16, got 40}}
func.func private @ragged_depth() attributes {c = #kernel.winograd<block = 16, tile = 4, vectors = 2, pixels = 14, groups = 2, panels = 1, depth = 40, unroll = 16>}

// -----

// expected-error@+1 {{expects tile from 1 to 1048576, got 0}}
func.func private @no_tile() attributes {c = #kernel.winograd<block = 16, tile = 0, vectors = 2, pixels = 14, groups = 2, panels = 1, depth = 32, unroll = 16>}
