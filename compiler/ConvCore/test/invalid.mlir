// RUN: convoy-opt %s -split-input-file -verify-diagnostics

func.func @conv_1_window(%x: tensor<1x8x4x4xf32>, %w: tensor<16x8x5x5xf32>) {
  // expected-error@+1 {{expects a padded input that holds one window of 5, got 4 elements + 0 + 0 padding}}
  %0 = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x4x4xf32>, tensor<16x8x5x5xf32>) -> tensor<1x16x1x1xf32>
  return
}

// -----

func.func @conv_2_channels(%x: tensor<1x8x4x4xf32>, %w: tensor<16x3x1x1xf32>) {
  // expected-error@+1 {{expects 3 x 2 input channels (weights x groups) and output channels that are a multiple of the groups, got 8 and 16}}
  %0 = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x8x4x4xf32>, tensor<16x3x1x1xf32>) -> tensor<1x16x4x4xf32>
  return
}

// -----

func.func @conv_3_floats_have_no_zero_point(%x: tensor<1x8x4x4xf32>, %w: tensor<16x8x1x1xf32>) {
  // expected-error@+1 {{expects no requantization and no zero points with 'f32'}}
  %0 = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, inputZeroPoint = 1 : i64} : (tensor<1x8x4x4xf32>, tensor<16x8x1x1xf32>) -> tensor<1x16x4x4xf32>
  return
}

// -----

func.func @conv_4_no_activation(%x: tensor<1x8x4x4xi8>, %w: tensor<16x8x1x1xi8>) {
  // expected-error@+1 {{expects a bias of i32 and no activation with integers; use the bounds of the requantization}}
  %0 = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, activation = #convcore.act<relu>} : (tensor<1x8x4x4xi8>, tensor<16x8x1x1xi8>) -> tensor<1x16x4x4xi32>
  return
}

// -----

func.func @conv_4_width(%x: tensor<1x8x4x4xi32>, %w: tensor<16x8x1x1xi8>) {
  // expected-error@+1 {{expects input and weights to be floats or integers of 8 or 16 bits, got 'i32' and 'i8'}}
  %0 = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x4x4xi32>, tensor<16x8x1x1xi8>) -> tensor<1x16x4x4xi32>
  return
}

// -----

func.func @conv_5_lists(%x: tensor<1x8x4x4xi8>, %w: tensor<16x8x1x1xi8>) {
  // expected-error@+1 {{expects one multiplier or 16, one per channel, got 2}}
  %0 = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, requant = #convcore.requant<i8, multipliers = [1, 2], shifts = [1, 2], zeroPoint = 0, low = -128, high = 127, rounding = half_up>} : (tensor<1x8x4x4xi8>, tensor<16x8x1x1xi8>) -> tensor<1x16x4x4xi8>
  return
}

// -----

func.func @wrong_result_type(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expects result type 'tensor<1x8x4x4xf32>', got 'tensor<1x8x4x5xf32>'}}
  %0 = convcore.copy %x : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x5xf32>
  return
}

// -----

