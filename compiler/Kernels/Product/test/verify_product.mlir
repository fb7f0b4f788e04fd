// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects rows from 1 to 1048576, got 0}}
func.func private @rows() attributes {c = #kernel.product<rows = 0, vectors = 2, depth = 64, columns = 32, unroll = 4, pack = 1>}

// -----

// expected-error@+1 {{expects columns from 1 to 1048576, got -32}}
func.func private @columns() attributes {c = #kernel.product<rows = 4, vectors = 2, depth = 64, columns = -32, unroll = 4, pack = 1>}

// -----

// expected-error@+1 {{expects pack to be 0 or 1, got 2}}
func.func private @pack() attributes {c = #kernel.product<rows = 4, vectors = 2, depth = 64, columns = 32, unroll = 4, pack = 2>}

// -----

// expected-error@+1 {{expects at most 16384 unrolled products per step, got 65536}}
func.func private @products() attributes {c = #kernel.product<rows = 64, vectors = 64, depth = 64, columns = 32, unroll = 16, pack = 1>}
