// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects rows from 1 to 1048576, got 0}}
func.func private @no_rows() attributes {c = #kernel.product_bits<lanes = 16, vectors = 4, rows = 0, depth = 0, bytes = 0, panels = 1>}

// -----

// expected-error@+1 {{expects lanes to be a power of 2 from 4 to 64, got 6}}
func.func private @odd_lanes() attributes {c = #kernel.product_bits<lanes = 6, vectors = 4, rows = 1, depth = 0, bytes = 0, panels = 1>}

// -----

// expected-error@+1 {{expects at most 16384 unrolled products per step, got 65536}}
func.func private @huge_tile() attributes {c = #kernel.product_bits<lanes = 16, vectors = 64, rows = 64, depth = 0, bytes = 0, panels = 1>}

// -----

// expected-error@+1 {{expects 2, 4 or 8 bits and blocks of whole words of 32 bits, got 3 bits and blocks of 32}}
func.func private @three_bits() attributes {c = #kernel.bit_weights<o = 16, bits = 3, block = 32>}

// -----

// expected-error@+1 {{expects 2, 4 or 8 bits and blocks of whole words of 32 bits, got 4 bits and blocks of 12}}
func.func private @ragged_block() attributes {c = #kernel.bit_weights<o = 16, bits = 4, block = 12>}

// -----

// expected-error@+1 {{expects bytes from 0 to 3, and depth 0 and at most 16 lanes if bytes is not 0, got 3, depth 32 and 16 lanes}}
func.func private @bytes_in_memory() attributes {c = #kernel.product_bits<lanes = 16, vectors = 1, rows = 1, depth = 32, bytes = 3, panels = 1>}
