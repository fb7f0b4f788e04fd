// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on quantized tensors without floating point. Sums are exact in i32 or i64,
// and requantize converts them to narrower integers. Ops that only compare or move
// elements (max_pool, concat, reshape ...) accept integers unchanged.

#ifndef CONVOY_GRAPH_INTEGER
#define CONVOY_GRAPH_INTEGER

include "Graph/GraphDialect.td"

def Graph_ShiftRounding : I32EnumAttr<"ShiftRounding", "rounding of a right shift", [
    I32EnumAttrCase<"HalfAway", 0, "half_away">, I32EnumAttrCase<"HalfUp", 1, "half_up">,
    I32EnumAttrCase<"HalfEven", 2, "half_even">]> {
  let cppNamespace = "::convoy::graph";
}

// The vectors of a layer with one entry per output channel: a bias, then zero points of the weights.
def ChannelVectors : Graph_Fact<[{
  ::mlir::Value getBias() {
    return getChannelVectors().empty() ? ::mlir::Value() : getChannelVectors()[0];
  }
  ::mlir::Value getChannelZeroPoints() {
    return getChannelVectors().size() < 2 ? ::mlir::Value() : getChannelVectors()[1];
  }
}]>;

def Graph_IntegerConvOp : Graph_Op<"integer_conv", HeavyClass, [ChannelVectors]> {
  let summary = "Convolves (input - inputZeroPoint) with (weight - weightZeroPoint) into i32 or i64";
  let description = [{
    Padding contributes 0, because it represents the input's zero point. Shapes and
    windows follow [conv.1] to [conv.3].
    - [integer_conv.1] the input has 8 or 16 bits, the weight has 8 bits, the bias
      is i32 or i64.
    - [integer_conv.2] a zero point is representable in its operand's type.
    - [integer_conv.3] the sum has the type of the bias, or i32 if there is no bias,
      and wraps in this type. The quantize stage emits an i64 bias unless the bound
      max over channels of sum(|weight|) * max(|input|) + |bias|, both operands
      without their zero points, is below 2^31. A layer of i8 weights and an i16
      input with zero point 0 can exceed this bound from 512 products.
    - [integer_conv.4] `channelVectors` has at most two operands: the bias, and i32
      zero points of the weights, one per output channel. With these zero points,
      `weightZeroPoint` is 0. A layer without a bias has no such zero points; its
      bias is a vector of zeros.

    ```mlir
    %0 = graph.dequantize_linear %x, %sx, %zx ...                    // before
    %1 = graph.dequantize_linear %w, %sw, %zw ...
    %2 = graph.conv %0, %1 {...}
    %y = graph.quantize_linear %2, %sy, %zy ...

    %0 = graph.integer_conv %x, %w, %b {inputZeroPoint = 3 : i64, ...} // after
         : (tensor<1x8x32x32xi8>, tensor<16x8x3x3xi8>, tensor<16xi32>) -> tensor<1x16x30x30xi32>
    %y = graph.requantize %0, %m, %s {...}
         : (tensor<1x16x30x30xi32>, tensor<16xi32>, tensor<16xi32>) -> tensor<1x16x30x30xi8>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$weight,
                       Variadic<Graph_Tensor>:$channelVectors, I64Attr:$inputZeroPoint,
                       I64Attr:$weightZeroPoint, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs Graph_Tensor:$result);
}

def Graph_IntegerMatMulOp : Graph_Op<"integer_matmul", HeavyClass, [ChannelVectors]> {
  let summary = "Multiplies (lhs - lhsZeroPoint) and (rhs - rhsZeroPoint) into i32 or i64";
  let description = [{
    Shapes follow [matmul.1] and [matmul.2]. The bias has one entry per column.
    - [integer_matmul.1] lhs has 8 or 16 bits, rhs has 8 bits and rank 2 or more,
      the bias is i32 or i64.
    - [integer_matmul.2] a zero point is representable in its operand's type.
    - [integer_matmul.3] the type of the sum follows [integer_conv.3].
    - [integer_matmul.4] `channelVectors` follows [integer_conv.4], with `rhsZeroPoint`
      0 and one zero point per column.

    ```mlir
    %0 = graph.dequantize_linear %x, %sx, %zx ...                    // before
    %1 = graph.dequantize_linear %w, %sw, %zw ...
    %2 = graph.matmul %0, %1
    %3 = graph.binary add %2, %bias
    %y = graph.quantize_linear %3, %sy, %zy ...

    %0 = graph.integer_matmul %x, %w, %b {lhsZeroPoint = 3 : i64, ...} // after
         : (tensor<1x64xi8>, tensor<64x10xi8>, tensor<10xi32>) -> tensor<1x10xi32>
    %y = graph.requantize %0, %m, %s {...}
    ```
  }];
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs,
                       Variadic<Graph_Tensor>:$channelVectors, I64Attr:$lhsZeroPoint,
                       I64Attr:$rhsZeroPoint);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ByteMatMulOp : Graph_Op<"byte_matmul", HeavyClass> {
  let summary = "Multiplies the matrices (lhs - lhsZeroPoint) and (rhs - rhsZeroPoint) into i32";
  let description = [{
    Like integer_matmul, with zero points that are operands. ONNX computes them at run
    time (DynamicQuantizeLinear) or gives one per row of lhs and per column of rhs.
    Shapes follow [matmul.1] and [matmul.2].
    - [byte_matmul.1] lhs and rhs have 8 bits and rank 2 or more.
    - [byte_matmul.2] a zero point has the element type of its matrix. It is a scalar,
      or it has the rank of the matrix and one entry per row of lhs or per column of
      rhs: its summed dimension has size 1, and all other dimensions broadcast to the
      matrix.
    - [byte_matmul.3] the sum wraps in i32.

    ```mlir
    %0 = graph.byte_matmul %x, %w, %zx, %zw
         : (tensor<16x64xui8>, tensor<64x10xi8>, tensor<ui8>, tensor<1x10xi8>) -> tensor<16x10xi32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs, Graph_Tensor:$lhsZeroPoint,
                       Graph_Tensor:$rhsZeroPoint);
  let results = (outs Graph_Tensor:$result);
}

def Graph_IntegerSumPoolOp : Graph_Op<"integer_sum_pool", HeavyClass> {
  let summary = "Sums (input - inputZeroPoint) over each window into i32";
  let description = [{
    An average pool is this sum followed by one requantize, whose multiplier
    includes the divisor. An average that a device rounds after the rows and again
    after the columns is two pairs of these ops. Padding contributes 0. Windows
    follow [max_pool.2].
    - [integer_sum_pool.1] the input has 8 or 16 bits. The sum wraps in i32; the
      quantize stage emits the op only if no window can reach 2^31.
    - [integer_sum_pool.2] the zero point is representable in the input's type.

    ```mlir
    %0 = graph.dequantize_linear %x, %sx, %zx ...                    // before
    %1 = graph.average_pool %0 {kernel = array<i64: 7, 7>, ...}
    %y = graph.quantize_linear %1, %sy, %zy ...

    %0 = graph.integer_sum_pool %x {kernel = array<i64: 7, 7>, ...}  // after
         : (tensor<1x64x7x7xi8>) -> tensor<1x64x1x1xi32>
    %y = graph.requantize %0, %m, %s {...}       // m / 2^s = sx / (49 sy)
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$inputZeroPoint, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, BoolAttr:$ceilMode);
  let results = (outs Graph_Tensor:$result);
}

def Graph_RequantizeOp : Graph_Op<"requantize", ElementwiseClass,
    [ComputedFact<"collapsesDimensions">]> {
  let summary = "Rescales integers: multiply, shift with rounding, add the zero point, clamp";
  let description = [{
    result = clamp(round((input - inputZeroPoint) * multiplier / 2^shift) + zeroPoint, low, high)

    The product is exact in 64 bits. For an i64 input, |input| * multiplier must be
    below 2^62. The quantize stage limits the bits of the multipliers accordingly: 31
    bits for sums below 2^31, and 16 bits for sums below 2^46, the largest that it
    emits. `rounding` selects how ties are rounded. `low`
    and `high` are the range of `to` or a narrower range, which implements a relu or
    clip. Multiplier and shift are scalars, or vectors with one entry per index of
    `axis`. They are constant operands, so that layers of equal shape can share
    code.
    - [requantize.1] the input has 8, 16, 32 or 64 bits, the result has 8, 16 or 32
      bits; `inputZeroPoint` is representable in the input's type and 0 for inputs of
      32 or 64 bits.
    - [requantize.2] multiplier and shift are i32 tensors of the same shape:
      scalars, or vectors with the size of dimension `axis`.
    - [requantize.3] multipliers are non-negative, shifts are in [1, 62]; multiplier
      2 and shift 1 only clamp.
    - [requantize.4] `low` <= `high`; both, and `zeroPoint`, are representable in
      `to`.

    ```mlir
    %0 = graph.cast %sums {to = f32}                                 // before
    %1 = graph.binary mul %0, %scale
    %y = graph.quantize_linear %1, %one, %zero ...

    %y = graph.requantize %sums, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64,
             zeroPoint = -3 : i64, low = -128 : i64, high = 127 : i64, rounding = 0 : i32}  // after
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$multiplier, Graph_Tensor:$shift,
                       I64Attr:$axis, TypeAttr:$to, I64Attr:$inputZeroPoint, I64Attr:$zeroPoint,
                       I64Attr:$low, I64Attr:$high, Graph_ShiftRounding:$rounding);
  let results = (outs Graph_Tensor:$result);
}

def Graph_IntegerAddOp : Graph_Op<"integer_add", ElementwiseClass, [CollapsesDimensions]> {
  let summary = "Adds two quantized tensors with weights and rescales the sum with one rounding";
  let description = [{
    sum = (lhs - lhsZeroPoint) * lhsMultiplier + (rhs - rhsZeroPoint) * rhsMultiplier
    result = clamp(round(sum / 2^shift) + zeroPoint, low, high)

    A subtraction has a negative multiplier. Operands broadcast as in [binary.3].
    - [integer_add.1] operands have 8 or 16 bits, the result has 8, 16 or 32 bits;
      zero points, `low` and `high` are representable in their types, and `low` <=
      `high`.
    - [integer_add.2] multipliers are below 2^31 in magnitude, the shift is in [1,
      62]. If both multipliers are below 2^21 and the operands have 8 bits, the sum
      fits i32.

    ```mlir
    %0 = graph.dequantize_linear %a, %sa, %za ...                    // before
    %1 = graph.dequantize_linear %b, %sb, %zb ...
    %2 = graph.binary add %0, %1
    %y = graph.quantize_linear %2, %sy, %zy ...

    %y = graph.integer_add %a, %b {lhsMultiplier = 1048576 : i64, ...} // after
         : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
    ```
  }];
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs, TypeAttr:$to, I64Attr:$lhsZeroPoint,
                       I64Attr:$rhsZeroPoint, I64Attr:$lhsMultiplier, I64Attr:$rhsMultiplier,
                       I64Attr:$shift, I64Attr:$zeroPoint, I64Attr:$low, I64Attr:$high,
                       Graph_ShiftRounding:$rounding);
  let results = (outs Graph_Tensor:$result);
}

