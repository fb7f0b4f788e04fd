// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A 3 x 3 convolution of ResNet-50 as a named op on NHWC images: 56 x 56 pixels, 64 to 64 channels. The
// caller pads the input by one pixel. The result is the inside of the padded input of the next
// convolution. schedule.mlir lowers it; bench/linalg/run replaces NAME.
!input = memref<1x58x58x64xf32>
!weights = memref<3x3x64x64xf32>
!output = memref<1x56x56x64xf32, strided<[215296, 3712, 64, 1], offset: 3776>>
func.func @NAME(%x: !input, %w: !weights, %y: !output) {
  %image = bufferization.to_tensor %x restrict : !input
  %filter = bufferization.to_tensor %w restrict : !weights
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x56x56x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%image, %filter : tensor<1x58x58x64xf32>, tensor<3x3x64x64xf32>)
      outs(%init : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<1x56x56x64xf32>, !output) -> ()
  return
}
