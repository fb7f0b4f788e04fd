// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_bytes template: its configuration, its weight layout and its byte ops.

#ifndef CONVOY_KERNELS_CONV_BYTES_TD
#define CONVOY_KERNELS_CONV_BYTES_TD

include "Kernels/Kernel.td"

def Kernel_ConvBytesAttr : Kernel_NumbersAttr<"ConvBytes", "conv_bytes"> {
  let summary = "Convolution or product with a constant matrix on bytes, for microcontrollers";
  let description = [{
    The channels of a pixel are consecutive in memory, without padding (`#graph.blocked` with all
    channels in one block). One step of the range is one row of the result. If the filter has one
    tap and the input has no padding, the sums read the input directly:

    ```
    for row:                          # one step of the range
      y[row] = byte_product(x[row * stride], w)
    ```

    Otherwise the kernel first copies the taps of `pixels` pixels to one patch each in scratch
    memory. Taps outside the input are the zero point. Patches are padded to the vectors or
    words of the target, so that loads may read them.

    ```
    for row:
      for pixels of the row:
        for row of taps: patch = byte_patch(x[row * stride + tap - pad])  # or byte_fill
        y[row, pixels] = byte_product(patch, w)
    ```

    The product computes `tile` pixels at once, so that a load of weights serves all of them. If
    `width` is 2, the patches have 16-bit numbers: cores that multiply pairs of such numbers then
    extend the input once and not for each channel.

    ```
    for row:
      for pixels of the row:
        patch = byte_extend(x[row * stride, pixels])    # or byte_patch, and then byte_extend
        y[row, pixels] = byte_product(patch, w)
    ```

    If a max pool follows, the step computes one row of the pool. The pixels of a window have one
    patch each, and the kernel rescales only the largest sums, because rescaling is monotone:

    ```
    for row of the pool:
      for pixel of the row:
        for row of the window: for row of taps: patch = byte_patch(...)
        y[row, pixel] = byte_product_max(patch, w)
    ```

    The weights stay in read-only memory and are read in place. Their layout (`byte_groups`)
    contains -zero point * sum(weights) per channel, so the sums use input bytes as they are.

    Takes an integer convolution or product whose weights have the layout `byte_groups`, one
    requantize, and possibly a max pool without padding, or an integer sum with another image, which
    is added to each row of the result by `byte_add`. Reaches rank-4 tensors only through
    `task.row_view`. Only emitted C supports the byte ops.

    ```mlir
    task.kernel @conv_0(%x: tensor<1x16x32x32xi8, #graph.blocked<c = 16>>,       // before
        %w: tensor<16x16x3x3xi8, #kernel.byte_groups<transposed = false, offset = -128>>, ...)
        -> tensor<1x16x32x32xi8, #graph.blocked<c = 16>>
        attributes {config = #kernel.conv_bytes<pixels = 2, tile = 2, width = 1>}

    task.kernel @conv_0(%x: memref<16384xi8>, %w: memref<2368xi8>, ...,          // after
                              %y: memref<16384xi8>, %scratch: memref<288xi8>,
                              %begin: index, %end: index)
        attributes {range = 32 : i64, scratch = 288 : i64}
    ```
  }];
  let parameters = (ins
    "int64_t":$pixels,  // patches: pixels whose taps are copied at once, the window of a pool, or 0 if
                        // the input is read directly
    "int64_t":$tile,    // pixels of a tile of the product, at most 3
    "int64_t":$width);  // bytes of a number in a patch: 1, or 2 for products of pairs
  let fromZero = ["pixels"];
  let check = [{
    if (tile > 3 || width > 2 || (width == 2 && pixels == 0)) {
      return emitError() << "expects tiles of at most 3 pixels and numbers of 1 byte, or of 2 bytes "
                            "in patches; got tile = " << tile << ", width = " << width
                         << " and pixels = " << pixels;
    }
  }];
}

def Kernel_ByteGroupsAttr : Kernel_Attr<"ByteGroups", "byte_groups",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "8-bit weights in groups of four channels: [O/4]([4 of i32] [K/16][4][16])";
  let description = [{
    For weights O x I x spatial, or for the I x O matrix of a product if `transposed` is set. The
    depth K has the order [spatial...][I]. If `offset` is not 0, a group starts with one i32 per
    channel: the sum of its weights times -`offset`. Channels and depth are padded with zeros.
  }];
  let parameters = (ins "bool":$transposed, "int64_t":$offset);
}

