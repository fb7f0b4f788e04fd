// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The convolution of conv.mlir with weights that are packed for a tile of 32 channels, so that a tile
// reads them in order. Linalg has no named op for this layout. schedule_packed.mlir lowers it.
!input = memref<58x58x64xf32>
!weights = memref<2x3x3x64x32xf32>
!output = memref<2x56x56x32xf32, strided<[32, 3712, 64, 1], offset: 3776>>
#x = affine_map<(block, oh, ow, f, kh, kw, c) -> (oh + kh, ow + kw, c)>
#w = affine_map<(block, oh, ow, f, kh, kw, c) -> (block, kh, kw, c, f)>
#y = affine_map<(block, oh, ow, f, kh, kw, c) -> (block, oh, ow, f)>
func.func @NAME(%x: !input, %w: !weights, %y: !output) {
  %image = bufferization.to_tensor %x restrict : !input
  %filter = bufferization.to_tensor %w restrict : !weights
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x56x56x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x56x56x32xf32>) -> tensor<2x56x56x32xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%image, %filter : tensor<58x58x64xf32>, tensor<2x3x3x64x32xf32>) outs(%init : tensor<2x56x56x32xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %product = arith.mulf %a, %b : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
  } -> tensor<2x56x56x32xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<2x56x56x32xf32>, !output) -> ()
  return
}
