// Regression tests: minimal graphs on which the host and the reference once differed.
// fixed_graphs.cpp runs them on random inputs that contain special values.

// Integer part of a reciprocal, and exponents above 63.
func.func @integer_powers(%x: tensor<5x3xi32>, %y: tensor<3xi32>, %a: tensor<9xi8>, %b: tensor<9xi8>, %c: tensor<7xui8>, %d: tensor<7xi64>) -> (tensor<5x3xi32>, tensor<9xi8>, tensor<7xui8>) {
  %0 = graph.binary pow %x, %y : (tensor<5x3xi32>, tensor<3xi32>) -> tensor<5x3xi32>
  %1 = graph.binary pow %a, %b : (tensor<9xi8>, tensor<9xi8>) -> tensor<9xi8>
  %2 = graph.binary pow %c, %d : (tensor<7xui8>, tensor<7xi64>) -> tensor<7xui8>
  return %0, %1, %2 : tensor<5x3xi32>, tensor<9xi8>, tensor<7xui8>
}

// -----

// Column-major indices over three dimensions. NaN is the largest value; the first NaN wins.
func.func @pool_indices(%x: tensor<1x3x4x5x6xf32>) -> (tensor<1x3x3x4x5xi64>, tensor<1x3x3x4x5xi64>) {
  %v, %i = graph.max_pool %x {ceilMode = false, columnMajor = true, dilations = array<i64: 1, 1, 1>, kernel = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<1x3x4x5x6xf32>) -> (tensor<1x3x3x4x5xf32>, tensor<1x3x3x4x5xi64>)
  %w, %j = graph.max_pool %x {ceilMode = false, columnMajor = false, dilations = array<i64: 1, 1, 1>, kernel = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<1x3x4x5x6xf32>) -> (tensor<1x3x3x4x5xf32>, tensor<1x3x3x4x5xi64>)
  return %i, %j : tensor<1x3x3x4x5xi64>, tensor<1x3x3x4x5xi64>
}

// -----

func.func @nan_wins_arg_reduce(%x: tensor<9x17xf32>) -> (tensor<17xi64>, tensor<17xi64>, tensor<9xi64>, tensor<9xi64>) {
  %0 = graph.arg_reduce %x {axis = 0 : i64, keepDims = false, selectLast = false, takesMax = true} : (tensor<9x17xf32>) -> tensor<17xi64>
  %1 = graph.arg_reduce %x {axis = 0 : i64, keepDims = false, selectLast = true, takesMax = true} : (tensor<9x17xf32>) -> tensor<17xi64>
  %2 = graph.arg_reduce %x {axis = 1 : i64, keepDims = false, selectLast = false, takesMax = false} : (tensor<9x17xf32>) -> tensor<9xi64>
  %3 = graph.arg_reduce %x {axis = 1 : i64, keepDims = false, selectLast = true, takesMax = false} : (tensor<9x17xf32>) -> tensor<9xi64>
  return %0, %1, %2, %3 : tensor<17xi64>, tensor<17xi64>, tensor<9xi64>, tensor<9xi64>
}

// -----

func.func @nan_is_largest_in_top_k(%x: tensor<10x8xf16>) -> (tensor<4x8xf16>, tensor<4x8xi64>, tensor<9x8xf16>, tensor<9x8xi64>) {
  %k = graph.constant dense<4> : tensor<1xi64>
  %n = graph.constant dense<9> : tensor<1xi64>
  %0, %1 = graph.top_k %x, %k {axis = 0 : i64, largest = true, sorted = true} : (tensor<10x8xf16>, tensor<1xi64>) -> (tensor<4x8xf16>, tensor<4x8xi64>)
  %2, %3 = graph.top_k %x, %n {axis = 0 : i64, largest = false, sorted = true} : (tensor<10x8xf16>, tensor<1xi64>) -> (tensor<9x8xf16>, tensor<9x8xi64>)
  return %0, %1, %2, %3 : tensor<4x8xf16>, tensor<4x8xi64>, tensor<9x8xf16>, tensor<9x8xi64>
}

// -----

