// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The depthwise template: its configuration.

#ifndef CONVOY_KERNELS_DEPTHWISE_TD
#define CONVOY_KERNELS_DEPTHWISE_TD

include "Kernels/Kernel.td"

def Kernel_DepthwiseAttr : Kernel_NumbersAttr<"Depthwise", "depthwise"> {
  let summary = "Depthwise convolution, one input channel per output channel, in strips of a row";
  let description = [{
    A strip of `pixels` accumulators of one channel block stays in registers while the loops run
    over the rows of taps. No parameter changes the order of summation.

    ```
    for task:                        # one step of the range: rows of one channel block
      for row: for strip of pixels
        for kh: for input column: for each pixel with a tap on it
          acc[pixel] += w[kh][kw] * x
    ```

    Takes kernels whose weights have blocks of one input channel and whose input and result are
    blocked. The code loads each input column once per strip and row of taps and resolves padding as
    `convoy-kernels-lower-conv-direct` does. 8-bit integers are summed in i32 with the instructions
    that `dot` selects.

    ```mlir
    task.kernel @conv_0(%x: tensor<1x64x56x56xf32, #graph.blocked<c = 16>>,      // before
        %w: tensor<64x1x3x3xf32, #kernel.conv_weights<o = 16, i = 1, transposed = false>>)
        -> tensor<1x64x56x56xf32, #graph.blocked<c = 16>>
        attributes {config = #kernel.depthwise<...>}

    task.kernel @conv_0(%x: memref<200704xf32>, %w: memref<576xf32>,             // after
                              %y: memref<200704xf32>, %begin: index, %end: index)
        attributes {range = 8 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$block,    // channels per block: the vector lanes of the target
    "int64_t":$pixels,   // maximum number of pixels per strip
    "int64_t":$held,     // rows of taps whose weights stay in registers: 0, 1 or all
    "int64_t":$rows);    // rows per task
  let fromZero = ["held"];
}

#endif // CONVOY_KERNELS_DEPTHWISE_TD
