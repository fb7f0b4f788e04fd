// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product_bits template: its configuration and weight layout.

#ifndef CONVOY_KERNELS_PRODUCT_BITS_TD
#define CONVOY_KERNELS_PRODUCT_BITS_TD

include "Kernels/Kernel.td"

def Kernel_ProductBitsAttr : Kernel_NumbersAttr<"ProductBits", "product_bits"> {
  let summary = "Product with a constant matrix of 2, 4 or 8 bits that has a scale per block";
  let description = [{
    The matrix stays packed in memory (`bit_weights`). A panel has `vectors` x `lanes` columns.

    If `depth` and `bytes` are 0, the code converts the weights in registers, for a few rows. A lane
    of a word holds several weights of one column. Instead of shifting a weight to the lowest bits, the code
    masks it and multiplies by an input that is divided by the same power of two, which is exact.
    The scale and the zero point apply to the sum of a block:

    ```
    copy the rows, x[k] / 2^(bits * (k % weights per word)), and sum them per block
    for panel: for tile of rows              # a step of the range has `panels` panels
      for block of the depth
        part[rows][vectors] = -zero * sum of x in the block
        for word: for weight in word
          part += float(word & mask) * x
        acc += part * scale
    ```

    If `bytes` is not 0, the input is multiplied as integers of this many signed bytes, with a scale
    per block of a row. Dot products of the target multiply weights and bytes, which is exact:

    ```
    for word: for place in byte: for byte of the input
      part[byte] += (word >> place & mask) . x[byte]
    acc += (part[0] + 256 part[1] + 65536 part[2]) * scale * input scale
    ```

    With three bytes, each input has an error of at most 2^-24 of the largest input of its block. f32
    has this error for the largest input, and a smaller one for the others.

    If the matrix is larger than the second-level cache, the code prefetches the words that it converts in
    registers, because a product of few rows takes the time to read its matrix from memory.

    If `depth` is not 0, the code converts `depth` rows of a panel to f32 in scratch memory, as
    `dequantize_linear` rounds them, and all tiles of rows of a step read them:

    ```
    for panel: for pass over the depth
      panel[depth][vectors] = (weights - zero) * scale
      for tile of rows: acc[rows][vectors] += x[rows] * panel[vectors]
    ```

    With `depth` 0, an infinite input gives NaN, and inputs below 2^-94 lose bits. Strict math
    therefore converts `depth` rows. `depth` and `bytes` change how a sum is rounded.

    Takes a `graph.matmul` of two f32 matrices whose right side is a `dequantize_linear` of
    constants with blocks along the depth, followed by element-wise ops. Needs scratch memory.

    ```mlir
    task.kernel @product(%x: tensor<1x4096xf32>,                                 // before
        %w: tensor<4096x4096xi4, #kernel.bit_weights<o = 64, bits = 4, block = 32>>,
        %s: tensor<128x4096xf32, #kernel.conv_weights<o = 64, i = 1, transposed = true>>)
        -> tensor<1x4096xf32>
        attributes {config = #kernel.product_bits<...>}

    task.kernel @product(%x: memref<4096xf32>, %w: memref<8388608xi8>,           // after
                         %s: memref<524288xf32>, %y: memref<4096xf32>,
                         %scratch: memref<17152xi8>, %begin: index, %end: index)
        attributes {range = 64 : i64, scratch = 17152 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$lanes,    // columns per vector
    "int64_t":$vectors,  // vectors per panel
    "int64_t":$rows,     // rows per tile
    "int64_t":$depth,    // rows of a panel that are converted at once; 0: in registers
    "int64_t":$bytes,    // bytes of an input that is multiplied as integers; 0: f32
    "int64_t":$panels);  // panels per step
  let fromZero = ["depth", "bytes"];
  let products = "vectors * rows * 16";
  let check = [{
    if (lanes < 4 || lanes > 64 || !::llvm::isPowerOf2_64(static_cast<uint64_t>(lanes))) {
      return emitError() << "expects lanes to be a power of 2 from 4 to 64, got " << lanes;
    }
    if (bytes > 3 || (bytes > 0 && (depth > 0 || lanes > 16))) {
      return emitError() << "expects bytes from 0 to 3, and depth 0 and at most 16 lanes if bytes is "
                            "not 0, got "
                         << bytes << ", depth " << depth << " and " << lanes << " lanes";
    }
  }];
}

def Kernel_BitWeightsAttr : Kernel_Attr<"BitWeights", "bit_weights",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "Matrix of 2, 4 or 8 bits in panels of columns: [N/o][K/block][block*bits/32][o]";
  let description = [{
    For a K x N matrix. The last dimension holds words of 32 bits; a word has 32 / `bits` elements
    of one column, and the first of them is in the lowest bits. Signed elements are stored plus
    2^(bits - 1). Columns and depth are padded with zero bits to multiples of `o` and `block`.
  }];
  let parameters = (ins "int64_t":$o, "int64_t":$bits, "int64_t":$block);
  let genVerifyDecl = 1;
}

#endif // CONVOY_KERNELS_PRODUCT_BITS_TD
