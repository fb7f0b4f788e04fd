// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel dialect: attributes that select the template of a kernel, its configuration, and the
// layout of its weights. The dialect has no ops.

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
  let hasOperationAttrVerify = 1;
}

class Kernel_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Kernel_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
}

/// The configuration of a template. Its text may come from a file, so the verifier rejects numbers
/// for which no code can be generated.
class Kernel_ConfigAttr<string name, string attrMnemonic> : Kernel_Attr<name, attrMnemonic> {
  let genVerifyDecl = 1;
}

def Kernel_OffloadAttr : Kernel_Attr<"Offload", "offload"> {
  let summary = "The kernel runs on a device; its first operand is the device program, if it exists";
  let description = [{
    The place stage sets this attribute on the regions of a device. `program` states whether the
    program exists. The body keeps the semantics of the region, with or without a program.
  }];
  let parameters = (ins StringRefParameter<"target of the device">:$device,
                        DefaultValuedParameter<"bool", "false">:$program);
}

def Kernel_ConvDirectAttr : Kernel_ConfigAttr<"ConvDirect", "conv_direct"> {
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
  }];
  let parameters = (ins
    "int64_t":$block,    // channels per block: the vector lanes of the target
    "int64_t":$vectors,  // blocks of output channels per tile
    "int64_t":$pixels,   // maximum number of pixels per tile
    "int64_t":$depth,    // input channels per pass
    "int64_t":$unroll,   // channels unrolled in the innermost loop
    "int64_t":$columns,  // pixels per row after joining rows; 0: rows are not joined
    "int64_t":$rows,     // rows per task
    "int64_t":$panels,   // tiles of output channels per task
    "int64_t":$fetch,    // cache lines of the next pass's weights prefetched per innermost step
    "bool":$fetchResult); // prefetch the result and the added operands of a tile before its sums
}

def Kernel_ConvDotAttr : Kernel_ConfigAttr<"ConvDot", "conv_dot"> {
  let summary = "Integer convolution or product with a constant matrix, with four channels per lane";
  let description = [{
    Like conv_direct, on bytes: each lane of a vector sums the products of four input channels. The
    code treats input bytes as unsigned and weights as signed. The resulting correction is one
    number per output channel, which is stored with the weights (`dot_weights`). No parameter
    changes the result.

    ```
    for task:                        # one step of the range: rows x panels
      for panel: for row: for tile of pixels
        for block of channels: for kh: for kw: for four channels
          acc[vectors][pixels] += w[vectors] . x[pixels]
    ```
  }];
  let parameters = (ins
    "int64_t":$block,    // channels per block: the i32 lanes of the target
    "int64_t":$vectors,  // blocks of output channels per tile
    "int64_t":$pixels,   // maximum number of pixels per tile
    "int64_t":$columns,  // pixels per row after joining rows; 0: rows are not joined
    "int64_t":$rows,     // rows per task
    "int64_t":$panels);  // tiles of output channels per task
}

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
  }];
  let parameters = (ins
    "int64_t":$block,    // channels per block: the i32 lanes of the target
    "int64_t":$tiles,    // tiles of pixels that share tiles of weights
    "int64_t":$vectors,  // blocks of output channels, one tile of weights each
    "int64_t":$rows,     // output rows per band
    "int64_t":$panels);  // blocks of output channels per task
}

def Kernel_DepthwiseAttr : Kernel_ConfigAttr<"Depthwise", "depthwise"> {
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
  }];
  let parameters = (ins
    "int64_t":$block,    // channels per block: the vector lanes of the target
    "int64_t":$pixels,   // maximum number of pixels per strip
    "int64_t":$held,     // rows of taps whose weights stay in registers: 0, 1 or all
    "int64_t":$rows);    // rows per task
}

def Kernel_ConvPixelsAttr : Kernel_ConfigAttr<"ConvPixels", "conv_pixels"> {
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
  }];
  let parameters = (ins
    "int64_t":$lanes,    // pixels per vector
    "int64_t":$channels, // output channels per tile
    "int64_t":$rows,     // output rows per band; 0: all pixels in place
    "int64_t":$unroll);  // input channels unrolled in the innermost loop
}

def Kernel_PoolPixelsAttr : Kernel_ConfigAttr<"PoolPixels", "pool_pixels"> {
  let summary = "Max pool with lanes along the pixels of several rows";
  let description = [{
    Like conv_pixels, one plane at a time. Padding has the lowest value.

    ```
    for task:                        # one step of the range: a band of rows of a plane
      copy the input of the band
      for vector of pixels
        for kh: for kw
          acc = max(acc, x)
    ```
  }];
  let parameters = (ins
    "int64_t":$lanes,    // pixels per vector
    "int64_t":$rows);    // output rows per band
}

def Kernel_ConvWeightsAttr : Kernel_Attr<"ConvWeights", "conv_weights",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "Weights in panels: [O/o][I/i][spatial...][i][o]";
  let description = [{
    For weights O x I x spatial. Both blocks are padded with zeros. If `transposed` is set, the
    tensor is the I x O matrix of a product.
  }];
  let parameters = (ins "int64_t":$o, "int64_t":$i, "bool":$transposed);
}

def Kernel_DotWeightsAttr : Kernel_Attr<"DotWeights", "dot_weights",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "8-bit weights in panels: [O/o]([o of i32] [I/i][spatial...][i/4][o][4])";
  let description = [{
    For weights O x I x spatial, or for the I x O matrix of a product if `transposed` is set. A
    panel starts with one i32 per output channel: the sum of its weights times -`offset`. `offset`
    is the unsigned input byte that represents zero. Unsigned weights are stored minus 128. Both
    blocks are padded with zeros.
  }];
  let parameters = (ins "int64_t":$o, "int64_t":$i, "bool":$transposed, "int64_t":$offset);
}

def Kernel_WinogradAttr : Kernel_ConfigAttr<"Winograd", "winograd"> {
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
}

def Kernel_WinogradPixelsAttr : Kernel_ConfigAttr<"WinogradPixels", "winograd_pixels"> {
  let summary = "Convolution by the Winograd algorithm with lanes along the tiles of several rows";
  let description = [{
    For targets whose vectors are longer than a layer has channels. Input and result are planar. The
    tiles of a band of rows form one vector: one load from a copy of the band, as in conv_pixels,
    reads the same pixel of all tiles. Only `tile` changes how one element is rounded.

    ```
    for task:                      # one step: a band of tiles, a chunk of output channels
      copy the input of the band and transform it, unless the previous task did
      for group of output channels
        for frequency: for input channel
          acc[channels] += weights[channels] * input
        transform the products of the group, interleave columns, epilogue, store
    ```
  }];
  let parameters = (ins
    "int64_t":$lanes,    // tiles per vector
    "int64_t":$tile,     // 2 or 4
    "int64_t":$channels, // output channels per group
    "int64_t":$rows,     // rows of tiles per band
    "int64_t":$groups,   // groups per task
    "int64_t":$unroll);  // input channels unrolled in the innermost loop
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

#endif // CONVOY_KERNELS_KERNEL_TD
