// RUN: convoy-opt %s -split-input-file -verify-diagnostics -convoy-nvdla-check-contract=config=nvdla-full

func.func @block_inside_of_an_atom(%x: tensor<1x80x4x4xf16>) -> tensor<1x20x8x8xf16> {
  // expected-error@+1 {{breaks [nvdla.6]: RUBIK cannot read or write these channels}}
  %0 = nvdla.contract %x {strides = array<i64: 2, 2>} : (tensor<1x80x4x4xf16>) -> tensor<1x20x8x8xf16>
  return %0 : tensor<1x20x8x8xf16>
}

// -----

func.func @jobs_inside_of_an_atom(%x: tensor<1x16x4x32xf16>) -> tensor<1x16x4x32xf16> {
  // expected-error@+1 {{breaks [nvdla.6]}}
  %0 = nvdla.split %x {channels = 8 : i64, offsets = array<i64: 0, 1024>, planeStep = 128 : i64, lineStep = 32 : i64} : (tensor<1x16x4x32xf16>) -> tensor<2048xf16>
  %1 = nvdla.merge %0 {channels = 16 : i64, offsets = array<i64: 0>, planeStep = 128 : i64, lineStep = 32 : i64} : (tensor<2048xf16>) -> tensor<1x16x4x32xf16>
  return %1 : tensor<1x16x4x32xf16>
}

// -----

func.func @planes_of_an_argument(%x: tensor<2048xf16>) -> tensor<1x16x4x32xf16> {
  // expected-error@+1 {{breaks [nvdla.6]}}
  %0 = nvdla.merge %x {channels = 16 : i64, offsets = array<i64: 0>, planeStep = 128 : i64, lineStep = 32 : i64} : (tensor<2048xf16>) -> tensor<1x16x4x32xf16>
  return %0 : tensor<1x16x4x32xf16>
}

// -----

func.func @contract_1(%x: tensor<1x80x4x4xf16>) -> tensor<1x21x8x8xf16> {
  // expected-error@+1 {{expects one block of the result's channels per pixel of the grid, got 'tensor<1x80x4x4xf16>' and 'tensor<1x21x8x8xf16>'}}
  %0 = nvdla.contract %x {strides = array<i64: 2, 2>} : (tensor<1x80x4x4xf16>) -> tensor<1x21x8x8xf16>
  return %0 : tensor<1x21x8x8xf16>
}

// -----

func.func @split_1(%x: tensor<1x16x4x32xf16>) -> tensor<2000xf16> {
  // expected-error@+1 {{expects jobs that move all channels of 'tensor<1x16x4x32xf16>' from or to places inside of 'tensor<2000xf16>'}}
  %0 = nvdla.split %x {channels = 16 : i64, offsets = array<i64: 0>, planeStep = 128 : i64, lineStep = 32 : i64} : (tensor<1x16x4x32xf16>) -> tensor<2000xf16>
  return %0 : tensor<2000xf16>
}

// -----

func.func @merge_2(%x: tensor<2048xf16>) -> tensor<1x16x4x4xf16> {
  // expected-error@+1 {{expects offsets and steps of a multiple of 64 bytes}}
  %0 = nvdla.merge %x {channels = 16 : i64, offsets = array<i64: 0>, planeStep = 128 : i64, lineStep = 16 : i64} : (tensor<2048xf16>) -> tensor<1x16x4x4xf16>
  return %0 : tensor<1x16x4x4xf16>
}
