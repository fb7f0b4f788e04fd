// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects keys from 1 to 1048576, got 0}}
func.func private @no_keys() attributes {c = #kernel.attention<queries = 16, keys = 0, chunk = 20, vectors = 2, unroll = 4, pack = 0>}

// -----

// expected-error@+1 {{expects queries / vectors to be a power of two, got 24 / 2}}
func.func private @odd_lanes() attributes {c = #kernel.attention<queries = 24, keys = 4, chunk = 20, vectors = 2, unroll = 4, pack = 0>}

// -----

// expected-error@+1 {{expects queries to be a multiple of unroll, got 16 and 3}}
func.func private @uneven_tiles() attributes {c = #kernel.attention<queries = 16, keys = 4, chunk = 20, vectors = 2, unroll = 3, pack = 0>}

// -----

// expected-error@+1 {{expects pack 0 or 1, got 2}}
func.func private @pack() attributes {c = #kernel.attention<queries = 16, keys = 4, chunk = 20, vectors = 2, unroll = 4, pack = 2>}

// -----

// expected-error@+1 {{expects at most 16384 unrolled products per step, got 40000}}
func.func private @long_tile() attributes {c = #kernel.attention<queries = 16, keys = 20000, chunk = 20000, vectors = 2, unroll = 4, pack = 0>}

// -----

// expected-error@+1 {{expects a chunk of at least one tile of keys, got 4 and 8}}
func.func private @short_chunk() attributes {c = #kernel.attention<queries = 16, keys = 8, chunk = 4, vectors = 2, unroll = 4, pack = 0>}
