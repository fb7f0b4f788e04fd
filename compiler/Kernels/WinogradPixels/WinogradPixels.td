// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The winograd_pixels template: its configuration.

#ifndef CONVOY_KERNELS_WINOGRAD_PIXELS_TD
#define CONVOY_KERNELS_WINOGRAD_PIXELS_TD

include "Kernels/Kernel.td"

def Kernel_WinogradPixelsAttr : Kernel_NumbersAttr<"WinogradPixels", "winograd_pixels"> {
  let summary = "Convolution by the Winograd algorithm with lanes along the tiles of several rows";
  let description = [{
    For targets whose vectors are longer than a layer has channels. Input and result are planar. The
    tiles of a band of rows form one vector: one load from a copy of the band, as in conv_pixels,
    reads the same pixel of all tiles. Only `tile` changes how one element is rounded.

    ```
    for band of tiles:             # one step, if parts = 1
      copy the input of the band and transform it
      for group of output channels
        for frequency: for input channel
          acc[channels] += weights[channels] * input
        transform the products of the group, interleave columns, epilogue, store
    ```

    If there are few bands, the tasks of a band share its transformed input: `parts` is above 1, and
    a band is three rounds of `parts` steps (input channels, groups and frequencies, output
    channels). No task then repeats the work of another one.

    Takes kernels whose input and result are planar and whose weights are transformed. Needs scratch
    memory for the transformed input of a band and the products of a group, or of all groups if tasks
    share a band, and for the copied input of a channel. Tiles that cross the edge of the input read zeros. Tiles that cross the edge of the
    result are clipped.

    ```mlir
    task.kernel @conv_0(%x: tensor<1x64x56x56xf32>,                              // before
        %w: tensor<64x64x3x3xf32, #kernel.winograd_weights<tile = 4, o = 3, panels = 1>>)
        -> tensor<1x64x56x56xf32>
        attributes {config = #kernel.winograd_pixels<...>}

    task.kernel @conv_0(%x: memref<200704xf32>, %w: memref<152064xf32>,          // after
                              %y: memref<200704xf32>, %s: memref<2621440xi8>,
                              %begin: index, %end: index)
        attributes {range = 22 : i64, scratch = 2621440 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$lanes,    // tiles per vector
    "int64_t":$tile,     // 2 or 4
    "int64_t":$channels, // output channels per group
    "int64_t":$rows,     // rows of tiles per band
    "int64_t":$parts,    // tasks of a round that share a band, or 1
    "int64_t":$unroll);  // input channels unrolled in the innermost loop
  let products = "channels * unroll";
  let check = [{
    if (!llvm::isPowerOf2_64(static_cast<uint64_t>(lanes))) {
      return emitError() << "expects lanes to be a power of two, got " << lanes;
    }
  }];
}

#endif // CONVOY_KERNELS_WINOGRAD_PIXELS_TD
