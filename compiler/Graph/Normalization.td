// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisation of integers by table. Apart from Integer.td, as few have to know of it:
// Graph/TableNormalization.h declares it.

#ifndef CONVOY_GRAPH_NORMALIZATION
#define CONVOY_GRAPH_NORMALIZATION

include "Graph/GraphDialect.td"

def Graph_IntegerLRNOp : Graph_Op<"integer_lrn"> {
  let summary = "x * f(sum of squares over neighbouring channels) + bias into i32, f by tables";
  let description = [{
    d = input - inputZeroPoint
    s = sum of d^2 over `size` channels around each, as in lrn
    result = d * f(s) + bias; a requantize follows

    f is a line between neighbouring entries, which are 2^nearShift apart from 0 on in
    `near`, and 2^farShift apart from `farStart` on in `far`; up to its last entry `near`
    counts, and behind the last entry of `far` that one goes on. With t the distance to
    the first entry, i = t >> shift and r = t mod 2^shift, it is table[i] +
    round((table[i + 1] - table[i]) * r / 2^shift), halves away from zero. This is what
    devices do that normalise by table; the fit of the tables is the quantize stage's.
    - [integer_lrn.1] the input has 8 bits and a channel dimension; the zero point is a
      value of its type; `size` is in [1, 255].
    - [integer_lrn.2] the tables are vectors of i16 of two entries or more.
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
