// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{expects block to be 4, 8 or 16, got 32}}
func.func private @block_of_lanes() attributes {c = #kernel.conv_dot<block = 32, vectors = 2, pixels = 4, columns = 0, rows = 1, panels = 1>}

// -----

// expected-error@+1 {{expects unroll from 0 to 1048576, got -1}}
func.func private @unroll_counts_steps() attributes {c = #kernel.conv_dot<block = 16, vectors = 2, pixels = 4, columns = 0, rows = 1, panels = 1, unroll = -1>}
