// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool_bytes template: its configuration and its byte ops.

#ifndef CONVOY_KERNELS_POOL_BYTES_TD
#define CONVOY_KERNELS_POOL_BYTES_TD

include "Kernels/Kernel.td"

def Kernel_PoolBytesAttr : Kernel_RowStepAttr<"PoolBytes", "pool_bytes"> {
  let summary = "Max pool or rescaled sum pool of bytes, for microcontrollers";
  let description = [{
    The channels of a pixel are consecutive in memory, without padding. One step of the range is one
    row of the result. The kernel visits the input rows of its windows one by one:

    ```
    for row:                         # one step of the range
      y[row] = -128                                   sums = 0
      for row of taps                                 for row of taps
        y[row] = byte_max(x[...])        or             sums = byte_sum(x[...])
                                                      y[row] = byte_scale(sums)
    ```

    Takes kernels that contain one `graph.max_pool`, or one `graph.integer_sum_pool` and one
    `graph.requantize` with a scalar multiplier. Reaches the images only through `task.row_view`.
    Only emitted C supports the byte ops.

    ```mlir
    task.kernel @pool_0(%x: tensor<1x64x25x5xi8, #graph.blocked<c = 64>>)        // before
        -> tensor<1x64x1x1xi8, #graph.blocked<c = 64>>
        attributes {config = #kernel.pool_bytes<rows = 1>}

    task.kernel @pool_0(%x: memref<8000xi8>, %y: memref<64xi8>,                  // after
                              %scratch: memref<256xi8>, %begin: index, %end: index)
        attributes {range = 1 : i64, scratch = 256 : i64}
    ```
  }];
}

def Kernel_ByteMaxOp : Kernel_ByteOp<"byte_max",
    (ins Kernel_WrittenBytes:$result, Index:$resultAt, Kernel_ReadBytes:$row, Index:$rowAt),
    (ins I64Attr:$channels, I64Attr:$inputColumns, I64Attr:$outputColumns, I64Attr:$taps,
         I64Attr:$stride, I64Attr:$dilation, I64Attr:$pad)> {
  let summary = "Maximum of a row of results and of the windows of one input row";
  let description = [{
    result[p * channels + c] = max(result[p * channels + c],
                                   row[(p * stride - pad + t * dilation) * channels + c])

    for p < outputColumns, c < channels and all t < taps whose column is inside the row.

    ```mlir
    kernel.byte_max %row[%c0] to %y[%c0] {channels = 64 : i64, ...}
        : memref<1536xi8>, memref<768xi8>                                              // before

    convoy_byte_max(y, row, 64, ...);                                                   // in C
    ```
  }];
  let assemblyFormat = [{
    $row `[` $rowAt `]` `to` $result `[` $resultAt `]` attr-dict `:` type($row) `,` type($result)
  }];
}

def Kernel_ByteSumOp : Kernel_ByteOp<"byte_sum",
    (ins Kernel_WrittenBytes:$sums, Index:$sumsAt, Kernel_ReadBytes:$row, Index:$rowAt),
    (ins I64Attr:$channels, I64Attr:$inputColumns, I64Attr:$outputColumns, I64Attr:$taps,
         I64Attr:$stride, I64Attr:$dilation, I64Attr:$pad, I64Attr:$inputZeroPoint)> {
  let summary = "Adds the windows of one input row to 32-bit sums";
  let description = [{
    sums[p * channels + c] += row[(p * stride - pad + t * dilation) * channels + c] - inputZeroPoint

    for p < outputColumns, c < channels and all t < taps whose column is inside the row. `sums` is
    memory of numbers of 32 bits.

    ```mlir
    kernel.byte_sum %row[%c0] to %sums[%c0] {channels = 64 : i64, ...}
        : memref<320xi8>, memref<256xi8>                                               // before

    convoy_byte_sum(sums, row, 64, ...);                                                // in C
    ```
  }];
  let assemblyFormat = [{
    $row `[` $rowAt `]` `to` $sums `[` $sumsAt `]` attr-dict `:` type($row) `,` type($sums)
  }];
}

def Kernel_ByteScaleOp : Kernel_ByteOp<"byte_scale",
    (ins Kernel_WrittenBytes:$result, Index:$resultAt, Kernel_ReadBytes:$sums, Index:$sumsAt,
         Index:$count),
    (ins I64Attr:$multiplier, I64Attr:$shift, I64Attr:$zeroPoint, I64Attr:$low, I64Attr:$high,
         I64Attr:$rounding)> {
  let summary = "Rescales 32-bit sums with one multiplier and one shift";
  let description = [{
    result[i] = rescale(sums[i]) for i < count. `shift` is 31 minus the shift of the requantize op, as
    in `rescale_table`. `rounding` is the value of graph::ShiftRounding.

    ```mlir
    kernel.byte_scale %sums[%c0] to %y[%c0], %c64 {multiplier = 1099511628 : i64, ...}
        : memref<256xi8>, memref<64xi8>                                                // before

    convoy_byte_scale(y, sums, 64, 1099511628, ...);                                    // in C
    ```
  }];
  let assemblyFormat = [{
    $sums `[` $sumsAt `]` `to` $result `[` $resultAt `]` `,` $count attr-dict `:` type($sums) `,`
    type($result)
  }];
}

#endif // CONVOY_KERNELS_POOL_BYTES_TD
