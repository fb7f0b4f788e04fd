// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects lanes to be a power of two, got 48}}
func.func private @lanes_of_tiles() attributes {c = #kernel.winograd_pixels<lanes = 48, tile = 4, channels = 3, rows = 2, parts = 1, unroll = 1>}
