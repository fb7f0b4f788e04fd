// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_direct template: its configuration, and the weight layout that conv_pixels and depthwise
// also use.

#ifndef CONVOY_KERNELS_CONV_DIRECT_TD
#define CONVOY_KERNELS_CONV_DIRECT_TD

include "Kernels/Kernel.td"

def Kernel_ConvDirectAttr : Kernel_NumbersAttr<"ConvDirect", "conv_direct"> {
  let summary = "Direct convolution or product with a constant matrix, in register tiles";
  let description = [{
    A tile of `vectors` x `pixels` accumulators stays in registers while the innermost loops run
    over input channels. Only `depth` changes how one element is rounded, because partial sums are
    stored to memory between passes.

    ```
    for task:                        # one step of the range: rows x panels
      for panel: for pass of depth channels: for row: for tile of pixels
        for block of channels: for kh: for kw: for channel
          acc[vectors][pixels] += w[vectors] * x[pixels]
    ```

    Takes kernels whose weights have the layout of that configuration and whose result is blocked.
    Column padding is resolved at compile time, row padding by loop bounds; no data is copied.
    If the groups of a convolution are not whole blocks of channels, the code computes them as one
    group. A panel then reads only the blocks of input channels of its own groups
    (`Core/GroupWindows.h`), and weights between groups are zero.

    ```mlir
    task.kernel @conv_0(%x: tensor<1x64x56x56xf32, #graph.blocked<c = 16>>,      // before
        %w: tensor<64x64x3x3xf32, #kernel.conv_weights<o = 32, i = 16, transposed = false>>)
        -> tensor<1x64x56x56xf32, #graph.blocked<c = 16>>
        attributes {config = #kernel.conv_direct<...>}

    task.kernel @conv_0(%x: memref<200704xf32>, %w: memref<36864xf32>,           // after
                              %y: memref<200704xf32>, %begin: index, %end: index)
        attributes {range = 8 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$block,    // channels per block: the vector lanes of the target
    "int64_t":$vectors,  // blocks of output channels per tile
    "int64_t":$pixels,   // maximum number of pixels per tile
    "int64_t":$depth,    // input channels per pass
    "int64_t":$unroll,   // channels unrolled in the innermost loop
    "int64_t":$columns,  // pixels per row after joining rows, or rows of a part of a matrix; 0:
                         // rows are not joined and a matrix is not split
    "int64_t":$rows,     // rows per task
    "int64_t":$panels,   // tiles of output channels per task
    "int64_t":$fetch,    // cache lines of the next pass's weights prefetched per innermost step
    "bool":$fetchResult); // prefetch the result and the added operands of a tile before its sums
  let fromZero = ["columns", "fetch"];
  let products = "vectors * pixels * std::min(unroll, block)";
}

def Kernel_ConvWeightsAttr : Kernel_Attr<"ConvWeights", "conv_weights",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "Weights in panels: [O/o][I/i][spatial...][i][o]";
  let description = [{
    For weights O x I x spatial. Both blocks are padded with zeros. If `transposed` is set, the
    tensor is the I x O matrix of a product. If `groups` is not 1, the weights are those of a
    convolution with groups that a kernel computes as one. A panel contains the blocks of input
    channels that its output channels read (`Core/GroupWindows.h`). All panels have the size of the
    largest one, and weights between groups are zero.
  }];
  let parameters = (ins "int64_t":$o, "int64_t":$i, "bool":$transposed,
                        DefaultValuedParameter<"int64_t", "1">:$groups);
  let builders = [AttrBuilder<(ins "int64_t":$o, "int64_t":$i, "bool":$transposed),
                              "return $_get($_ctxt, o, i, transposed, /*groups=*/1);">];
}

#endif // CONVOY_KERNELS_CONV_DIRECT_TD
