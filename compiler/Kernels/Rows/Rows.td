// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configuration of the template `rows`.

#ifndef CONVOY_KERNELS_ROWS_TD
#define CONVOY_KERNELS_ROWS_TD

include "Kernels/Kernel.td"

def Kernel_RowsAttr : Kernel_NumbersAttr<"Rows", "rows"> {
  let summary = "Reductions over the last dimensions and element-wise ops around them";
  let description = [{
    A row consists of the elements of the reduced dimensions. Every value of the kernel has all
    elements of a row, one element per row, or broadcasts to the row. Softmax, layer norm, RMS norm,
    instance norm and a single reduction have this form. Lanes run along the row.

    ```
    for task:                            # one step of the range: `rows` rows
      for pass:                          # a reduction ends a pass
        for step along the row:
          for v in vectors:              # unrolled
            for r in rows:               # unrolled
              sum[r][v] += ops(x[lanes], results of earlier passes)
              y[lanes] = ops(...)        # in the pass that knows all operands of the result
        combine sum[r][*] and its lanes
    ```

    A pass stores the values of expensive functions, for example `exp`, in scratch memory for the
    later passes. Later passes compute all other values again from the operands.

    `rows` and `vectors` change the order in which a sum adds its terms. If `terms` is 1, all sums
    add in f64, as the generic loops do. Otherwise a lane adds `terms` terms in f32 before it adds
    their sum in f64. The relative error of a sum of positive terms is then below `terms` x 6e-8.
    The kernel then also multiplies by the reciprocal of a softmax sum or of a square root instead of
    dividing, which adds one rounding.

    Needs scratch memory if a pass keeps values.

    ```mlir
    task.kernel @rows_0(%x: tensor<12x128x128xf32>) -> tensor<12x128x128xf32>    // before
        attributes {config = #kernel.rows<rows = 1, vectors = 4, terms = 64>}

    task.kernel @rows_0(%x: memref<196608xf32>, %y: memref<196608xf32>,          // after
                              %scratch: memref<512xi8>, %begin: index, %end: index)
        attributes {range = 1536 : i64, scratch = 512 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$rows,     // rows per step of the range
    "int64_t":$vectors,  // vectors of a row per step of a pass
    "int64_t":$terms);   // steps of a pass that a lane adds in f32
  let check = [{
    // A step is unrolled, so its vectors determine the size of the code.
    constexpr int64_t kMostVectors = 64;
    if (rows * vectors > kMostVectors) {
      return emitError() << "expects at most " << kMostVectors << " vectors per step, got " << rows
                         << " rows x " << vectors << " vectors";
    }
  }];
}

#endif // CONVOY_KERNELS_ROWS_TD