// Values out of range saturate; NaN gives 0.
func.func @floats_saturate(%x: tensor<7x11xf32>) -> (tensor<7x11xui8>, tensor<7x11xi8>, tensor<7x11xi16>, tensor<7x11xi32>, tensor<7x11xui32>, tensor<7x11xi64>, tensor<7x11xui64>) {
  %0 = graph.cast %x {to = ui8} : (tensor<7x11xf32>) -> tensor<7x11xui8>
  %1 = graph.cast %x {to = i8} : (tensor<7x11xf32>) -> tensor<7x11xi8>
  %2 = graph.cast %x {to = i16} : (tensor<7x11xf32>) -> tensor<7x11xi16>
  %3 = graph.cast %x {to = i32} : (tensor<7x11xf32>) -> tensor<7x11xi32>
  %4 = graph.cast %x {to = ui32} : (tensor<7x11xf32>) -> tensor<7x11xui32>
  %5 = graph.cast %x {to = i64} : (tensor<7x11xf32>) -> tensor<7x11xi64>
  %6 = graph.cast %x {to = ui64} : (tensor<7x11xf32>) -> tensor<7x11xui64>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<7x11xui8>, tensor<7x11xi8>, tensor<7x11xi16>, tensor<7x11xi32>, tensor<7x11xui32>, tensor<7x11xi64>, tensor<7x11xui64>
}

// -----

// The quotient has the element type of the scale.
func.func @quantize_narrow_floats(%x: tensor<200xf16>, %y: tensor<200xbf16>, %z: tensor<200xf32>) -> (tensor<200xi8>, tensor<200xui8>, tensor<200xi8>) {
  %s = graph.constant dense<0.0123> : tensor<f16>
  %t = graph.constant dense<0.0123> : tensor<bf16>
  %u = graph.constant dense<0.0123> : tensor<f32>
  %0 = graph.quantize_linear %x, %s {axis = 0 : i64, to = i8} : (tensor<200xf16>, tensor<f16>) -> tensor<200xi8>
  %1 = graph.quantize_linear %y, %t {axis = 0 : i64, to = ui8} : (tensor<200xbf16>, tensor<bf16>) -> tensor<200xui8>
  %2 = graph.quantize_linear %z, %u {axis = 0 : i64, to = i8} : (tensor<200xf32>, tensor<f32>) -> tensor<200xi8>
  return %0, %1, %2 : tensor<200xi8>, tensor<200xui8>, tensor<200xi8>
}

// -----

// Reductions of integers whose intermediate sums exceed the element type.
func.func @integer_reductions(%x: tensor<6x40xi8>, %y: tensor<3x9xui32>, %z: tensor<5x7xi64>) -> (tensor<6x1xi8>, tensor<6x1xi8>, tensor<3x1xui32>, tensor<5x1xi64>, tensor<5x1xi64>) {
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.reduce mean %x over %axis {keepDims = true} : (tensor<6x40xi8>, tensor<1xi64>) -> tensor<6x1xi8>
  %1 = graph.reduce log_sum_exp %x over %axis {keepDims = true} : (tensor<6x40xi8>, tensor<1xi64>) -> tensor<6x1xi8>
  %2 = graph.reduce l2 %y over %axis {keepDims = true} : (tensor<3x9xui32>, tensor<1xi64>) -> tensor<3x1xui32>
  %3 = graph.reduce l2 %z over %axis {keepDims = true} : (tensor<5x7xi64>, tensor<1xi64>) -> tensor<5x1xi64>
  %4 = graph.reduce mean %z over %axis {keepDims = true} : (tensor<5x7xi64>, tensor<1xi64>) -> tensor<5x1xi64>
  return %0, %1, %2, %3, %4 : tensor<6x1xi8>, tensor<6x1xi8>, tensor<3x1xui32>, tensor<5x1xi64>, tensor<5x1xi64>
}

// -----

