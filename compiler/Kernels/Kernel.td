// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel dialect: which template lowers a kernel, with what settings, and in
// what order its weights lie. Attributes only.

#ifndef CONVOY_KERNELS_KERNEL_TD
#define CONVOY_KERNELS_KERNEL_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "Graph/Layout.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::convoy::kernels";
  let summary = "Configurations of kernel templates and the weight layouts they read";
  let useDefaultAttributePrinterParser = 1;
}

class Kernel_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Kernel_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
}

/// The configuration of a template. Text of one may come from a file, so a verifier
/// keeps numbers out that no code can be made for.
class Kernel_ConfigAttr<string name, string attrMnemonic> : Kernel_Attr<name, attrMnemonic> {
  let genVerifyDecl = 1;
}

def Kernel_OffloadAttr : Kernel_Attr<"Offload", "offload"> {
  let summary = "A device runs the kernel; its first operand is the program, once there is one";
  let description = [{
    Place puts it on regions. The body keeps their meaning, also when the program is
    there: `program` says so.
  }];
  let parameters = (ins StringRefParameter<"target of the device">:$device,
                        DefaultValuedParameter<"bool", "false">:$program);
}

def Kernel_ConvDirectAttr : Kernel_ConfigAttr<"ConvDirect", "conv_direct"> {
  let summary = "Direct convolution and product with a constant matrix, by register tiles";
  let description = [{
    A tile of `vectors` x `pixels` accumulators stays in registers while input
    channels pass by. Nothing here changes the order of summation of one element
    but `depth`, which rounds partial sums to memory in between.

    ```
    for task:                        # rows x panels of one task; the range
      for panel: for pass of depth channels: for row: for tile of pixels
        for block of channels: for kh: for kw: for channel
          acc[vectors][pixels] += w[vectors] * x[pixels]
    ```
  }];
  let parameters = (ins
    "int64_t":$block,    // channels of a block: the vector of the target
    "int64_t":$vectors,  // blocks of output channels in a tile
    "int64_t":$pixels,   // most pixels in a tile
    "int64_t":$depth,    // input channels of one pass
    "int64_t":$unroll,   // channels unrolled in the innermost loop
    "int64_t":$columns,  // pixels of a row that a task takes together; 0: as the output has it
    "int64_t":$rows,     // rows of one task
    "int64_t":$panels,   // tiles of output channels of one task
    "int64_t":$fetch,    // cache lines of the next pass's weights fetched per innermost step
    "bool":$fetchResult); // fetch what a tile will write and add before it is summed
}

def Kernel_ConvDotAttr : Kernel_ConfigAttr<"ConvDot", "conv_dot"> {
  let summary = "Integer convolution and product with a constant matrix, four channels to a lane";
  let description = [{
    As conv_direct, on bytes: a lane of a vector takes the products of four input
    channels at once. Input bytes count as unsigned, weights as signed; what that adds
    is a number per output channel, which the weights hold (`dot_weights`). Nothing
    here changes a bit of the result.

    ```
    for task:                        # rows x panels of one task; the range
      for panel: for row: for tile of pixels
        for block of channels: for kh: for kw: for four channels
          acc[vectors][pixels] += w[vectors] . x[pixels]
    ```
  }];
  let parameters = (ins
    "int64_t":$block,    // channels of a block: the i32 lanes of the target
    "int64_t":$vectors,  // blocks of output channels in a tile
    "int64_t":$pixels,   // most pixels in a tile
    "int64_t":$columns,  // pixels of a row that a task takes together; 0: as the output has it
    "int64_t":$rows,     // rows of one task
    "int64_t":$panels);  // tiles of output channels of one task
}

def Kernel_ConvTilesAttr : Kernel_ConfigAttr<"ConvTiles", "conv_tiles"> {
  let summary = "Integer convolution on tile registers, 64 input channels at once";
  let description = [{
    The input of a band of rows is copied with its padding, 64 channels of a pixel side
    by side; then 16 pixels are a tile, and 64 input by 16 output channels of weights
    another. Sums are those of conv_dot. Nothing here changes a bit of the result.

    ```
    for task:                        # a band of rows and a chunk of panels; the range
      copy the input of the band
      for vectors panels: for a group of tiles of pixels
        for 64 channels: for kh: for kw
          acc[vectors][tiles] += w[vectors] . x[tiles]
        rescale the sums, store      # of the band together where rows have gaps
    ```
  }];
  let parameters = (ins
    "int64_t":$block,    // channels of a block: the i32 lanes of the target
    "int64_t":$tiles,    // tiles of pixels that share tiles of weights
    "int64_t":$vectors,  // blocks of output channels, one tile of weights each
    "int64_t":$rows,     // output rows of a band
    "int64_t":$panels);  // blocks of output channels of one task
}

def Kernel_DepthwiseAttr : Kernel_ConfigAttr<"Depthwise", "depthwise"> {
  let summary = "Depthwise convolution, one channel to one channel, by strips of a row";
  let description = [{
    A strip of `pixels` accumulators of one block of channels stays in registers
    while the rows of taps pass by. Nothing here changes the order of summation.

    ```
    for task:                        # rows of one block of channels; the range
      for row: for strip of pixels
        for kh: for input column: for each pixel that it is a tap of
          acc[pixel] += w[kh][kw] * x
    ```
  }];
  let parameters = (ins
    "int64_t":$block,    // channels of a block: the vector of the target
    "int64_t":$pixels,   // most pixels in a strip
    "int64_t":$held,     // rows of taps whose weights stay in registers: 0, 1 or all
    "int64_t":$rows);    // rows of one task
}