def Kernel_ByteProductOp : Kernel_ByteOp<"byte_product",
    (ins Kernel_ReadBytes:$input, Index:$inputAt, Kernel_ReadBytes:$weights, Index:$weightsAt,
         Kernel_Table:$bias, Index:$biasAt, Kernel_Table:$multiplier, Index:$multiplierAt,
         Kernel_Table:$shift, Index:$shiftAt, Kernel_Table:$zeros, Index:$zerosAt,
         Kernel_WrittenBytes:$result, Index:$resultAt, Index:$pixels),
    (ins I64Attr:$depth, I64Attr:$inputBytes, I64Attr:$channels, I64Attr:$inputStep,
         I64Attr:$resultStep, I64Attr:$first, I64Attr:$tableStep, I64Attr:$zeroPoint, I64Attr:$low,
         I64Attr:$high, I64Attr:$rounding, I64Attr:$inputZeroPoint, I64Attr:$zeroStep,
         I64Attr:$tile, I64Attr:$width)> {
  let summary = "Rescaled product of pixels and a matrix of weights in the layout byte_groups";
  let description = [{
    result[p * resultStep + o] =
        rescale(bias[o] + sum over k < depth of input[p * inputStep + k] * weights[o, k]
                - zeros[o] * sum over k < depth of (input[p * inputStep + k] - inputZeroPoint))

    for p < pixels and o < channels. The function may read `inputBytes` numbers of each pixel, at
    least `depth`; the weights of the additional numbers are zeros. `first` is the size of the
    corrections at the start of a group in bytes, 0 or 16. `tile` says how many pixels the function
    computes at once. If `width` is 2, `byte_extend` wrote the input; `inputStep` is in bytes.
    `tableStep` is 4, or 0 if all channels share the multiplier and the shift. `zeroStep` is 4, 0 if
    all channels share the zero point of the weights, or -1 if the weights have none; `zeros` is then
    any table.
    `rounding` is the value of graph::ShiftRounding.

    ```mlir
    kernel.byte_product %x[%c0], %w[%c0], %b[%c0], %m[%c0], %s[%c0], %z[%c0] to %y[%c0], %c5
        {depth = 64 : i64, channels = 64 : i64, ...}
        : memref<320xi8>, memref<4096xi8>, memref<64xi32>, memref<64xi32>, memref<64xi32>,
          memref<64xi32>, memref<320xi8>                                               // before

    convoy_byte_product(x0, x1, x2, x3, x4, x5, y0, 5, 64, 64, ...);                    // in C
    ```
  }];
  let assemblyFormat = [{
    $input `[` $inputAt `]` `,` $weights `[` $weightsAt `]` `,` $bias `[` $biasAt `]` `,`
    $multiplier `[` $multiplierAt `]` `,` $shift `[` $shiftAt `]` `,` $zeros `[` $zerosAt `]` `to`
    $result `[` $resultAt `]` `,` $pixels attr-dict `:` type($input) `,` type($weights) `,`
    type($bias) `,` type($multiplier) `,` type($shift) `,` type($zeros) `,` type($result)
  }];
}