// Carried values exchange places, one of them through a view.
func.func @loop_exchanges(%x: tensor<5xf32>, %y: tensor<5xf32>, %z: tensor<1x5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<1x5xf32>) {
  %trips = graph.constant dense<4> : tensor<i64>
  %0:3 = graph.loop %trips, %x, %y, %z {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %a: tensor<5xf32>, %b: tensor<5xf32>, %c: tensor<1x5xf32>):
    %flat = graph.constant dense<5> : tensor<1xi64>
    %row = graph.constant dense<[1, 5]> : tensor<2xi64>
    %1 = graph.reshape %c, %flat : (tensor<1x5xf32>, tensor<1xi64>) -> tensor<5xf32>
    %2 = graph.reshape %a, %row : (tensor<5xf32>, tensor<2xi64>) -> tensor<1x5xf32>
    graph.yield %go, %b, %1, %2 : tensor<i1>, tensor<5xf32>, tensor<5xf32>, tensor<1x5xf32>
  } {operandSegmentSizes = array<i32: 1, 0, 3>} : (tensor<i64>, tensor<5xf32>, tensor<5xf32>, tensor<1x5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<1x5xf32>)
  return %0#0, %0#1, %0#2 : tensor<5xf32>, tensor<5xf32>, tensor<1x5xf32>
}

// -----

func.func @scan_along_other_axes(%s: tensor<3xf32>, %t: tensor<3xf32>, %x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>) {
  %0:3 = graph.scan %s, %t, %x {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>):
    %1 = graph.binary min %a, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    graph.yield %b, %1, %a : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  } {inputAxes = array<i64: 1>, inputReverse = array<i1: true>, outputAxes = array<i64: 1>, outputReverse = array<i1: false>, operandSegmentSizes = array<i32: 2, 1>} : (tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>)
  return %0#0, %0#1, %0#2 : tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>
}

// -----

// Zero points on both sides, padding, strides, per-channel rescaling, round half to even.
func.func @integer_convolution(%x: tensor<2x5x9x21xui8>, %w: tensor<6x5x3x3xui8>, %b: tensor<6xi32>) -> (tensor<2x6x9x21xi8>, tensor<2x6x5x11xui8>) {
  %m = graph.constant dense<[1073741824, 2147483647, 5, 1518500250, 0, 1200000000]> : tensor<6xi32>
  %s = graph.constant dense<[40, 42, 1, 38, 7, 62]> : tensor<6xi32>
  %0 = graph.integer_conv %x, %w, %b {inputZeroPoint = 131 : i64, weightZeroPoint = 7 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x5x9x21xui8>, tensor<6x5x3x3xui8>, tensor<6xi32>) -> tensor<2x6x9x21xi32>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = -3 : i64, low = -100 : i64, high = 127 : i64, rounding = 0 : i32} : (tensor<2x6x9x21xi32>, tensor<6xi32>, tensor<6xi32>) -> tensor<2x6x9x21xi8>
  %2 = graph.integer_conv %x, %w {inputZeroPoint = 0 : i64, weightZeroPoint = 255 : i64, strides = array<i64: 2, 2>, pads = array<i64: 1, 0, 1, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x5x9x21xui8>, tensor<6x5x3x3xui8>) -> tensor<2x6x5x11xi32>
  %3 = graph.requantize %2, %m, %s {axis = 1 : i64, to = ui8, inputZeroPoint = 0 : i64, zeroPoint = 200 : i64, low = 3 : i64, high = 255 : i64, rounding = 2 : i32} : (tensor<2x6x5x11xi32>, tensor<6xi32>, tensor<6xi32>) -> tensor<2x6x5x11xui8>
  return %1, %3 : tensor<2x6x9x21xi8>, tensor<2x6x5x11xui8>
}

// -----

