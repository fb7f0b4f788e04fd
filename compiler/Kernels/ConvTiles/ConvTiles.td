// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_tiles template: its configuration.

#ifndef CONVOY_KERNELS_CONV_TILES_TD
#define CONVOY_KERNELS_CONV_TILES_TD

include "Kernels/Kernel.td"

def Kernel_ConvTilesAttr : Kernel_ConfigAttr<"ConvTiles", "conv_tiles"> {
  let summary = "Integer convolution on tile registers, with 64 input channels per product";
  let description = [{
    A task first copies the input of a band of rows with its padding, so that 64 channels of a pixel
    are contiguous. A tile of input is then 16 pixels x 64 channels, and a tile of weights is 64
    input channels x 16 output channels. Sums are the same as in conv_dot. No parameter changes the
    result.

    ```
    for task:                        # one step of the range: a band of rows, a chunk of panels
      copy the input of the band
      for vectors panels: for a group of tiles of pixels
        for 64 channels: for kh: for kw
          acc[vectors][tiles] += w[vectors] . x[tiles]
        requantize the sums and store them
    ```

    Takes an integer convolution whose weights have the layout of that configuration, followed by
    requantization. Needs scratch memory for the tile configuration, the sums and the copied input.
    Each function configures the tile registers when it starts and releases them when it ends.

    ```mlir
    task.kernel @conv_0(%x: tensor<1x64x56x56xui8, #graph.blocked<c = 16>>,      // before
        %w: tensor<64x64x3x3xi8, #kernel.dot_weights<o = 16, i = 64, ...>>, ...)
        -> tensor<1x64x56x56xui8, #graph.blocked<c = 16>>
        attributes {config = #kernel.conv_tiles<...>}

    task.kernel @conv_0(%x: memref<200704xi8>, %w: memref<37120xi8>, ...,        // after
                              %y: memref<200704xi8>, %scratch: memref<49216xi8>,
                              %begin: index, %end: index)
        attributes {range = 14 : i64, scratch = 49216 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$block,    // channels per block: the i32 lanes of the target
    "int64_t":$tiles,    // tiles of pixels that share tiles of weights
    "int64_t":$vectors,  // blocks of output channels, one tile of weights each
    "int64_t":$rows,     // output rows per band
    "int64_t":$panels);  // blocks of output channels per task
}

#endif // CONVOY_KERNELS_CONV_TILES_TD
