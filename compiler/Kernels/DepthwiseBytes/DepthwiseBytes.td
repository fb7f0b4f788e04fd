// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The depthwise_bytes template: its configuration, its layouts and its byte op.

#ifndef CONVOY_KERNELS_DEPTHWISE_BYTES_TD
#define CONVOY_KERNELS_DEPTHWISE_BYTES_TD

include "Kernels/Kernel.td"

def Kernel_DepthwiseBytesAttr : Kernel_ConfigAttr<"DepthwiseBytes", "depthwise_bytes"> {
  let summary = "Depthwise convolution of bytes with 3 x 3 taps, for microcontrollers";
  let description = [{
    The channels of a pixel are consecutive in memory, without padding (`#graph.blocked` with all
    channels in one block). One step of the range is one row of the result:

    ```
    for row:                         # one step of the range
      y[row] = byte_depthwise(x[row * stride - pad], ..., w)
    ```

    The layout of the weights (`depthwise_groups`) contains -zero point * sum(weights) per channel,
    so the sums use input bytes as they are, and a missing tap has the value of the zero point.
    With MVE, the products of two taps are added in 16 bits. If two of them can exceed 16 bits, or
    if the weights have zero points, `wide` is set: the byte op subtracts the zero points from the
    weights and adds products of 32 bits.

    Takes an integer convolution with one channel per group, whose weights have the layout
    `depthwise_groups`, and one requantize. Reaches rank-4 tensors only through `task.row_view`.
    Only emitted C supports the byte op.

    ```mlir
    task.kernel @conv_0(%x: tensor<1x64x25x5xi8, #graph.blocked<c = 64>>,        // before
        %w: tensor<64x1x3x3xi8, #kernel.depthwise_groups<offset = -128>>, ...)
        -> tensor<1x64x25x5xi8, #graph.blocked<c = 64>>
        attributes {config = #kernel.depthwise_bytes<channels = 16>}

    task.kernel @conv_0(%x: memref<8000xi8>, %w: memref<832xi8>, ...,            // after
                              %y: memref<8000xi8>, %scratch: memref<64xi8>,
                              %begin: index, %end: index)
        attributes {range = 25 : i64, scratch = 64 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$channels, // channels per group of weights: 16, the bytes of an MVE register
    DefaultValuedParameter<"bool", "false">:$wide); // weights are extended to 16 bits
}

def Kernel_DepthwiseGroupsAttr : Kernel_Attr<"DepthwiseGroups", "depthwise_groups",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "8-bit weights in groups of 16 channels: [C/16]([16 of i32] [taps][16])";
  let description = [{
    For weights C x 1 x spatial. If `offset` is not 0, a group starts with one i32 per channel in the
    order of `lane_quarters`: the sum of its weights times -`offset`. The last group is padded with
    zeros, or with copies of the channels if their number divides 16: a vector then holds several
    pixels.
  }];
  let parameters = (ins "int64_t":$offset);
}

def Kernel_LaneQuartersAttr : Kernel_Attr<"LaneQuarters", "lane_quarters",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "Biases, multipliers or shifts of groups of 16 channels in the order of MVE's lanes";
  let description = [{
    MVE multiplies the even and the odd bytes of a vector, and widens the even and the odd 16-bit
    lanes of the products. The entries of channels 0 to 15 are stored in the order of the four
    vectors of sums: 0 4 8 12, 2 6 10 14, 1 5 9 13, 3 7 11 15. The last group is padded as in
    `depthwise_groups`. If `minuend` is not 0, an entry e is stored as minuend - e, as in
    `rescale_table`.
  }];
  let parameters = (ins "int64_t":$minuend);
}

def Kernel_ByteDepthwiseOp : Kernel_ByteOp<"byte_depthwise",
    (ins Kernel_WrittenBytes:$result, Index:$resultAt, Kernel_ReadBytes:$row0, Index:$row0At,
         Kernel_ReadBytes:$row1, Index:$row1At, Kernel_ReadBytes:$row2, Index:$row2At,
         Kernel_ReadBytes:$weights, Index:$weightsAt, Kernel_Table:$bias, Index:$biasAt,
         Kernel_Table:$multiplier, Index:$multiplierAt, Kernel_Table:$shift, Index:$shiftAt,
         Kernel_Table:$weightZeros, Index:$weightZerosAt,
         Kernel_WrittenBytes:$missing, Index:$missingAt, Index:$missingRows),
    (ins I64Attr:$channels, I64Attr:$inputColumns, I64Attr:$outputColumns, I64Attr:$stride,
         I64Attr:$dilation, I64Attr:$pad, I64Attr:$inputZeroPoint, I64Attr:$first,
         I64Attr:$tableStep, I64Attr:$zeroStep, I64Attr:$zeroPoint, I64Attr:$low,
         I64Attr:$high)> {
  let summary = "One row of a depthwise convolution with 3 x 3 taps, rescaled to bytes";
  let description = [{
    result[p * channels + c] = rescale(bias[c] + sum over i < 3 and j < 3 of
        row_i[(p * stride - pad + j * dilation) * channels + c] * weights[c, i, j]
        - weightZeros[c] * (the sum of the nine inputs - 9 * inputZeroPoint))

    for p < outputColumns and c < channels. Bit i of `missingRows` says that row i is outside the
    input; row_i is then any memory. A tap outside the input has the value inputZeroPoint. `missing`
    has scratch memory of one pixel. `first` is the size of the corrections at the start of a group in
    bytes, 0 or 64. `tableStep` is 16, or 0 if all channels share the multiplier and the shift.
    `zeroStep` is 16, 0 if all channels share the zero point of the weights, or -1 if the weights have
    none; `weightZeros` is then any table. Ties round up. If `zeroStep` is -1, no two
    products of consecutive taps may exceed 16 bits.

    ```mlir
    kernel.byte_depthwise %x0[%c0], %x1[%c0], %x2[%c0], %w[%c0], %b[%c0], %m[%c0], %s[%c0],
        %z[%c0] to %y[%c0], %scratch[%c0], %rows {channels = 64 : i64, ...} : ...                 // before

    convoy_byte_depthwise(y, x0, x1, x2, w, b, m, s, z, scratch, rows, 64, ...);        // in C
    ```
  }];
  let assemblyFormat = [{
    $row0 `[` $row0At `]` `,` $row1 `[` $row1At `]` `,` $row2 `[` $row2At `]` `,`
    $weights `[` $weightsAt `]` `,` $bias `[` $biasAt `]` `,` $multiplier `[` $multiplierAt `]` `,`
    $shift `[` $shiftAt `]` `,` $weightZeros `[` $weightZerosAt `]` `to` $result `[` $resultAt `]` `,`
    $missing `[` $missingAt `]` `,` $missingRows attr-dict `:` type($row0) `,` type($row1) `,`
    type($row2) `,` type($weights) `,` type($bias) `,` type($multiplier) `,` type($shift) `,`
    type($weightZeros) `,` type($result) `,` type($missing)
  }];
}

#endif // CONVOY_KERNELS_DEPTHWISE_BYTES_TD
