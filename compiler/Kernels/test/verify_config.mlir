// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects unroll from 1 to 1048576, got 0}}
func.func private @no_step() attributes {c = #kernel.conv_direct<block = 16, vectors = 2, pixels = 14, depth = 64, unroll = 0, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>}

// -----

// expected-error@+1 {{expects at most 16384 unrolled products per step, got 16777216}}
func.func private @too_much_code() attributes {c = #kernel.conv_direct<block = 16, vectors = 1024, pixels = 1024, depth = 64, unroll = 16, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>}

// -----

// expected-error@+1 {{expects rows from 1 to 1048576, got -4}}
func.func private @rows_of_a_depthwise() attributes {c = #kernel.depthwise<block = 16, pixels = 4, held = 0, rows = -4>}

// -----

// expected-error@+1 {{expects lanes from 1 to 1048576, got 2097152}}
func.func private @lanes_of_pixels() attributes {c = #kernel.conv_pixels<lanes = 2097152, channels = 4, rows = 0, unroll = 1>}

// -----

// expected-error@+1 {{expects at most 16384 unrolled products per step, got 1048576}}
func.func private @code_of_pixels() attributes {c = #kernel.conv_pixels<lanes = 64, channels = 1024, rows = 0, unroll = 1024>}

// -----

// expected-error@+1 {{expects lanes to be a power of two, got 48}}
func.func private @lanes_of_tiles() attributes {c = #kernel.winograd_pixels<lanes = 48, tile = 4, channels = 3, rows = 2, groups = 1, unroll = 1>}

// -----

// expected-error@+1 {{expects rows from 1 to 1048576, got 0}}
func.func private @rows_of_a_pool() attributes {c = #kernel.pool_pixels<lanes = 64, rows = 0>}

// -----

// expected-error@+1 {{expects depth to be a multiple of block = 16, got 40}}
func.func private @ragged_depth() attributes {c = #kernel.winograd<block = 16, tile = 4, vectors = 2, pixels = 14, groups = 2, panels = 1, depth = 40, unroll = 16>}

// -----

// expected-error@+1 {{expects tile from 1 to 1048576, got 0}}
func.func private @no_tile() attributes {c = #kernel.winograd<block = 16, tile = 0, vectors = 2, pixels = 14, groups = 2, panels = 1, depth = 32, unroll = 16>}

// -----

// expected-error@+1 {{expects block to be 16, the number of columns of a tile, got 8}}
func.func private @block_of_tiles() attributes {c = #kernel.conv_tiles<block = 8, tiles = 2, vectors = 1, rows = 1, panels = 1>}

// -----

// expected-error@+1 {{expects the tiles of sums, weights and pixels to fit in 8 registers, got 3 x 2 tiles of sums}}
func.func private @too_many_tiles() attributes {c = #kernel.conv_tiles<block = 16, tiles = 3, vectors = 2, rows = 1, panels = 2>}
