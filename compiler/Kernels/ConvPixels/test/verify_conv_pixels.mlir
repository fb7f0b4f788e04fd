// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects lanes from 1 to 1048576, got 2097152}}
func.func private @lanes_of_pixels() attributes {c = #kernel.conv_pixels<lanes = 2097152, channels = 4, rows = 0, unroll = 1>}

// -----

// expected-error@+1 {{expects at most 16384 unrolled products per step, got 1048576}}
func.func private @code_of_pixels() attributes {c = #kernel.conv_pixels<lanes = 64, channels = 1024, rows = 0, unroll = 1024>}
