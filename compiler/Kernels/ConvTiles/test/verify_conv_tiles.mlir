// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects block to be 16, the number of columns of a tile, got 8}}
func.func private @block_of_tiles() attributes {c = #kernel.conv_tiles<block = 8, tiles = 2, vectors = 1, rows = 1, panels = 1>}

// -----

// expected-error@+1 {{expects the tiles of sums, weights and pixels to fit in 8 registers, got 3 x 2 tiles of sums}}
func.func private @too_many_tiles() attributes {c = #kernel.conv_tiles<block = 16, tiles = 3, vectors = 2, rows = 1, panels = 2>}
