// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file.

// expected-error@+1 {{expects one row per step, got 2}}
func.func private @several_rows() attributes {c = #kernel.pool_bytes<rows = 2>}
