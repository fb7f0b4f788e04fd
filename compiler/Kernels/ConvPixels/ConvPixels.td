// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_pixels template: its configuration.

#ifndef CONVOY_KERNELS_CONV_PIXELS_TD
#define CONVOY_KERNELS_CONV_PIXELS_TD

include "Kernels/Kernel.td"

def Kernel_ConvPixelsAttr : Kernel_NumbersAttr<"ConvPixels", "conv_pixels"> {
  let summary = "Convolution with lanes along the pixels of several rows";
  let description = [{
    For targets whose vectors are longer than a layer has channels. Input and result are planar. If
    the convolution is pointwise, all pixels are one row of lanes (`rows` = 0). Otherwise a task
    copies the input of a band of rows with its padding, so that each tap is a fixed distance in
    memory. No parameter changes the order of summation.

    ```
    for task:                        # one step of the range: a group of output channels of a band
      copy the input of the band
      for tile of output channels: for vector of pixels
        for channel: for kh: for kw
          acc[channels] += w[channels] * x
    ```

    Takes kernels whose weights have blocks of one input channel and whose input and result are
    planar. Needs scratch memory if windows overlap.

    ```mlir
    task.kernel @conv_0(%x: tensor<1x64x56x56xf32>,                              // before
        %w: tensor<64x64x3x3xf32, #kernel.conv_weights<o = 3, i = 1, transposed = false>>)
        -> tensor<1x64x56x56xf32>
        attributes {config = #kernel.conv_pixels<...>}

    task.kernel @conv_0(%x: memref<200704xf32>, %w: memref<38016xf32>,           // after
                              %y: memref<200704xf32>, %scratch: memref<98304xi8>,
                              %begin: index, %end: index)
        attributes {range = 14 : i64, scratch = 98304 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$lanes,    // pixels per vector
    "int64_t":$channels, // output channels per tile
    "int64_t":$rows,     // output rows per band; 0: all pixels in place
    "int64_t":$unroll);  // input channels unrolled in the innermost loop
  let fromZero = ["rows"];
  let products = "channels * unroll";
}

#endif // CONVOY_KERNELS_CONV_PIXELS_TD
