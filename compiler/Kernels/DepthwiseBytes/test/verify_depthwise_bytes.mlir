// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// The text of a configuration may come from a file.

// expected-error@+1 {{expects groups of 16 channels, got 8}}
func.func private @groups_of_eight() attributes {c = #kernel.depthwise_bytes<channels = 8>}
