// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects tiles of at most 3 pixels and numbers of 1 byte, or of 2 bytes in patches; got tile = 4, width = 1 and pixels = 3}}
func.func private @tile() attributes {config = #kernel.conv_bytes<pixels = 3, tile = 4, width = 1>}

// -----

// expected-error @+1 {{expects tiles of at most 3 pixels and numbers of 1 byte, or of 2 bytes in patches; got tile = 2, width = 2 and pixels = 0}}
func.func private @width() attributes {config = #kernel.conv_bytes<pixels = 0, tile = 2, width = 2>}