def Kernel_ConvPixelsAttr : Kernel_ConfigAttr<"ConvPixels", "conv_pixels"> {
  let summary = "Convolution with lanes along the pixels of several rows";
  let description = [{
    For vectors that are longer than a layer has channels. Input and result are
    planar. Where each pixel reads one pixel at its place, all of them are one row of
    lanes (`rows` = 0); else the input of a band of rows is copied with its padding, so
    that a tap is a distance in memory. Nothing here changes the order of summation.

    ```
    for task:                        # a band of rows, or channels where rows = 0; the range
      copy the input of the band
      for tile of output channels: for vector of pixels
        for channel: for kh: for kw
          acc[channels] += w[channels] * x
    ```
  }];
  let parameters = (ins
    "int64_t":$lanes,    // pixels of a vector
    "int64_t":$channels, // output channels in a tile
    "int64_t":$rows,     // output rows of a band; 0: all pixels, in place
    "int64_t":$unroll);  // input channels unrolled in the innermost loop
}

def Kernel_PoolPixelsAttr : Kernel_ConfigAttr<"PoolPixels", "pool_pixels"> {
  let summary = "Max pool with lanes along the pixels of several rows";
  let description = [{
    As conv_pixels, on one plane after the other; what is around the input is the
    lowest value.

    ```
    for task:                        # a band of rows of a plane; the range
      copy the input of the band
      for vector of pixels
        for kh: for kw
          acc = max(acc, x)
    ```
  }];
  let parameters = (ins
    "int64_t":$lanes,    // pixels of a vector
    "int64_t":$rows);    // output rows of a band
}

def Kernel_ConvWeightsAttr : Kernel_Attr<"ConvWeights", "conv_weights",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "Weights by panels: [O/o][I/i][spatial...][i][o]";
  let description = [{
    For weights O x I x spatial. Both blocks are padded with zeros. With
    `transposed` the tensor is the I x O matrix of a product.
  }];
  let parameters = (ins "int64_t":$o, "int64_t":$i, "bool":$transposed);
}

def Kernel_DotWeightsAttr : Kernel_Attr<"DotWeights", "dot_weights",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "Weights of 8 bits by panels: [O/o]([o of i32] [I/i][spatial...][i/4][o][4])";
  let description = [{
    For weights O x I x spatial, or with `transposed` the I x O matrix of a product. A
    panel begins with one i32 per output channel: the sum of its weights times
    -`offset`, which is what an input byte holds where it stands for zero. Unsigned
    weights are stored less 128. All is padded with zeros to whole blocks.
  }];
  let parameters = (ins "int64_t":$o, "int64_t":$i, "bool":$transposed, "int64_t":$offset);
}

def Kernel_WinogradAttr : Kernel_ConfigAttr<"Winograd", "winograd"> {
  let summary = "Convolution by 3 x 3 filters at stride 1 with fewer multiplications";
  let description = [{
    Tiles of `tile` x `tile` results are found from products at (tile + 2)^2
    frequencies: 4 or 2.25 times fewer multiplications than directly. Nothing here
    but `tile` and `depth` changes how one element is rounded.

    ```
    for task:                      # a run of tiles and a chunk of panels; the range
      transform the input of the tiles, unless the task before has
      for frequency: for panel: for pass of depth channels: for group of tiles
        acc[vectors][pixels] += weights[vectors] * input[pixels]
      transform the products of the chunk, epilogue, store
    ```
  }];
  let parameters = (ins
    "int64_t":$block,    // channels of a block: the vector of the target
    "int64_t":$tile,     // 2 or 4
    "int64_t":$vectors,  // blocks of output channels in a panel
    "int64_t":$pixels,   // most tiles in a group: what the accumulators hold
    "int64_t":$groups,   // groups of tiles of one task
    "int64_t":$panels,   // panels of one task
    "int64_t":$depth,    // input channels of one pass, a multiple of the block
    "int64_t":$unroll);  // channels unrolled in the innermost loop
}

def Kernel_WinogradPixelsAttr : Kernel_ConfigAttr<"WinogradPixels", "winograd_pixels"> {
  let summary = "As winograd, with lanes along the tiles of several rows";
  let description = [{
    For vectors that are longer than a layer has channels. Input and result are planar.
    The tiles of a band of rows are one vector: a pixel of all of them is one load
    from a copy of the band, as in conv_pixels. Nothing here but `tile` changes how one
    element is rounded.

    ```
    for task:                      # a band of tiles and a chunk of output channels; the range
      copy the input of the band and transform it, unless the task before has
      for group of output channels
        for frequency: for input channel
          acc[channels] += weights[channels] * input
        transform the products of the group, put columns in order, epilogue, store
    ```
  }];
  let parameters = (ins
    "int64_t":$lanes,    // tiles of a vector
    "int64_t":$tile,     // 2 or 4
    "int64_t":$channels, // output channels in a group: what the accumulators hold
    "int64_t":$rows,     // rows of tiles of a band
    "int64_t":$groups,   // groups of one task
    "int64_t":$unroll);  // input channels unrolled in the innermost loop
}

def Kernel_WinogradWeightsAttr : Kernel_Attr<"WinogradWeights", "winograd_weights",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "Transformed 3 x 3 weights: [O/(o*panels)][frequency][panels][I][o]";
  let description = [{
    For weights O x I x 3 x 3 of f32. A chunk of `panels` is read front to back.
    Output channels are padded with zeros to whole chunks.
  }];
  let parameters = (ins "int64_t":$tile, "int64_t":$o, "int64_t":$panels);
}

#endif // CONVOY_KERNELS_KERNEL_TD