func.func @eltwise_1(%x: tensor<1x8x4x4xf32>, %y: tensor<1x8x4x1xf32>) {
  // expected-error@+1 {{expects a right operand of the shape of 'tensor<1x8x4x4xf32>', of one element per channel or of one element, got 'tensor<1x8x4x1xf32>'}}
  %0 = convcore.eltwise %x, %y {kind = 0 : i32} : (tensor<1x8x4x4xf32>, tensor<1x8x4x1xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @eltwise_2(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expects two tensors of 'f32' without zero points, multipliers, bias and requantization}}
  %0 = convcore.eltwise %x, %x {kind = 0 : i32, lhsMultiplier = 2 : i64} : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @eltwise_2_bias(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{without zero points, multipliers, bias and requantization}}
  %0 = convcore.eltwise %x, %x {kind = 0 : i32, bias = 2 : i64} : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @eltwise_3(%x: tensor<1x8x4x4xi8>) {
  // expected-error@+1 {{expects floats, or integers of 8 or 16 bits without an activation, got 'i8' and 'i8'}}
  %0 = convcore.eltwise %x, %x {kind = 0 : i32, activation = #convcore.act<relu>} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return
}

// -----

func.func @eltwise_4(%x: tensor<1x8x4x4xi8>) {
  // expected-error@+1 {{expects multipliers below 2^31 in magnitude and not 0, got 0}}
  %0 = convcore.eltwise %x, %x {kind = 0 : i32, rhsMultiplier = 0 : i64, requant = #convcore.requant<i8, multipliers = [2], shifts = [1], zeroPoint = 0, low = -128, high = 127, rounding = half_up>} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return
}

// -----

func.func @scale_1(%x: tensor<1x8x4x4xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{the scale}}
  %0 = convcore.scale %x, %s : (tensor<1x8x4x4xf32>, tensor<4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @activation_1(%x: tensor<1x8x4x4xi8>) {
  // expected-error@+1 {{an input}}
  %0 = convcore.activation %x {activation = #convcore.act<tanh>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return
}

// -----

func.func @prelu_1(%x: tensor<1x8x4x4xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{the slope}}
  %0 = convcore.prelu %x, %s : (tensor<1x8x4x4xf32>, tensor<4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @pool_1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expects each window to contain an element of the input; use smaller pads}}
  %0 = convcore.pool %x {kind = 0 : i32, kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 2, 0, 0, 0>} : (tensor<1x8x4x4xf32>) -> tensor<1x8x5x3xf32>
  return
}

// -----

func.func @pool_2(%x: tensor<1x8x4x4xi8>) {
  // expected-error@+1 {{expects countIncludePad for means of integers, and no requantization for anything else}}
  %0 = convcore.pool %x {kind = 1 : i32, kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x3x3xi8>
  return
}

// -----

func.func @pool_3(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expects countIncludePad only for means}}
  %0 = convcore.pool %x {kind = 0 : i32, kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, countIncludePad = true} : (tensor<1x8x4x4xf32>) -> tensor<1x8x3x3xf32>
  return
}

// -----

func.func @pool_4(%x: tensor<1x8x4x4xi8>) {
  // expected-error@+1 {{expects byAxis only for means of integers without requantization}}
  %0 = convcore.pool %x {kind = 0 : i32, kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, byAxis} : (tensor<1x8x4x4xi8>) -> tensor<1x8x3x3xi8>
  return
}

// -----

func.func @byte_lrn_1(%x: tensor<1x8x4x4xui8>) {
  %t = graph.constant dense<1> : tensor<256xui8>
  // expected-error@+1 {{expects an input of i8 and tables of ui8, got 'tensor<1x8x4x4xui8>', 'tensor<256xui8>' and 'tensor<256xui8>'}}
  %0 = convcore.byte_lrn %x, %t, %t {size = 5 : i64, sumMultiplier = 1 : i64, sumShift = 1 : i64, requant = #convcore.requant<i8, multipliers = [2], shifts = [1], zeroPoint = 0, low = -128, high = 127, rounding = half_up>} : (tensor<1x8x4x4xui8>, tensor<256xui8>, tensor<256xui8>) -> tensor<1x8x4x4xi8>
  return
}

// -----

func.func @byte_lrn_2(%x: tensor<1x8x4x4xi8>) {
  %t = graph.constant dense<1> : tensor<256xui8>
  // expected-error@+1 {{expects a positive size, sumMultiplier in [0, 255] and sumShift in [1, 31], got 5, 256 and 1}}
  %0 = convcore.byte_lrn %x, %t, %t {size = 5 : i64, sumMultiplier = 256 : i64, sumShift = 1 : i64, requant = #convcore.requant<i8, multipliers = [2], shifts = [1], zeroPoint = 0, low = -128, high = 127, rounding = half_up>} : (tensor<1x8x4x4xi8>, tensor<256xui8>, tensor<256xui8>) -> tensor<1x8x4x4xi8>
  return
}

// -----

func.func @lrn_1(%x: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expects a size in [1, 2147483648], got 0}}
  %0 = convcore.lrn %x {size = 0 : i64, alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @softmax_1(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{expects an axis of 'tensor<1x8xf32>', got 2}}
  %0 = convcore.softmax %x {axis = 2 : i64} : (tensor<1x8xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @lookup_1(%x: tensor<1x8xi16>, %t: tensor<256xi8>) {
  // expected-error@+1 {{expects integers of 8 bits, got 'i16'}}
  %0 = convcore.lookup %x, %t : (tensor<1x8xi16>, tensor<256xi8>) -> tensor<1x8xi8>
  return
}

// -----

func.func @requantize_1(%x: tensor<1x8xi64>) {
  // expected-error@+1 {{expects integers of up to 32 bits, got 'i64'}}
  %0 = convcore.requantize %x {requant = #convcore.requant<i8, multipliers = [2], shifts = [1], zeroPoint = 0, low = -128, high = 127, rounding = half_up>} : (tensor<1x8xi64>) -> tensor<1x8xi8>
  return
}

// -----

func.func @convert_1(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{expects a float result type, got 'i8'}}
  %0 = convcore.convert %x {to = i8} : (tensor<1x8xf32>) -> tensor<1x8xi8>
  return
}

// -----

func.func @concat_1(%x: tensor<1x8x4x4xf32>, %y: tensor<1x8x4x5xf32>) {
  // expected-error@+1 {{expects inputs that differ only in dimension 1, got 'tensor<1x8x4x4xf32>' and 'tensor<1x8x4x5xf32>'}}
  %0 = convcore.concat %x, %y {axis = 1 : i64} : (tensor<1x8x4x4xf32>, tensor<1x8x4x5xf32>) -> tensor<1x16x4x4xf32>
  return
}

// -----

func.func @slice_1(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{expects an offset and a size per dimension, and a box inside 'tensor<1x8xf32>'}}
  %0 = convcore.slice %x {offsets = array<i64: 0, 1>, sizes = array<i64: 1, 8>} : (tensor<1x8xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @reshape_1(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{expects a shape with as many elements as 'tensor<1x8xf32>'}}
  %0 = convcore.reshape %x {shape = array<i64: 3, 3>} : (tensor<1x8xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_1(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{expects a permutation that contains each dimension of 'tensor<1x8xf32>' once}}
  %0 = convcore.transpose %x {permutation = array<i64: 0, 0>} : (tensor<1x8xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @rearrange_1(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{expects `apart` and `shape` with as many elements as 'tensor<1x8xf32>'}}
  %0 = convcore.rearrange %x {apart = array<i64: 2, 3>, permutation = array<i64: 1, 0>, shape = array<i64: 8>} : (tensor<1x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @rearrange_2(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{expects a permutation that contains each of the 2 dimensions of `apart` once}}
  %0 = convcore.rearrange %x {apart = array<i64: 2, 4>, permutation = array<i64: 1, 1>, shape = array<i64: 8>} : (tensor<1x8xf32>) -> tensor<8xf32>
  return
}

// -----

// expected-error@+1 {{expects as many multipliers as shifts, at least one, got 1 and 2}}
func.func private @requant_1() attributes {r = #convcore.requant<i8, multipliers = [1], shifts = [1, 2], zeroPoint = 0, low = -128, high = 127, rounding = half_up>}

// -----

// expected-error@+1 {{expects multipliers in [0, 2^31) and shifts in [1, 62], got 1 and 0}}
func.func private @requant_2() attributes {r = #convcore.requant<i8, multipliers = [1], shifts = [0], zeroPoint = 0, low = -128, high = 127, rounding = half_up>}

// -----

// expected-error@+1 {{expects low <= high and a zero point, all in [-128, 127], got low -128, high 128, zero point 0}}
func.func private @requant_3() attributes {r = #convcore.requant<i8, multipliers = [1], shifts = [1], zeroPoint = 0, low = -128, high = 128, rounding = half_up>}

// -----

func.func @integer_lrn_1(%x: tensor<1x8xi8>, %near: tensor<5xi16>, %far: tensor<3xi16>) {
  // expected-error@+1 {{expects an input of rank 4}}
  %0 = convcore.integer_lrn %x, %near, %far {size = 3 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 16 : i64, farShift = 4 : i64, bias = 0 : i64} : (tensor<1x8xi8>, tensor<5xi16>, tensor<3xi16>) -> tensor<1x8xi32>
  return
}

// -----

func.func @integer_lrn_2(%x: tensor<1x2x4x4xi8>, %near: tensor<5xi16>, %far: tensor<3xi16>) {
  // expected-error@+1 {{expects a requantization with one multiplier, got 2}}
  %0 = convcore.integer_lrn %x, %near, %far {size = 3 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 16 : i64, farShift = 4 : i64, bias = 0 : i64, requant = #convcore.requant<i8, multipliers = [9, 9], shifts = [4, 4], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x2x4x4xi8>, tensor<5xi16>, tensor<3xi16>) -> tensor<1x2x4x4xi8>
  return
}