func.func @integer_depthwise_and_groups(%x: tensor<1x8x7x19xi8>, %w: tensor<8x1x3x3xi8>, %v: tensor<4x4x1x3xi8>) -> (tensor<1x8x7x19xi32>, tensor<1x4x7x17xi8>) {
  %m = graph.constant dense<1717986918> : tensor<i32>
  %s = graph.constant dense<35> : tensor<i32>
  %0 = graph.integer_conv %x, %w {inputZeroPoint = -128 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 8 : i64} : (tensor<1x8x7x19xi8>, tensor<8x1x3x3xi8>) -> tensor<1x8x7x19xi32>
  %1 = graph.integer_conv %x, %v {inputZeroPoint = 5 : i64, weightZeroPoint = -1 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x8x7x19xi8>, tensor<4x4x1x3xi8>) -> tensor<1x4x7x17xi32>
  %2 = graph.requantize %1, %m, %s {axis = 0 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 4 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i32} : (tensor<1x4x7x17xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4x7x17xi8>
  return %0, %2 : tensor<1x8x7x19xi32>, tensor<1x4x7x17xi8>
}

// -----

func.func @integer_product(%x: tensor<3x37xi8>, %w: tensor<37x21xi8>, %b: tensor<21xi32>, %y: tensor<2x3x37xi16>) -> (tensor<3x21xi8>, tensor<2x3x21xi32>) {
  %m = graph.constant dense<1288490188> : tensor<i32>
  %s = graph.constant dense<41> : tensor<i32>
  %0 = graph.integer_matmul %x, %w, %b {lhsZeroPoint = -7 : i64, rhsZeroPoint = 3 : i64} : (tensor<3x37xi8>, tensor<37x21xi8>, tensor<21xi32>) -> tensor<3x21xi32>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 9 : i64, low = -128 : i64, high = 127 : i64, rounding = 0 : i32} : (tensor<3x21xi32>, tensor<i32>, tensor<i32>) -> tensor<3x21xi8>
  %2 = graph.integer_matmul %y, %w {lhsZeroPoint = 1000 : i64, rhsZeroPoint = 0 : i64} : (tensor<2x3x37xi16>, tensor<37x21xi8>) -> tensor<2x3x21xi32>
  return %1, %2 : tensor<3x21xi8>, tensor<2x3x21xi32>
}

// -----

// Zero points as scalars, per row and per column, of all combinations of types. The second product
// broadcasts matrices.
func.func @byte_products(%x: tensor<3x37xi8>, %w: tensor<37x21xui8>, %zx: tensor<3x1xi8>, %zw: tensor<1x21xui8>, %y: tensor<2x3x37xui8>, %v: tensor<2x37x5xi8>, %zy: tensor<ui8>, %zv: tensor<2x1x5xi8>) -> (tensor<3x21xi32>, tensor<2x3x5xi32>) {
  %0 = graph.byte_matmul %x, %w, %zx, %zw : (tensor<3x37xi8>, tensor<37x21xui8>, tensor<3x1xi8>, tensor<1x21xui8>) -> tensor<3x21xi32>
  %1 = graph.byte_matmul %y, %v, %zy, %zv : (tensor<2x3x37xui8>, tensor<2x37x5xi8>, tensor<ui8>, tensor<2x1x5xi8>) -> tensor<2x3x5xi32>
  return %0, %1 : tensor<3x21xi32>, tensor<2x3x5xi32>
}

// -----

func.func @dynamic_scales(%x: tensor<7x19xf32>, %y: tensor<3xf32>, %z: tensor<f32>) -> (tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) {
  %0, %1 = graph.dynamic_scale %x : (tensor<7x19xf32>) -> (tensor<f32>, tensor<ui8>)
  %2, %3 = graph.dynamic_scale %y : (tensor<3xf32>) -> (tensor<f32>, tensor<ui8>)
  %4, %5 = graph.dynamic_scale %z : (tensor<f32>) -> (tensor<f32>, tensor<ui8>)
  return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>
}

// -----

