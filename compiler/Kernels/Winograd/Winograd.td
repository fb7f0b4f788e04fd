// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The winograd template: its configuration, and the weight layout that winograd_pixels also uses.

#ifndef CONVOY_KERNELS_WINOGRAD_TD
#define CONVOY_KERNELS_WINOGRAD_TD

include "Kernels/Kernel.td"

def Kernel_WinogradAttr : Kernel_NumbersAttr<"Winograd", "winograd"> {
  let summary = "Convolution with 3 x 3 filters at stride 1 by the Winograd algorithm";
  let description = [{
    The template computes tiles of `tile` x `tile` results from products at (tile + 2)^2
    frequencies. This takes 2.25 (tile 2) or 4 (tile 4) times fewer multiplications than direct
    convolution. Only `tile` and `depth` change how one element is rounded.

    ```
    for task:                      # one step of the range: a run of tiles, a chunk of panels
      transform the input of the tiles, unless the previous task did
      for frequency: for panel: for pass of depth channels: for group of tiles
        acc[vectors][pixels] += weights[vectors] * input[pixels]
      transform the products of the chunk, epilogue, store
    ```

    On a machine with long vectors, a layer with few tasks has a range of three rounds instead (input
    transforms, products, output transforms), whose tasks share the scratch memory. No task then
    repeats the work of another one.

    Takes kernels whose input and result are blocked and whose weights are transformed. Needs
    scratch memory for the transformed input and the products of a task. Tiles that cross the edge
    of the input are padded with zeros. Tiles that cross the edge of the result are clipped.

    ```mlir
    task.kernel @conv_0(%x: tensor<1x64x56x56xf32, #graph.blocked<c = 16>>,      // before
        %w: tensor<64x64x3x3xf32, #kernel.winograd_weights<tile = 4, o = 32, panels = 2>>)
        -> tensor<1x64x56x56xf32, #graph.blocked<c = 16>>
        attributes {config = #kernel.winograd<...>}

    task.kernel @conv_0(%x: memref<200704xf32>, %w: memref<147456xf32>,          // after
                              %y: memref<200704xf32>, %s: memref<262656xi8>,
                              %begin: index, %end: index)
        attributes {range = 14 : i64, scratch = 262656 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$block,    // channels per block: the vector lanes of the target
    "int64_t":$tile,     // 2 or 4
    "int64_t":$vectors,  // blocks of output channels per panel
    "int64_t":$pixels,   // maximum number of tiles per group
    "int64_t":$groups,   // groups of tiles per task
    "int64_t":$panels,   // panels per task
    "int64_t":$depth,    // input channels per pass, a multiple of the block
    "int64_t":$unroll);  // channels unrolled in the innermost loop
  let products = "vectors * pixels * std::min(unroll, block)";
  let check = [{
    if (depth % block != 0) {
      return emitError() << "expects depth to be a multiple of block = " << block << ", got " << depth;
    }
  }];
}

def Kernel_WinogradWeightsAttr : Kernel_Attr<"WinogradWeights", "winograd_weights",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "Transformed 3 x 3 weights: [O/(o*panels)][frequency][panels][I][o]";
  let description = [{
    For f32 weights O x I x 3 x 3. A kernel reads a chunk of `panels` sequentially. Output channels
    are padded with zeros to whole chunks.
  }];
  let parameters = (ins "int64_t":$tile, "int64_t":$o, "int64_t":$panels);
}

#endif // CONVOY_KERNELS_WINOGRAD_TD
