// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The integer normalization op with lookup tables. It has its own file because few
// files use it; Graph/TableNormalization.h declares the op.

#ifndef CONVOY_GRAPH_NORMALIZATION
#define CONVOY_GRAPH_NORMALIZATION

include "Graph/GraphDialect.td"

def Graph_IntegerLRNOp : Graph_Op<"integer_lrn", HeavyClass> {
  let summary = "Computes x * f(sum of squares over near channels) + bias in i32; tables hold f";
  let description = [{
    d = input - inputZeroPoint
    s = sum of d^2 over `size` channels around each channel, as in lrn
    result = d * f(s) + bias

    A requantize follows. f interpolates linearly between adjacent table entries.
    The entries of `near` start at 0 and are 2^nearShift apart; the entries of `far`
    start at `farStart` and are 2^farShift apart. `near` applies up to its last
    entry. Beyond the last entry of `far`, f is constant. Let t be the distance to
    the first entry, i = t >> shift and r = t mod 2^shift. Then f is table[i] +
    round((table[i + 1] - table[i]) * r / 2^shift), with ties rounded away from
    zero. Devices that normalize with tables use the same arithmetic. The quantize
    stage computes the tables.
    - [integer_lrn.1] the input has 8 bits and a channel dimension; the zero point
      is representable in its type; `size` is in [1, 255].
    - [integer_lrn.2] the tables are vectors of i16 with two or more entries.
    - [integer_lrn.3] shifts are in [0, 16], and 0 <= farStart <= the end of `near`.
    - [integer_lrn.4] the bias is below 2^30 in magnitude, so that no result wraps.

    ```mlir
    %0 = graph.dequantize_linear %x, %sx, %zx ...                    // before
    %1 = graph.lrn %0 {size = 5 : i64, ...}
    %y = graph.quantize_linear %1, %sy, %zy ...

    %0 = graph.integer_lrn %x, %near, %far {size = 5 : i64, ...}     // after
         : (tensor<1x8x4x4xui8>, tensor<257xi16>, tensor<65xi16>) -> tensor<1x8x4x4xi32>
    %y = graph.requantize %0, %m, %s {...}
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$near, Graph_Tensor:$far, I64Attr:$size,
                       I64Attr:$inputZeroPoint, I64Attr:$nearShift, I64Attr:$farStart,
                       I64Attr:$farShift, I64Attr:$bias);
  let results = (outs Graph_Tensor:$result);
}

#endif