// Sums in 32 and in 64 bits, subtraction, broadcasting, all three roundings.
func.func @integer_sums(%x: tensor<1x4x5x9xi8>, %y: tensor<1x4x1x9xui8>, %z: tensor<1x4x5x9xi16>) -> (tensor<1x4x5x9xi8>, tensor<1x4x5x9xui8>, tensor<1x4x5x9xi16>, tensor<1x4x5x9xi8>, tensor<1x4x2x5xi32>, tensor<1x4x2x4xi32>) {
  %0 = graph.integer_add %x, %y {to = i8, lhsZeroPoint = -128 : i64, rhsZeroPoint = 128 : i64, lhsMultiplier = 2097151 : i64, rhsMultiplier = 1048577 : i64, shift = 20 : i64, zeroPoint = 3 : i64, low = -128 : i64, high = 127 : i64, rounding = 0 : i32} : (tensor<1x4x5x9xi8>, tensor<1x4x1x9xui8>) -> tensor<1x4x5x9xi8>
  %1 = graph.integer_add %x, %y {to = ui8, lhsZeroPoint = 0 : i64, rhsZeroPoint = 0 : i64, lhsMultiplier = 1 : i64, rhsMultiplier = -1 : i64, shift = 1 : i64, zeroPoint = 3 : i64, low = 0 : i64, high = 255 : i64, rounding = 2 : i32} : (tensor<1x4x5x9xi8>, tensor<1x4x1x9xui8>) -> tensor<1x4x5x9xui8>
  %2 = graph.integer_add %z, %x {to = i16, lhsZeroPoint = 9 : i64, rhsZeroPoint = 1 : i64, lhsMultiplier = 2147483647 : i64, rhsMultiplier = -2147483647 : i64, shift = 31 : i64, zeroPoint = -3 : i64, low = -32768 : i64, high = 32767 : i64, rounding = 1 : i32} : (tensor<1x4x5x9xi16>, tensor<1x4x5x9xi8>) -> tensor<1x4x5x9xi16>
  %m = graph.constant dense<1073741824> : tensor<i32>
  %s = graph.constant dense<36> : tensor<i32>
  %3 = graph.integer_mul %x, %y {lhsZeroPoint = 2 : i64, rhsZeroPoint = 255 : i64} : (tensor<1x4x5x9xi8>, tensor<1x4x1x9xui8>) -> tensor<1x4x5x9xi32>
  %4 = graph.requantize %3, %m, %s {axis = 0 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -128 : i64, high = 127 : i64, rounding = 2 : i32} : (tensor<1x4x5x9xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4x5x9xi8>
  %5 = graph.integer_sum_pool %x {inputZeroPoint = -5 : i64, kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>, ceilMode = false} : (tensor<1x4x5x9xi8>) -> tensor<1x4x2x5xi32>
  %6 = graph.integer_sum_pool %x {inputZeroPoint = 0 : i64, kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false} : (tensor<1x4x5x9xi8>) -> tensor<1x4x2x4xi32>
  return %0, %1, %2, %4, %5, %6 : tensor<1x4x5x9xi8>, tensor<1x4x5x9xui8>, tensor<1x4x5x9xi16>, tensor<1x4x5x9xi8>, tensor<1x4x2x5xi32>, tensor<1x4x2x4xi32>
}

// -----

func.func @tables(%x: tensor<3x67xi8>, %y: tensor<5xui8>) -> (tensor<3x67xi8>, tensor<5xi32>, tensor<3x67xui8>) {
  %t = graph.constant dense<"0x0B30557A9FC4E90E33587DA2C7EC11365B80A5CAEF14395E83A8CDF2173C6186ABD0F51A3F6489AED3F81D42678CB1D6FB20456A8FB4D9FE23486D92B7DC01264B7095BADF04294E7398BDE2072C51769BC0E50A2F54799EC3E80D32577CA1C6EB10355A7FA4C9EE13385D82A7CCF1163B6085AACFF4193E6388ADD2F71C41668BB0D5FA1F44698EB3D8FD22476C91B6DB00254A6F94B9DE03284D7297BCE1062B50759ABFE4092E53789DC2E70C31567BA0C5EA0F34597EA3C8ED12375C81A6CBF0153A5F84A9CEF3183D6287ACD1F61B40658AAFD4F91E43688DB2D7FC21466B90B5DAFF24496E93B8DD02274C7196BBE0052A4F7499BEE3082D52779CC1E6"> : tensor<256xi8>
  %u = graph.constant dense<"0x00000000B179379E62F36E3C136DA6DAC4E6DD787560151726DA4CB5D753845388CDBBF13947F38FEAC02A2E9B3A62CC4CB4996AFD2DD108AEA708A75F214045109B77E3C114AF81728EE61F23081EBED481555C85FB8CFA3675C498E7EEFB36986833D549E26A73FA5BA211ABD5D9AF5C4F114E0DC948ECBE42808A6FBCB7282036EFC6D1AF266582295E0333A395A1E41CCD3F959604DE46103C7CF789731AA803ABB8597DE2560AF719F5BB7051936CEA88311D64C0CFCEDDF76D7F572F0C30D166AAE14A9E4892C4D5E6433E0D85F4B74423A5317CC156ABB35F0725EBFDB89E229C69185A3A1A9291D8CB0BC9767C8500152DFF37B3DE786F518FF2A6EF406CDE8DF1E5152CA25F4DCA53D984680453BC06B5CCF3A466462B4317C062E1C8399A7F79B3D11D2A2D09BCDBA6405A8C2078F83D9AAF96EE13E7349F8D1ED35007567101818D0FB2FAC4AD6374FC4B14EE33EAC5676B8876E1A226275BDAC4D8D41163894E49013AC8809FEB41B83D9CBBEFDB4D35277AFEAE5E18AF2896B660A2CD54111C05F3C2953C91730F742F2489ABCDD502E36B867C1A0A37F651A8E86F894699E9C0E44A63F882FBDC2F21AC5667BF5DD09E5D0E4AD6FBBFC30D9A703D453821B77CD6D230B47483AAEB12342423B1E59D5A4F961792ED4791C98BF80A012AA98438C85AFE6F660B78A704BCF1DEA26D6B16411EE54DDFCF5E857D80D8BC1B3152F4B9E2CB2B58934563F644BF9A94F538D232A6B209D1572C416F08A6780DB91FB0AB6A99E7491B131FE8CC8C56867D068E242E80C5C2DFF9FC60907334FF41ED6B9DF266A33BA3E0DAD9545A127805D44916B64D81B467C7B8521841F0F0C9BA278F7A345F2D2BAE96CBDC27CE698DA105083E1B3DA6EF947444A00EACE25188E38002021B1FB37B52BD64F5895B156FC1F9C6E8F8977762303628DC67D4D9559F728ACFD6103B490EAFECC2454D9D3C7DEB4EB6B489FF2FEC27B0A923C661235B64129D9202C316CAA07490013F250A39DDD683707B87FDA7193877DFB7E9F016569A6A4EF44BE48592FC5DBD30ADD7F4CE5E512C6D0FCB630BC0449BA971BED24722380AE6D3B14184842B792235A5B0C0E61EE85E97981FFD4812579BF98B8E39AA05C6D75B7FFD750CF93414BD726CB26EECA3501F66DBEED0DF128D81594A2B32D381C9E34CB96794C6F005454028A4F6B95F42A73397E058ADCE7E0927061DBAA03DBB6B1A75591C94ACF7CD0DE4957E871B342F0153D2E07A8A7091F4C10E426EF9ACF3E7304BA46168E955DB9F870655D725B7CE0EC46848466219C27D00CA3BB59E7BB5EC3C2C2F24DBDDA85B798E2293173F9CCAB5F0150254A18F39F2520971900383A82EB4FCDFCC6576176B16F04E09C76986A778E3BD45295DF5E3DAD62C828B5064203CCA9BBEED43D35C9EBD0AFB4F374299"> : tensor<256xi32>
  %0 = graph.lookup %x, %t : (tensor<3x67xi8>, tensor<256xi8>) -> tensor<3x67xi8>
  %1 = graph.lookup %y, %u : (tensor<5xui8>, tensor<256xi32>) -> tensor<5xi32>
  %m = graph.constant dense<2> : tensor<i32>
  %s = graph.constant dense<1> : tensor<i32>
  %2 = graph.requantize %x, %m, %s {axis = 0 : i64, to = ui8, inputZeroPoint = -100 : i64, zeroPoint = 0 : i64, low = 9 : i64, high = 77 : i64, rounding = 0 : i32} : (tensor<3x67xi8>, tensor<i32>, tensor<i32>) -> tensor<3x67xui8>
  return %0, %1, %2 : tensor<3x67xi8>, tensor<5xi32>, tensor<3x67xui8>
}

// -----

// A row with an infinite maximum or a NaN gives NaN, also if the template `rows` splits the row.
func.func @softmax_of_special_values(%x: tensor<6x37xf32>, %m: tensor<37xf32>) -> (tensor<6x37xf32>, tensor<6x37xf32>) {
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.binary add %x, %m : (tensor<6x37xf32>, tensor<37xf32>) -> tensor<6x37xf32>
  %1 = graph.reduce max %0 over %axis {keepDims = true} : (tensor<6x37xf32>, tensor<1xi64>) -> tensor<6x1xf32>
  %2 = graph.binary sub %0, %1 : (tensor<6x37xf32>, tensor<6x1xf32>) -> tensor<6x37xf32>
  %3 = graph.unary exp %2 : (tensor<6x37xf32>) -> tensor<6x37xf32>
  %4 = graph.reduce sum %3 over %axis {keepDims = true} : (tensor<6x37xf32>, tensor<1xi64>) -> tensor<6x1xf32>
  %5 = graph.binary div %3, %4 : (tensor<6x37xf32>, tensor<6x1xf32>) -> tensor<6x37xf32>
  return %5, %0 : tensor<6x37xf32>, tensor<6x37xf32>
}

// -----

// A mask of minus infinity, and a row without another element.
func.func @softmax_of_a_masked_row(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %axis = graph.constant dense<1> : tensor<1xi64>
  %mask = graph.constant dense<[[0.0, 0xFF800000, 0.0, 0xFF800000, 0.0], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0.0]]> : tensor<3x5xf32>
  %0 = graph.binary add %x, %mask : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = graph.reduce max %0 over %axis {keepDims = true} : (tensor<3x5xf32>, tensor<1xi64>) -> tensor<3x1xf32>
  %2 = graph.binary sub %0, %1 : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %3 = graph.unary exp %2 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %4 = graph.reduce sum %3 over %axis {keepDims = true} : (tensor<3x5xf32>, tensor<1xi64>) -> tensor<3x1xf32>
  %5 = graph.binary div %3, %4 : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  return %5 : tensor<3x5xf32>
}

