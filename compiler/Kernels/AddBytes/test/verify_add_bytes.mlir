// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file.

// expected-error@+1 {{expects one row per step, got 0}}
func.func private @no_rows() attributes {c = #kernel.add_bytes<rows = 0>}
