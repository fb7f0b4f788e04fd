// Products and convolutions of odd sizes with the epilogues of networks: Gelu, SiLU and HardSwish in
// the forms that exporters write, each with a bias and a residual. fixed_graphs.cpp runs them on
// random inputs.

func.func @product_with_gelu_erf(%a: tensor<5x19xf32>, %bias: tensor<23xf32>, %r: tensor<5x23xf32>) -> tensor<5x23xf32> {
  %w = graph.constant dense<0.13> : tensor<19x23xf32>
  %p = graph.matmul %a, %w : (tensor<5x19xf32>, tensor<19x23xf32>) -> tensor<5x23xf32>
  %x = graph.binary add %p, %bias : (tensor<5x23xf32>, tensor<23xf32>) -> tensor<5x23xf32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %e0 = graph.binary div %x, %root : (tensor<5x23xf32>, tensor<f32>) -> tensor<5x23xf32>
  %e1 = graph.unary erf %e0 : (tensor<5x23xf32>) -> tensor<5x23xf32>
  %e2 = graph.binary add %e1, %one : (tensor<5x23xf32>, tensor<f32>) -> tensor<5x23xf32>
  %e3 = graph.binary mul %x, %e2 : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  %e = graph.binary mul %e3, %half : (tensor<5x23xf32>, tensor<f32>) -> tensor<5x23xf32>
  %y = graph.binary add %e, %r : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  return %y : tensor<5x23xf32>
}

// -----

