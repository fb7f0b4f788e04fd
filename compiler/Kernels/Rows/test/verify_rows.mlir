// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file. The verifier checks every number before an
// emitter uses it.

// expected-error@+1 {{expects rows from 1 to 1048576, got 0}}
func.func private @rows_of_a_step() attributes {c = #kernel.rows<rows = 0, vectors = 4, terms = 64>}

// -----

// expected-error@+1 {{expects terms from 1 to 1048576, got -1}}
func.func private @terms_of_a_sum() attributes {c = #kernel.rows<rows = 1, vectors = 4, terms = -1>}

// -----

// expected-error@+1 {{expects at most 64 vectors per step, got 16 rows x 8 vectors}}
func.func private @too_many_vectors() attributes {c = #kernel.rows<rows = 16, vectors = 8, terms = 1>}
