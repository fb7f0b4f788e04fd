// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_dot template: its configuration, and the weight layout that conv_tiles also uses.

#ifndef CONVOY_KERNELS_CONV_DOT_TD
#define CONVOY_KERNELS_CONV_DOT_TD

include "Kernels/Kernel.td"

def Kernel_ConvDotAttr : Kernel_ConfigAttr<"ConvDot", "conv_dot"> {
  let summary = "Integer convolution or product with a constant matrix, with four channels per lane";
  let description = [{
    Like conv_direct, on bytes: each lane of a vector sums the products of four input channels. The
    code treats input bytes as unsigned and weights as signed. The resulting correction is one
    number per output channel, which is stored with the weights (`dot_weights`). A 16-bit input is
    two bytes, each with sums of its own, which are joined at the end. If the weights have zero
    points, a task first computes the sums of the inputs of its pixels and subtracts them times the
    zero points at the end. No parameter changes the result.

    ```
    for task:                        # one step of the range: rows x panels
      for panel: for row: for tile of pixels      # or rows first
        for block of channels: for kh: for kw: for four channels
          acc[vectors][pixels] += w[vectors] . x[pixels]
    ```

    The lowering takes kernels with `config =
    #kernel.conv_dot<...>`: an integer convolution or product whose weights have the layout of
    that configuration, followed by requantization. The lowering gives functions on flat memory,
    as `convoy-kernels-lower-loops` does. Sums use the instructions that `dot` selects: `bytes`
    needs VNNI; `pairs` needs SSE2, AVX2 or AVX-512 BW, depending on the block; `none` needs no
    extension. All three give the same bits.

    ```mlir
    task.kernel @conv_0(%x: tensor<1x64x56x56xui8, #graph.blocked<c = 16>>,      // before
        %w: tensor<64x64x3x3xi8, #kernel.dot_weights<o = 32, i = 16, ...>>, ...)
        -> tensor<1x64x56x56xui8, #graph.blocked<c = 16>>
        attributes {config = #kernel.conv_dot<...>}

    task.kernel @conv_0(%x: memref<200704xi8>, %w: memref<37120xi8>, ...,        // after
                              %y: memref<200704xi8>, %begin: index, %end: index)
        attributes {range = 8 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$block,    // channels per block: the i32 lanes of the target
    "int64_t":$vectors,  // blocks of output channels per tile
    "int64_t":$pixels,   // maximum number of pixels per tile
    "int64_t":$columns,  // pixels per row after joining rows; 0: rows are not joined
    "int64_t":$rows,     // rows per task
    "int64_t":$panels,   // tiles of output channels per task
    // Steps of `depth` channels that are unrolled; 0: all steps of a block of channels.
    DefaultValuedParameter<"int64_t", "0">:$unroll,
    // Compute all panels of a row before the next row, otherwise all rows of a panel.
    DefaultValuedParameter<"bool", "false">:$rowsFirst,
    // Do not prefetch the pixels of the next block of channels of a convolution with one tap.
    DefaultValuedParameter<"bool", "false">:$noFetch);
}

def Kernel_DotWeightsAttr : Kernel_Attr<"DotWeights", "dot_weights",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "8-bit weights in panels: [O/o]([o of i32] [I/i][spatial...][i/d][o][d])";
  let description = [{
    For weights O x I x spatial, or for the I x O matrix of a product if `transposed` is set. A
    panel starts with one i32 per output channel: the sum of its weights times -`offset`. `offset`
    is the unsigned input byte that represents zero, or -1 for 16-bit inputs. Unsigned weights are
    stored minus 128. Both blocks are padded with zeros. `depth` (d) is the number of input
    channels that a step of the multiply sums. If `ones` is set, the panel after the last one has
    the weight 1 for every input channel and tap. Its sums are the sums of the inputs, by which
    kernels correct a zero point of the weights.
  }];
  let parameters = (ins "int64_t":$o, "int64_t":$i, "bool":$transposed, "int64_t":$offset,
                        DefaultValuedParameter<"int64_t", "4">:$depth,
                        DefaultValuedParameter<"bool", "false">:$ones);
}

#endif // CONVOY_KERNELS_CONV_DOT_TD