def Kernel_ByteProductMaxOp : Kernel_ByteOp<"byte_product_max",
    (ins Kernel_ReadBytes:$input, Index:$inputAt, Kernel_ReadBytes:$weights, Index:$weightsAt,
         Kernel_Table:$bias, Index:$biasAt, Kernel_Table:$multiplier, Index:$multiplierAt,
         Kernel_Table:$shift, Index:$shiftAt, Kernel_Table:$zeros, Index:$zerosAt,
         Kernel_WrittenBytes:$result, Index:$resultAt, Index:$pixels),
    (ins I64Attr:$depth, I64Attr:$inputBytes, I64Attr:$channels, I64Attr:$inputStep, I64Attr:$first,
         I64Attr:$tableStep, I64Attr:$zeroPoint, I64Attr:$low, I64Attr:$high, I64Attr:$rounding,
         I64Attr:$inputZeroPoint, I64Attr:$zeroStep)> {
  let summary = "Rescaled maximum of the products of several pixels and a matrix of weights";
  let description = [{
    result[o] = rescale(bias[o] + max over p < pixels of
                        (sum over k < depth of input[p * inputStep + k] * weights[o, k]
                         - zeros[o] * sum over k < depth of
                           (input[p * inputStep + k] - inputZeroPoint)))

    for o < channels. Rescaling is monotone, so the result is the maximum of the rescaled sums: a
    max pool after a convolution. `byte_product` describes the attributes.

    ```mlir
    kernel.byte_product_max %x[%c0], %w[%c0], %b[%c0], %m[%c0], %s[%c0], %z[%c0] to %y[%at], %c4
        {depth = 25 : i64, channels = 8 : i64, ...} : ...                              // before

    convoy_byte_product_max(x0, x1, x2, x3, x4, x5, y0 + at, 4, 25, 8, ...);            // in C
    ```
  }];
  let assemblyFormat = [{
    $input `[` $inputAt `]` `,` $weights `[` $weightsAt `]` `,` $bias `[` $biasAt `]` `,`
    $multiplier `[` $multiplierAt `]` `,` $shift `[` $shiftAt `]` `,` $zeros `[` $zerosAt `]` `to`
    $result `[` $resultAt `]` `,` $pixels attr-dict `:` type($input) `,` type($weights) `,`
    type($bias) `,` type($multiplier) `,` type($shift) `,` type($zeros) `,` type($result)
  }];
}

def Kernel_ByteExtendOp : Kernel_ByteOp<"byte_extend",
    (ins Kernel_ReadBytes:$input, Index:$inputAt, Kernel_WrittenBytes:$patch, Index:$patchAt,
         Index:$pixels),
    (ins I64Attr:$depth, I64Attr:$inputStep, I64Attr:$patchStep)> {
  let summary = "Extends the bytes of several pixels to 16-bit numbers";
  let description = [{
    patch16[p * patchStep / 2 + k] = input[p * inputStep + swap(k)]

    for p < pixels and k < depth, where swap exchanges numbers 1 and 2 of each four: SXTB16 extends
    bytes 0 and 2. The last four numbers are padded with zeros. `patch` may overlap `input` if the
    first byte of each pixel of `input` is the middle of its patch.

    ```mlir
    kernel.byte_extend %x[%c0] to %patch[%c0], %c2 {depth = 64 : i64, ...}
        : memref<320xi8>, memref<256xi8>                                               // before

    convoy_byte_extend(x, patch, 2, 64, ...);                                           // in C
    ```
  }];
  let assemblyFormat = [{
    $input `[` $inputAt `]` `to` $patch `[` $patchAt `]` `,` $pixels attr-dict `:` type($input) `,`
    type($patch)
  }];
}

def Kernel_BytePatchOp : Kernel_ByteOp<"byte_patch",
    (ins Kernel_ReadBytes:$row, Index:$rowAt, Kernel_WrittenBytes:$patch, Index:$patchAt,
         Index:$firstColumn, Index:$pixels),
    (ins I64Attr:$columns, I64Attr:$channels, I64Attr:$taps, I64Attr:$stride, I64Attr:$dilation,
         I64Attr:$pad, I64Attr:$patchStep, I64Attr:$zeroPoint)> {
  let summary = "Copies one row of taps of several pixels from a row of the input to patches";
  let description = [{
    patch[p * patchStep + t * channels + c] =
        row[((firstColumn + p) * stride - pad + t * dilation) * channels + c]

    for p < pixels, t < taps and c < channels, and the zero point for columns outside the row.

    ```mlir
    kernel.byte_patch %row[%c0] to %patch[%at], %first, %count {columns = 32 : i64, ...}
        : memref<512xi8>, memref<288xi8>                                               // before

    convoy_byte_patch(row, patch + at, first, count, 32, ...);                          // in C
    ```
  }];
  let assemblyFormat = [{
    $row `[` $rowAt `]` `to` $patch `[` $patchAt `]` `,` $firstColumn `,` $pixels attr-dict `:`
    type($row) `,` type($patch)
  }];
}

#endif // CONVOY_KERNELS_CONV_BYTES_TD
