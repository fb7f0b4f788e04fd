// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product_bytes template: its configuration and weight layout.

#ifndef CONVOY_KERNELS_PRODUCT_BYTES_TD
#define CONVOY_KERNELS_PRODUCT_BYTES_TD

include "Kernels/Kernel.td"

def Kernel_ProductBytesAttr : Kernel_ConfigAttr<"ProductBytes", "product_bytes"> {
  let summary = "Product of 8-bit matrices with a constant right side and zero points at run time";
  let description = [{
    The code multiplies the bytes as they are, the left side as unsigned and the right side as
    signed numbers, and corrects each sum afterwards:

        sum(x w) - zx columnSum(w) - zw rowSum(x) + K zx zw

    The column sums are stored with the weights (`byte_weights`). A task first copies a block of
    rows of the left side to scratch memory, padded with zeros to whole steps of the depth, and
    computes the row sums. No parameter changes the result, because all sums wrap
    in i32.

    ```
    for task:                        # one step of the range: a block of rows, a chunk of panels
      copy the rows and sum them
      for vectors panels: for a tile of rows
        for four (or 64) of the depth
          acc[height][vectors] += x[height] . w[vectors]
        correct the sums, apply the epilogue and store the results
    ```

    If `tiles` is 0, the sums use vectors and the instructions that `dot` selects, as in conv_dot;
    a tile has `height` rows. Otherwise the sums use the tile registers of AMX; a tile has 16 rows
    times `tiles`.

    Takes a `graph.byte_matmul` of two matrices whose right side has the layout of that
    configuration, followed by element-wise ops. Needs scratch memory for the copied rows and the
    sums.

    ```mlir
    task.kernel @product(%x: tensor<166x288xui8>,                                // before
        %w: tensor<288x288xui8, #kernel.byte_weights<o = 16, i = 64>>, ...)
        -> tensor<166x288xf32>
        attributes {config = #kernel.product_bytes<...>}

    task.kernel @product(%x: memref<47808xi8>, %w: memref<84608xi8>, ...,        // after
                               %y: memref<47808xf32>, %scratch: memref<17600xi8>,
                               %begin: index, %end: index)
        attributes {range = 6 : i64, scratch = 17600 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$block,    // columns per block: the i32 lanes of the target
    "int64_t":$tiles,    // tiles of 16 rows that share tiles of weights; 0: vectors
    "int64_t":$height,   // rows of a tile of vectors; 16 * tiles for tile registers
    "int64_t":$vectors,  // blocks of columns per tile
    "int64_t":$rows,     // rows per task, a multiple of the height
    "int64_t":$panels);  // blocks of columns per task, a multiple of the vectors
}

def Kernel_ByteWeightsAttr : Kernel_Attr<"ByteWeights", "byte_weights",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "8-bit matrix in panels of columns: [N/o]([o of i32] [K/4][o][4]) and padding";
  let description = [{
    For a K x N matrix. A panel starts with one i32 per column: the sum of its stored weights.
    Unsigned weights are stored minus 128. Columns and depth are padded with zeros to multiples of
    `o` and four. The kernel reads the depth in steps of `i`, so the last step of a panel may read
    the start of the next panel; the left side has zeros there. The padding after the last panel
    makes this read valid.
  }];
  let parameters = (ins "int64_t":$o, "int64_t":$i);
}

#endif // CONVOY_KERNELS_PRODUCT_BYTES_TD