// -----

// Infinities, NaN and arguments whose exponential overflows.
func.func @sigmoid_of_specials(%x: tensor<5x23xf32>, %y: tensor<9xf64>) -> (tensor<5x23xf32>, tensor<5x23xf32>, tensor<9xf64>) {
  %0 = graph.unary sigmoid %x : (tensor<5x23xf32>) -> tensor<5x23xf32>
  %1 = graph.unary tanh %x : (tensor<5x23xf32>) -> tensor<5x23xf32>
  %2 = graph.unary sigmoid %y : (tensor<9xf64>) -> tensor<9xf64>
  return %0, %1, %2 : tensor<5x23xf32>, tensor<5x23xf32>, tensor<9xf64>
}

// -----

// The results have vectors of different lengths, and one row is the whole range.
func.func @pool_with_indices(%x: tensor<1x1x17xf32>) -> (tensor<1x1x16xf32>, tensor<1x1x16xi64>) {
  %y, %i = graph.max_pool %x {ceilMode = false, columnMajor = false, dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 0, 1>, strides = array<i64: 1>} : (tensor<1x1x17xf32>) -> (tensor<1x1x16xf32>, tensor<1x1x16xi64>)
  return %y, %i : tensor<1x1x16xf32>, tensor<1x1x16xi64>
}

// -----

// The sum of a row and k would overflow.
func.func @triangle_beyond_matrix(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %most = graph.constant dense<9223372036854775807> : tensor<i64>
  %least = graph.constant dense<-9223372036854775808> : tensor<i64>
  %0 = graph.trilu %x, %most {upper = false} : (tensor<3x4xf32>, tensor<i64>) -> tensor<3x4xf32>
  %1 = graph.trilu %x, %most {upper = true} : (tensor<3x4xf32>, tensor<i64>) -> tensor<3x4xf32>
  %2 = graph.trilu %x, %least {upper = false} : (tensor<3x4xf32>, tensor<i64>) -> tensor<3x4xf32>
  %3 = graph.trilu %x, %least {upper = true} : (tensor<3x4xf32>, tensor<i64>) -> tensor<3x4xf32>
  return %0, %1, %2, %3 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}