def Graph_IntegerMulOp : Graph_Op<"integer_mul", ElementwiseClass, [CollapsesDimensions]> {
  let summary = "Multiplies (lhs - lhsZeroPoint) and (rhs - rhsZeroPoint) element-wise into i32";
  let description = [{
    A requantize follows. Operands broadcast as in [binary.3].
    - [integer_mul.1] operands have 8 or 16 bits; the product of 16-bit operands
      wraps in i32. A zero point is representable in its operand's type. The quantize
      stage emits the op only if no product can reach 2^31, which holds for i16
      operands with zero point 0.

    ```mlir
    %2 = graph.binary mul %0, %1                  // before, between dequantize and quantize

    %2 = graph.integer_mul %a, %b {lhsZeroPoint = 0 : i64, rhsZeroPoint = 4 : i64} // after
         : (tensor<1x8x4x4xui8>, tensor<1x8x1x1xui8>) -> tensor<1x8x4x4xi32>
    %y = graph.requantize %2, %m, %s {...}
    ```
  }];
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs, I64Attr:$lhsZeroPoint,
                       I64Attr:$rhsZeroPoint);
  let results = (outs Graph_Tensor:$result);
}

def Graph_LookupOp : Graph_Op<"lookup", ElementwiseClass> {
  let summary = "Maps each 8-bit element through a table of 256 results";
  let description = [{
    result = table[input - lowest], where lowest is -128 for i8 and 0 for ui8. The
    result has the table's element type.
    - [lookup.1] the input has 8 bits, the table is a vector of 256 elements.

    ```mlir
    %0 = graph.dequantize_linear %x, %sx, %zx ...                    // before
    %1 = graph.unary sigmoid %0
    %y = graph.quantize_linear %1, %sy, %zy ...

    %y = graph.lookup %x, %table                                     // after
         : (tensor<1x8x4x4xi8>, tensor<256xi8>) -> tensor<1x8x4x4xi8>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$table);
  let results = (outs Graph_Tensor:$result);
}

#endif
