// RUN: convoy-opt %s -split-input-file -verify-diagnostics -convoy-nvdla-check-contract=config=nvdla-small

func.func @layers_are_lowered(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  // expected-error@+1 {{'convcore.copy' op breaks [nvdla.1]: it is neither an nvdla op nor a constant}}
  %0 = convcore.copy %x : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// -----

func.func @join_of_an_argument(%x: tensor<1x8x4x4xi8>) -> tensor<1x16x4x4xi8> {
  %0 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  // expected-error@+1 {{breaks [nvdla.2]: an input is not written by the function, or is joined twice}}
  %1 = nvdla.join %x, %0 : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x16x4x4xi8>
  return %1 : tensor<1x16x4x4xi8>
}

// -----

func.func @joined_twice(%x: tensor<1x8x4x4xi8>) -> tensor<1x16x4x4xi8> {
  %0 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  // expected-error@+1 {{breaks [nvdla.2]}}
  %1 = nvdla.join %0, %0 : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x16x4x4xi8>
  return %1 : tensor<1x16x4x4xi8>
}

// -----

func.func @returned_twice(%x: tensor<1x8x4x4xi8>) -> (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) {
  %0 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  // expected-error@+1 {{breaks [nvdla.3]: result 0 has no memory of its own, or has gaps}}
  return %0, %0 : tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>
}

// -----

func.func @result_with_gaps(%x: tensor<1x5x4x4xi8>) -> tensor<1x10x4x4xi8> {
  %0 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8>
  %1 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8>
  %2 = nvdla.join %0, %1 : (tensor<1x5x4x4xi8>, tensor<1x5x4x4xi8>) -> tensor<1x10x4x4xi8>
  // expected-error@+1 {{breaks [nvdla.3]}}
  return %2 : tensor<1x10x4x4xi8>
}

// -----

func.func @normalization_of_gaps(%x: tensor<1x5x4x4xf16>) -> tensor<1x10x4x4xf16> {
  %0 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x5x4x4xf16>) -> tensor<1x5x4x4xf16>
  %1 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x5x4x4xf16>) -> tensor<1x5x4x4xf16>
  %2 = nvdla.join %0, %1 : (tensor<1x5x4x4xf16>, tensor<1x5x4x4xf16>) -> tensor<1x10x4x4xf16>
  // expected-error@+1 {{breaks [nvdla.4]: the input has gaps}}
  %3 = nvdla.cdp %2 {alpha = 1.0e-4 : f64, beta = 0.75 : f64, bias = 1.0 : f64, size = 5 : i64} : (tensor<1x10x4x4xf16>) -> tensor<1x10x4x4xf16>
  return %3 : tensor<1x10x4x4xf16>
}

// -----

func.func @flying_result(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  // expected-error@+1 {{breaks [nvdla.5]: it passes its result to PDP, and one PDP is not its only user}}
  %0 = nvdla.sdp %x {offset = 0 : i64, toPdp} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// -----

func.func @accepted(%x: tensor<1x8x4x4xi8>) -> tensor<1x16x2x2xi8> {
  %0 = nvdla.sdp %x {offset = 0 : i64, toPdp} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %1 = nvdla.pdp %0 {kernel = array<i64: 2, 2>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x2x2xi8>
  %2 = nvdla.pdp %x {kernel = array<i64: 2, 2>, method = 2 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x2x2xi8>
  %3 = nvdla.join %1, %2 : (tensor<1x8x2x2xi8>, tensor<1x8x2x2xi8>) -> tensor<1x16x2x2xi8>
  return %3 : tensor<1x16x2x2xi8>
}
