// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects rows from 1 to 1048576, got 0}}
func.func private @rows_of_a_pool() attributes {c = #kernel.pool_pixels<lanes = 64, rows = 0>}
