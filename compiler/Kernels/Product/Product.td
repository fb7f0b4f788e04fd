// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configuration of the template `product`: batched products with computed operands.

#ifndef CONVOY_KERNELS_PRODUCT_TD
#define CONVOY_KERNELS_PRODUCT_TD

include "Kernels/Kernel.td"

def Kernel_ProductAttr : Kernel_NumbersAttr<"Product", "product"> {
  let summary = "Product of matrices that are computed at run time, with lanes along columns";
  let description = [{
    The factors may be transposed or broadcast along batch dimensions: each factor has a stride per
    dimension. If the result is contiguous along the rows of the product, the two factors are
    swapped. The sum of an element runs over the depth in order, with one accumulator.

    ```
    for matrix, group of panels:                # a step of the range is one row tile of a group
      for pass over the depth
        pack the panels of the right factor     # if pack is 1
        for tile of rows: for panel in group    # tiles of nearly equal sizes, at most `rows`
          for k in pass                         # `unroll` values per iteration
            acc[rows][vectors] += left * right
          store acc, after the last pass with the epilogue
    ```

    The columns that do not fill a panel have a panel of their own, whose last vector overlaps the
    vector before it. If the epilogue has more than four ops, a loop applies it to the sums in
    scratch memory.

    Takes kernels that contain one graph.matmul of planar f32, f16 or bf16, transposes of its
    operands and its result, and element-wise ops after it. Needs scratch memory for the panels of a
    group.

    ```mlir
    task.kernel @matmul_0(%q: tensor<12x128x64xf32>, %k: tensor<12x128x64xf32>)  // before
        -> tensor<12x128x128xf32>
        attributes {config = #kernel.product<...>}

    task.kernel @matmul_0(%q: memref<98304xf32>, %k: memref<98304xf32>,          // after
                                %y: memref<196608xf32>, %scratch: memref<32768xi8>,
                                %begin: index, %end: index)
        attributes {range = 120 : i64, joint = 10 : i64, ...}
    ```
  }];
  let parameters = (ins
    "int64_t":$rows,     // most rows of a tile
    "int64_t":$vectors,  // vectors of columns per tile and panel
    "int64_t":$depth,    // summed elements per pass; passes divide the depth
    "int64_t":$columns,  // columns per step, rounded up to panels
    "int64_t":$unroll,   // multiply-adds per accumulator in one iteration
    "int64_t":$pack);    // 1: copy the panels of the right factor to scratch memory
  let fromZero = ["pack"];
  let products = "rows * vectors * unroll";
  let check = [{
    if (pack > 1) {
      return emitError() << "expects pack to be 0 or 1, got " << pack;
    }
  }];
}

#endif // CONVOY_KERNELS_PRODUCT_TD
