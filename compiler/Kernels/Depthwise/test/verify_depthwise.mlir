// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects rows from 1 to 1048576, got -4}}
func.func private @rows_of_a_depthwise() attributes {c = #kernel.depthwise<block = 16, pixels = 4, held = 0, rows = -4>}