func.func @convolution_with_gelu_erf(%a: tensor<1x18x7x5xf32>, %bias: tensor<19xf32>, %r: tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32> {
  %w = graph.constant dense<0.07> : tensor<19x18x3x3xf32>
  %x = graph.conv %a, %w, %bias {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x18x7x5xf32>, tensor<19x18x3x3xf32>, tensor<19xf32>) -> tensor<1x19x7x5xf32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %e0 = graph.binary div %x, %root : (tensor<1x19x7x5xf32>, tensor<f32>) -> tensor<1x19x7x5xf32>
  %e1 = graph.unary erf %e0 : (tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  %e2 = graph.binary add %e1, %one : (tensor<1x19x7x5xf32>, tensor<f32>) -> tensor<1x19x7x5xf32>
  %e3 = graph.binary mul %x, %e2 : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  %e = graph.binary mul %e3, %half : (tensor<1x19x7x5xf32>, tensor<f32>) -> tensor<1x19x7x5xf32>
  %y = graph.binary add %e, %r : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  return %y : tensor<1x19x7x5xf32>
}

// -----

func.func @product_with_gelu_tanh(%a: tensor<5x19xf32>, %bias: tensor<23xf32>, %r: tensor<5x23xf32>) -> tensor<5x23xf32> {
  %w = graph.constant dense<0.13> : tensor<19x23xf32>
  %p = graph.matmul %a, %w : (tensor<5x19xf32>, tensor<19x23xf32>) -> tensor<5x23xf32>
  %x = graph.binary add %p, %bias : (tensor<5x23xf32>, tensor<23xf32>) -> tensor<5x23xf32>
  %k = graph.constant dense<0.044715> : tensor<f32>
  %ratio = graph.constant dense<0.797884583> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %square = graph.binary mul %x, %x : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  %e0 = graph.binary mul %square, %x : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  %e1 = graph.binary mul %e0, %k : (tensor<5x23xf32>, tensor<f32>) -> tensor<5x23xf32>
  %e2 = graph.binary add %x, %e1 : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  %e3 = graph.binary mul %e2, %ratio : (tensor<5x23xf32>, tensor<f32>) -> tensor<5x23xf32>
  %e4 = graph.unary tanh %e3 : (tensor<5x23xf32>) -> tensor<5x23xf32>
  %e5 = graph.binary add %e4, %one : (tensor<5x23xf32>, tensor<f32>) -> tensor<5x23xf32>
  %e6 = graph.binary mul %x, %half : (tensor<5x23xf32>, tensor<f32>) -> tensor<5x23xf32>
  %e = graph.binary mul %e6, %e5 : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  %y = graph.binary add %e, %r : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  return %y : tensor<5x23xf32>
}

// -----

func.func @convolution_with_gelu_tanh(%a: tensor<1x18x7x5xf32>, %bias: tensor<19xf32>, %r: tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32> {
  %w = graph.constant dense<0.07> : tensor<19x18x3x3xf32>
  %x = graph.conv %a, %w, %bias {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x18x7x5xf32>, tensor<19x18x3x3xf32>, tensor<19xf32>) -> tensor<1x19x7x5xf32>
  %k = graph.constant dense<0.044715> : tensor<f32>
  %ratio = graph.constant dense<0.797884583> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %square = graph.binary mul %x, %x : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  %e0 = graph.binary mul %square, %x : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  %e1 = graph.binary mul %e0, %k : (tensor<1x19x7x5xf32>, tensor<f32>) -> tensor<1x19x7x5xf32>
  %e2 = graph.binary add %x, %e1 : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  %e3 = graph.binary mul %e2, %ratio : (tensor<1x19x7x5xf32>, tensor<f32>) -> tensor<1x19x7x5xf32>
  %e4 = graph.unary tanh %e3 : (tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  %e5 = graph.binary add %e4, %one : (tensor<1x19x7x5xf32>, tensor<f32>) -> tensor<1x19x7x5xf32>
  %e6 = graph.binary mul %x, %half : (tensor<1x19x7x5xf32>, tensor<f32>) -> tensor<1x19x7x5xf32>
  %e = graph.binary mul %e6, %e5 : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  %y = graph.binary add %e, %r : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  return %y : tensor<1x19x7x5xf32>
}

// -----

func.func @product_with_silu(%a: tensor<5x19xf32>, %bias: tensor<23xf32>, %r: tensor<5x23xf32>) -> tensor<5x23xf32> {
  %w = graph.constant dense<0.13> : tensor<19x23xf32>
  %p = graph.matmul %a, %w : (tensor<5x19xf32>, tensor<19x23xf32>) -> tensor<5x23xf32>
  %x = graph.binary add %p, %bias : (tensor<5x23xf32>, tensor<23xf32>) -> tensor<5x23xf32>
  %e0 = graph.unary sigmoid %x : (tensor<5x23xf32>) -> tensor<5x23xf32>
  %e = graph.binary mul %x, %e0 : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  %y = graph.binary add %e, %r : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  return %y : tensor<5x23xf32>
}

// -----

func.func @convolution_with_silu(%a: tensor<1x18x7x5xf32>, %bias: tensor<19xf32>, %r: tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32> {
  %w = graph.constant dense<0.07> : tensor<19x18x3x3xf32>
  %x = graph.conv %a, %w, %bias {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x18x7x5xf32>, tensor<19x18x3x3xf32>, tensor<19xf32>) -> tensor<1x19x7x5xf32>
  %e0 = graph.unary sigmoid %x : (tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  %e = graph.binary mul %x, %e0 : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  %y = graph.binary add %e, %r : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  return %y : tensor<1x19x7x5xf32>
}

// -----

func.func @product_with_hard_swish(%a: tensor<5x19xf32>, %bias: tensor<23xf32>, %r: tensor<5x23xf32>) -> tensor<5x23xf32> {
  %w = graph.constant dense<0.13> : tensor<19x23xf32>
  %p = graph.matmul %a, %w : (tensor<5x19xf32>, tensor<19x23xf32>) -> tensor<5x23xf32>
  %x = graph.binary add %p, %bias : (tensor<5x23xf32>, tensor<23xf32>) -> tensor<5x23xf32>
  %e0 = graph.activation hard_sigmoid %x {alpha = 0.16666666666666666 : f64, beta = 5.0e-01 : f64} : (tensor<5x23xf32>) -> tensor<5x23xf32>
  %e = graph.binary mul %x, %e0 : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  %y = graph.binary add %e, %r : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  return %y : tensor<5x23xf32>
}

// -----

func.func @convolution_with_hard_swish(%a: tensor<1x18x7x5xf32>, %bias: tensor<19xf32>, %r: tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32> {
  %w = graph.constant dense<0.07> : tensor<19x18x3x3xf32>
  %x = graph.conv %a, %w, %bias {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x18x7x5xf32>, tensor<19x18x3x3xf32>, tensor<19xf32>) -> tensor<1x19x7x5xf32>
  %e0 = graph.activation hard_sigmoid %x {alpha = 0.16666666666666666 : f64, beta = 5.0e-01 : f64} : (tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  %e = graph.binary mul %x, %e0 : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  %y = graph.binary add %e, %r : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  return %y : tensor<1x19x7x5xf32>
}

// -----

func.func @product_with_hard_swish_clip(%a: tensor<5x19xf32>, %bias: tensor<23xf32>, %r: tensor<5x23xf32>) -> tensor<5x23xf32> {
  %w = graph.constant dense<0.13> : tensor<19x23xf32>
  %p = graph.matmul %a, %w : (tensor<5x19xf32>, tensor<19x23xf32>) -> tensor<5x23xf32>
  %x = graph.binary add %p, %bias : (tensor<5x23xf32>, tensor<23xf32>) -> tensor<5x23xf32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32>
  %e0 = graph.binary add %x, %three : (tensor<5x23xf32>, tensor<f32>) -> tensor<5x23xf32>
  %e1 = graph.binary max %e0, %zero : (tensor<5x23xf32>, tensor<f32>) -> tensor<5x23xf32>
  %e2 = graph.binary min %e1, %six : (tensor<5x23xf32>, tensor<f32>) -> tensor<5x23xf32>
  %e3 = graph.binary mul %x, %e2 : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  %e = graph.binary div %e3, %six : (tensor<5x23xf32>, tensor<f32>) -> tensor<5x23xf32>
  %y = graph.binary add %e, %r : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
  return %y : tensor<5x23xf32>
}

// -----

func.func @convolution_with_hard_swish_clip(%a: tensor<1x18x7x5xf32>, %bias: tensor<19xf32>, %r: tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32> {
  %w = graph.constant dense<0.07> : tensor<19x18x3x3xf32>
  %x = graph.conv %a, %w, %bias {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x18x7x5xf32>, tensor<19x18x3x3xf32>, tensor<19xf32>) -> tensor<1x19x7x5xf32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32>
  %e0 = graph.binary add %x, %three : (tensor<1x19x7x5xf32>, tensor<f32>) -> tensor<1x19x7x5xf32>
  %e1 = graph.binary max %e0, %zero : (tensor<1x19x7x5xf32>, tensor<f32>) -> tensor<1x19x7x5xf32>
  %e2 = graph.binary min %e1, %six : (tensor<1x19x7x5xf32>, tensor<f32>) -> tensor<1x19x7x5xf32>
  %e3 = graph.binary mul %x, %e2 : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  %e = graph.binary div %e3, %six : (tensor<1x19x7x5xf32>, tensor<f32>) -> tensor<1x19x7x5xf32>
  %y = graph.binary add %e, %r : (tensor<1x19x7x5xf32>, tensor<1x19x7x5xf32>) -> tensor<1x19x7x5xf32>
  return %y : tensor<1x19x7x5xf32>
}

// -----

// Constant exponents of 2 and 3 become products.
func.func @small_powers(%x: tensor<5x23xf32>, %h: tensor<7x9xf16>) -> (tensor<5x23xf32>, tensor<5x23xf32>, tensor<7x9xf16>) {
  %two = graph.constant dense<2.0> : tensor<f32>
  %three = graph.constant dense<3> : tensor<i64>
  %a = graph.unary abs %x : (tensor<5x23xf32>) -> tensor<5x23xf32>
  %b = graph.unary abs %h : (tensor<7x9xf16>) -> tensor<7x9xf16>
  %0 = graph.binary pow %a, %two : (tensor<5x23xf32>, tensor<f32>) -> tensor<5x23xf32>
  %1 = graph.binary pow %a, %three : (tensor<5x23xf32>, tensor<i64>) -> tensor<5x23xf32>
  %2 = graph.binary pow %b, %three : (tensor<7x9xf16>, tensor<i64>) -> tensor<7x9xf16>
  return %0, %1, %2 : tensor<5x23xf32>, tensor<5x23xf32>, tensor<7x9xf16>
}

// -----

func.func @activations_of_long_rows(%x: tensor<3x67xf32>) -> (tensor<3x67xf32>, tensor<3x67xf32>, tensor<3x67xf32>) {
  %scale = graph.constant dense<40.0> : tensor<f32>
  %wide = graph.binary mul %x, %scale : (tensor<3x67xf32>, tensor<f32>) -> tensor<3x67xf32>
  %0 = graph.unary sigmoid %wide : (tensor<3x67xf32>) -> tensor<3x67xf32>
  %1 = graph.unary tanh %x : (tensor<3x67xf32>) -> tensor<3x67xf32>
  %2 = graph.unary erf %x : (tensor<3x67xf32>) -> tensor<3x67xf32>
  return %0, %1, %2 : tensor<3x67xf32>, tensor<3x67xf32>, tensor<3x67xf32>
}

// -----

// The rows of the matrix exceed the second-level cache, so the kernel splits them into parts.
func.func @product_in_parts(%a: tensor<1500x1024xf32>, %bias: tensor<40xf32>, %r: tensor<1500x40xf32>, %s: tensor<1500x1xf32>) -> tensor<1500x40xf32> {
  %w = graph.constant dense<0.01> : tensor<1024x40xf32>
  %p = graph.matmul %a, %w : (tensor<1500x1024xf32>, tensor<1024x40xf32>) -> tensor<1500x40xf32>
  %x = graph.binary add %p, %bias : (tensor<1500x40xf32>, tensor<40xf32>) -> tensor<1500x40xf32>
  %t = graph.binary mul %x, %s : (tensor<1500x40xf32>, tensor<1500x1xf32>) -> tensor<1500x40xf32>
  %y = graph.binary add %t, %r : (tensor<1500x40xf32>, tensor<1500x40xf32>) -> tensor<1500x40xf32>
  return %y : tensor<1500x40xf32>
}

// -----

func.func @flipped_channels_17(%a: tensor<1x17x7x5xf32>, %r: tensor<1x17x7x5xf32>) -> (tensor<1x17x7x5xf32>, tensor<1x17x7x5xf32>) {
  %begin = graph.constant dense<-1> : tensor<1xi64>
  %end = graph.constant dense<-1000> : tensor<1xi64>
  %axis = graph.constant dense<1> : tensor<1xi64>
  %k = graph.constant dense<0.07> : tensor<17x17x3x3xf32>
  %x = graph.conv %a, %k {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x17x7x5xf32>, tensor<17x17x3x3xf32>) -> tensor<1x17x7x5xf32>
  %0 = graph.binary add %x, %r : (tensor<1x17x7x5xf32>, tensor<1x17x7x5xf32>) -> tensor<1x17x7x5xf32>
  %1 = graph.slice %0, %begin, %end, %axis, %begin {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<1x17x7x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x17x7x5xf32>
  %2 = graph.binary add %1, %r : (tensor<1x17x7x5xf32>, tensor<1x17x7x5xf32>) -> tensor<1x17x7x5xf32>
  %y = graph.conv %2, %k {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x17x7x5xf32>, tensor<17x17x3x3xf32>) -> tensor<1x17x7x5xf32>
  return %2, %y : tensor<1x17x7x5xf32>, tensor<1x17x7x5xf32>
}

// -----

func.func @flipped_channels_40(%a: tensor<1x40x7x5xf32>, %r: tensor<1x40x7x5xf32>) -> (tensor<1x40x7x5xf32>, tensor<1x40x7x5xf32>) {
  %begin = graph.constant dense<-1> : tensor<1xi64>
  %end = graph.constant dense<-1000> : tensor<1xi64>
  %axis = graph.constant dense<1> : tensor<1xi64>
  %k = graph.constant dense<0.07> : tensor<40x40x3x3xf32>
  %x = graph.conv %a, %k {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x40x7x5xf32>, tensor<40x40x3x3xf32>) -> tensor<1x40x7x5xf32>
  %0 = graph.binary add %x, %r : (tensor<1x40x7x5xf32>, tensor<1x40x7x5xf32>) -> tensor<1x40x7x5xf32>
  %1 = graph.slice %0, %begin, %end, %axis, %begin {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<1x40x7x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x40x7x5xf32>
  %2 = graph.binary add %1, %r : (tensor<1x40x7x5xf32>, tensor<1x40x7x5xf32>) -> tensor<1x40x7x5xf32>
  %y = graph.conv %2, %k {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x40x7x5xf32>, tensor<40x40x3x3xf32>) -> tensor<1x40x7x5xf32>
  return %2, %y : tensor<1x40x7x5xf32>, tensor<1x40x7x5xf32>
}

// -----

func.func @transpose_of_no_elements(%x: tensor<0x64x64xf32>) -> tensor<0x64x64xf32> {
  %0 = graph.transpose %x {perm = array<i64: 0, 2, 1>} : (tensor<0x64x64xf32>) -> tensor<0x64x64xf32>
  return %0 : tensor<0x64x64xf32>
}
