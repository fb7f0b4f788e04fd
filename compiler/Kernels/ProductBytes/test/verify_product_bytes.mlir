// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects height from 1 to 1048576, got 0}}
func.func private @no_rows() attributes {c = #kernel.product_bytes<block = 16, tiles = 0, height = 0, vectors = 1, rows = 4, panels = 1>}

// -----

// expected-error@+1 {{expects block to be 4, 8 or 16, got 5}}
func.func private @block_of_five() attributes {c = #kernel.product_bytes<block = 5, tiles = 0, height = 1, vectors = 1, rows = 4, panels = 1>}

// -----

// expected-error@+1 {{expects rows to be a multiple of height and panels of vectors, got 7 rows, height 2, 4 panels, 2 vectors}}
func.func private @ragged_task() attributes {c = #kernel.product_bytes<block = 16, tiles = 0, height = 2, vectors = 2, rows = 7, panels = 4>}

// -----

// expected-error@+1 {{expects block to be 16 and height to be 16 * tiles for tile registers, got block 16, tiles 2, height 16}}
func.func private @low_tiles() attributes {c = #kernel.product_bytes<block = 16, tiles = 2, height = 16, vectors = 1, rows = 16, panels = 1>}

// -----

// expected-error@+1 {{expects the tiles of sums, weights and rows to fit in 8 registers, got 3 x 3 tiles of sums}}
func.func private @too_many_tiles() attributes {c = #kernel.product_bytes<block = 16, tiles = 3, height = 48, vectors = 3, rows = 48, panels = 3>}
