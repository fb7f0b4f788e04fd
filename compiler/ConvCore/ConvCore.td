// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The convcore dialect: layers as accelerators with a convolution core execute them. Devices lower
// from convcore to their own commands. No op is specific to one device.

#ifndef CONVOY_CONVCORE_TD
#define CONVOY_CONVCORE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Graph/TypeInference.td"

def ConvCore_Dialect : Dialect {
  let name = "convcore";
  let cppNamespace = "::convoy::convcore";
  let summary = "Layers that devices with a convolution core have in common";
  let description = [{
    A device region is one function of convcore ops and `graph.constant`. Tensors are logical NCHW
    with static shapes; each device chooses how it stores them. Element types are floats and
    integers with zero points. A device may compute f32 graphs in a narrower float type. Integer ops
    carry no scales, only the multipliers and shifts of the requantization. The reference executes
    every op.

    Integer sums have 32 bits and wrap around. Padding represents the real number 0: it equals the
    zero point for integers, and a maximum ignores it.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

class ConvCore_Attr<string name, string attrMnemonic> : AttrDef<ConvCore_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def ConvCore_RequantAttr : ConvCore_Attr<"Requant", "requant"> {
  let summary = "Requantization of an integer sum to a narrow integer type";
  let description = [{
    clamp(round(sum * multiplier / 2^shift) + zeroPoint, low, high), with the
    product in 64 bits. The attribute has one multiplier and one shift, or one of each
    per channel. `low` and `high` include an activation that clamps (relu, clip).

    - [requant.1] there are as many multipliers as shifts, at least one.
    - [requant.2] multipliers are in [0, 2^31), shifts in [1, 62].
    - [requant.3] low <= high, both are values of `type`, an integer type of up to 32
      bits.
  }];
  let parameters = (ins "::mlir::Type":$type, ArrayRefParameter<"int64_t">:$multipliers,
                        ArrayRefParameter<"int64_t">:$shifts, "int64_t":$zeroPoint,
                        "int64_t":$low, "int64_t":$high, "::convoy::graph::ShiftRounding":$rounding);
  let assemblyFormat = [{
    `<` $type `,` `multipliers` `=` `[` $multipliers `]` `,` `shifts` `=` `[` $shifts `]` `,`
    `zeroPoint` `=` $zeroPoint `,` `low` `=` $low `,` `high` `=` $high `,`
    `rounding` `=` $rounding `>`
  }];
  let genVerifyDecl = 1;
}

def ConvCore_ActKind : I32EnumAttr<"ActKind", "function of one number", [
    I32EnumAttrCase<"Relu", 0, "relu">, I32EnumAttrCase<"Clip", 1, "clip">,
    I32EnumAttrCase<"LeakyRelu", 2, "leaky_relu">, I32EnumAttrCase<"Sigmoid", 3, "sigmoid">,
    I32EnumAttrCase<"Tanh", 4, "tanh">]> {
  let cppNamespace = "::convoy::convcore";
}

def ConvCore_ActAttr : ConvCore_Attr<"Act", "act"> {
  let summary = "A float activation, with `low` and `high` for clip and `slope` for leaky relu";
  let parameters = (ins "::convoy::convcore::ActKind":$kind,
                        OptionalParameter<"::mlir::FloatAttr">:$low,
                        OptionalParameter<"::mlir::FloatAttr">:$high,
                        OptionalParameter<"::mlir::FloatAttr">:$slope);
  let assemblyFormat = "`<` $kind (`,` struct($low, $high, $slope)^)? `>`";
  let extraClassDeclaration = [{
    double lowValue() const { return getLow() ? getLow().getValueAsDouble() : 0; }
    double highValue() const { return getHigh() ? getHigh().getValueAsDouble() : 0; }
    double slopeValue() const { return getSlope() ? getSlope().getValueAsDouble() : 0; }
    static ActAttr getClip(::mlir::MLIRContext *context, double low, double high);
    static ActAttr getLeakyRelu(::mlir::MLIRContext *context, double slope);
  }];
  let builders = [AttrBuilder<(ins "::convoy::convcore::ActKind":$kind), [{
    return $_get($_ctxt, kind, ::mlir::FloatAttr(), ::mlir::FloatAttr(), ::mlir::FloatAttr());
  }]>];
}

def ConvCore_Tensor : Type<CPred<
    "::llvm::isa<::mlir::RankedTensorType>($_self) && "
    "::llvm::cast<::mlir::RankedTensorType>($_self).hasStaticShape()">, "tensor of static shape">;

/// Verifies that the result types of an op equal the types of its type rule.
def ConvCore_HasInferredTypes : NativeOpTrait<"HasInferredTypes"> {
  let cppNamespace = "::convoy::convcore";
}

class ConvCore_Op<string mnemonic, list<Trait> traits = []>
    : Op<ConvCore_Dialect, mnemonic,
         !listconcat([Pure, DeclareOpInterfaceMethods<Graph_TypeInferenceOpInterface>,
                      ConvCore_HasInferredTypes], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let results = (outs ConvCore_Tensor:$result);
}

def ConvCore_ConvOp : ConvCore_Op<"conv"> {
  let summary = "Convolution with bias, activation or requantization";
  let description = [{
    activation(sum of (input - inputZeroPoint) * (weight - weightZeroPoint) + bias),
    then `requant`. Weights are O x (I / groups) x H x W. A fully connected layer is a
    convolution whose kernel has the size of its input. A depthwise convolution has as
    many groups as channels. `pads` are top, left, bottom, right.

    - [conv.1] the input is N x C x H x W; strides, dilations, kernel sizes and
      groups are positive, pads are not negative, and the padded input holds one window.
    - [conv.2] input channels = weight input channels * groups; output channels are
      a multiple of groups.
    - [conv.3] for floats: one element type, no zero points, no `requant`.
    - [conv.4] for integers: input and weight have 8 or 16 bits, the bias is i32,
      there is no `activation`; the result is i32 or the type of `requant`.
    - [conv.5] `bias` has one entry per output channel; the lists of `requant` have one
      entry or one per output channel.

    ```mlir
    %y = convcore.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
        dilations = array<i64: 1, 1>, groups = 1 : i64, activation = #convcore.act<relu>}
        : (tensor<1x8x32x32xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>) -> tensor<1x16x32x32xf32>
    ```
  }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_Tensor:$weight,
                       Optional<ConvCore_Tensor>:$bias, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                       DefaultValuedAttr<I64Attr, "0">:$inputZeroPoint,
                       DefaultValuedAttr<I64Attr, "0">:$weightZeroPoint,
                       OptionalAttr<ConvCore_ActAttr>:$activation,
                       OptionalAttr<ConvCore_RequantAttr>:$requant);
}

def ConvCore_EltwiseKind : I32EnumAttr<"EltwiseKind", "function of two tensors", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">,
    I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Max", 3, "max">,
    I32EnumAttrCase<"Min", 4, "min">]> {
  let cppNamespace = "::convoy::convcore";
}

def ConvCore_EltwiseOp : ConvCore_Op<"eltwise"> {
  let summary = "Element-wise function of two tensors, with activation or requantization";
  let description = [{
    For integers each term is (x - zeroPoint) * multiplier. The function of both terms plus `bias`
    is computed in 64 bits and passed to `requant`.

    - [eltwise.1] `rhs` has the shape of `lhs`, is 1 x C x 1 x 1, or has one element.
    - [eltwise.2] for floats: one element type, no zero points, multipliers 1, no `bias`, no
      `requant`.
    - [eltwise.3] for integers: both have 8 or 16 bits, no `activation`; the result is i32
      or the type of `requant`, which has one multiplier.
    - [eltwise.4] multipliers are not 0 and less than 2^31 in magnitude; a negative one
      subtracts.

    ```mlir
    %y = convcore.eltwise %a, %b {kind = 0 : i32, lhsMultiplier = 3 : i64, requant =
        #convcore.requant<i8, multipliers = [1], shifts = [2], zeroPoint = 0, low = -128,
                          high = 127, rounding = half_away>}
        : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
    ```
  }];
  let arguments = (ins ConvCore_Tensor:$lhs, ConvCore_Tensor:$rhs, ConvCore_EltwiseKind:$kind,
                       DefaultValuedAttr<I64Attr, "0">:$lhsZeroPoint,
                       DefaultValuedAttr<I64Attr, "0">:$rhsZeroPoint,
                       DefaultValuedAttr<I64Attr, "1">:$lhsMultiplier,
                       DefaultValuedAttr<I64Attr, "1">:$rhsMultiplier,
                       OptionalAttr<ConvCore_ActAttr>:$activation,
                       OptionalAttr<ConvCore_RequantAttr>:$requant,
                       DefaultValuedAttr<I64Attr, "0">:$bias);
}

def ConvCore_ScaleOp : ConvCore_Op<"scale"> {
  let summary = "x * scale + bias per channel with activation, as in inference-time batch normalization";
  let description = [{
    - [scale.1] `scale` and `bias` have the float type of the input and one entry per channel
      (dimension 1).
  }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_Tensor:$scale,
                       Optional<ConvCore_Tensor>:$bias, OptionalAttr<ConvCore_ActAttr>:$activation);
}

def ConvCore_ActivationOp : ConvCore_Op<"activation"> {
  let summary = "Applies an activation to each element";
  let description = [{
    - [activation.1] the input has a float type; integers use `lookup` or the bounds of `requant`.

    ```mlir
    %y = convcore.activation %x {activation = #convcore.act<clip, low = 0.0 : f64, high = 6.0 : f64>}
        : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_ActAttr:$activation);
}

def ConvCore_PReluOp : ConvCore_Op<"prelu"> {
  let summary = "x if positive, otherwise x * slope, with a slope per channel";
  let description = [{ - [prelu.1] `slope` has the float type of the input and one entry per channel. }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_Tensor:$slope);
}

def ConvCore_PoolKind : I32EnumAttr<"PoolKind", "function of a window", [
    I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Average", 1, "average">,
    I32EnumAttrCase<"Min", 2, "min">]> {
  let cppNamespace = "::convoy::convcore";
}

def ConvCore_PoolOp : ConvCore_Op<"pool"> {
  let summary = "Maximum, minimum or mean of each window";
  let description = [{
    A global pool has a kernel as large as the input. The mean divides by the number of
    input elements in the window, or by the size of the window with `countIncludePad`.
    An integer mean is the sum of (x - inputZeroPoint), passed to `requant`, whose
    multiplier contains the divisor, or the i32 sum without `requant`. With `byAxis` the sum is
    multiplied by floor(2^16 / width) / 2^16 and then by floor(2^16 / height) / 2^16, both times
    rounded half away from zero; inputZeroPoint plus this mean is the result.

    - [pool.1] as [conv.1] without dilations; every window contains an element of the
      input.
    - [pool.2] a mean of integers has `countIncludePad`; only such a mean may have `requant`,
      with one multiplier.
    - [pool.3] only means have `countIncludePad`.
    - [pool.4] only a mean of integers without `requant` has `byAxis`; its result has the type of
      the input.
  }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_PoolKind:$kind, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DefaultValuedAttr<BoolAttr, "false">:$countIncludePad,
                       DefaultValuedAttr<I64Attr, "0">:$inputZeroPoint,
                       OptionalAttr<ConvCore_RequantAttr>:$requant, UnitAttr:$byAxis);
}

def ConvCore_LrnOp : ConvCore_Op<"lrn"> {
  let summary = "x / (bias + alpha / size * sum of squares over neighboring channels) ^ beta";
  let description = [{ - [lrn.1] the input is N x C x H x W of a float type; `size` is positive. }];
  let arguments = (ins ConvCore_Tensor:$input, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta,
                       F64Attr:$bias);
}

def ConvCore_IntegerLrnOp : ConvCore_Op<"integer_lrn"> {
  let summary = "x * f(sum of squares over neighboring channels) + bias, with f read from tables";
  let description = [{
    Computes graph.integer_lrn; `requant` may requantize the sum.

    - [integer_lrn.1] the input is N x C x H x W of 8 bits; the other constraints are those of
      graph.integer_lrn.
    - [integer_lrn.2] the result is i32 or the type of `requant`, which has one multiplier.
  }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_Tensor:$near, ConvCore_Tensor:$far,
                       I64Attr:$size, I64Attr:$inputZeroPoint, I64Attr:$nearShift,
                       I64Attr:$farStart, I64Attr:$farShift, I64Attr:$bias,
                       OptionalAttr<ConvCore_RequantAttr>:$requant);
}

def ConvCore_ByteLrnOp : ConvCore_Op<"byte_lrn"> {
  let summary = "x times a factor from a table, by the sum of squares over neighboring channels";
  let description = [{
    s = clamp(round(sum of squares[|x|] over `size` channels * sumMultiplier / 2^sumShift), 0, 255)
    result = requant(x * factors[s])

    Windows are those of graph.lrn. The sum is rounded as `requant` rounds.

    - [byte_lrn.1] the input is N x C x H x W of i8, the tables have 256 entries of ui8; `size` is
      positive.
    - [byte_lrn.2] `sumMultiplier` is in [0, 255], `sumShift` in [1, 31], and `requant` has one
      multiplier.
  }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_Tensor:$squares, ConvCore_Tensor:$factors,
                       I64Attr:$size, I64Attr:$sumMultiplier, I64Attr:$sumShift,
                       ConvCore_RequantAttr:$requant);
}

def ConvCore_SoftmaxOp : ConvCore_Op<"softmax"> {
  let summary = "exp(x - max) / sum(exp(x - max)) along `axis`";
  let description = [{ - [softmax.1] the input has a float type; `axis` is a dimension of the input. }];
  let arguments = (ins ConvCore_Tensor:$input, I64Attr:$axis);
}

def ConvCore_LookupOp : ConvCore_Op<"lookup"> {
  let summary = "table[x - lowest value of the type of x] for each element x";
  let description = [{
    - [lookup.1] the input has 8-bit integers, and the table is a vector with 256 entries,
      one per value.
  }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_Tensor:$table);
}

def ConvCore_RequantizeOp : ConvCore_Op<"requantize"> {
  let summary = "Converts integers from one scale and zero point to another";
  let description = [{ - [requantize.1] the input has integers of up to 32 bits; lists as in [conv.5]. }];
  let arguments = (ins ConvCore_Tensor:$input, DefaultValuedAttr<I64Attr, "0">:$inputZeroPoint,
                       ConvCore_RequantAttr:$requant);
}

def ConvCore_ConvertOp : ConvCore_Op<"convert"> {
  let summary = "Converts one float type to another, rounding to nearest even";
  let description = [{ - [convert.1] the input type and `to` are float types. }];
  let arguments = (ins ConvCore_Tensor:$input, TypeAttr:$to);
}

def ConvCore_ConcatOp : ConvCore_Op<"concat"> {
  let summary = "Concatenates tensors along `axis`";
  let description = [{
    - [concat.1] there is at least one input; the inputs differ only in the size of `axis`.
  }];
  let arguments = (ins Variadic<ConvCore_Tensor>:$inputs, I64Attr:$axis);
}

def ConvCore_SliceOp : ConvCore_Op<"slice"> {
  let summary = "Extracts the box of `sizes` elements at `offsets`";
  let description = [{
    - [slice.1] there is an offset and a size per dimension, and the box lies in the input.
  }];
  let arguments = (ins ConvCore_Tensor:$input, DenseI64ArrayAttr:$offsets,
                       DenseI64ArrayAttr:$sizes);
}

def ConvCore_ReshapeOp : ConvCore_Op<"reshape"> {
  let summary = "Reinterprets the row-major elements with another shape";
  let description = [{ - [reshape.1] `shape` has as many elements as the input. }];
  let arguments = (ins ConvCore_Tensor:$input, DenseI64ArrayAttr:$shape);
}

def ConvCore_TransposeOp : ConvCore_Op<"transpose"> {
  let summary = "Dimension i of the result is dimension permutation[i] of the input";
  let description = [{ - [transpose.1] `permutation` contains each dimension once. }];
  let arguments = (ins ConvCore_Tensor:$input, DenseI64ArrayAttr:$permutation);
}

def ConvCore_RearrangeOp : ConvCore_Op<"rearrange"> {
  let summary = "Reshapes the input to `apart`, permutes the dimensions, and reshapes to `shape`";
  let description = [{
    Dimension i of the permuted tensor is dimension permutation[i] of `apart`. Depth-to-space, a
    channel shuffle and the interleaving of the phases of a transposed convolution have this form.
    `convoy-accelerators-fuse-layers` creates the op for devices that support it.

    - [rearrange.1] `apart` and `shape` have as many elements as the input.
    - [rearrange.2] `permutation` contains each dimension of `apart` once.

    ```mlir
    %0 = convcore.reshape %x {shape = array<i64: 1, 2, 2, 16, 4, 4>} : ...            // before
    %1 = convcore.transpose %0 {permutation = array<i64: 0, 3, 4, 1, 5, 2>} : ...
    %y = convcore.reshape %1 {shape = array<i64: 1, 16, 8, 8>} : ...

    %y = convcore.rearrange %x {apart = array<i64: 1, 2, 2, 16, 4, 4>,                // after
        permutation = array<i64: 0, 3, 4, 1, 5, 2>, shape = array<i64: 1, 16, 8, 8>}
        : (tensor<1x64x4x4xf16>) -> tensor<1x16x8x8xf16>
    ```
  }];
  let arguments = (ins ConvCore_Tensor:$input, DenseI64ArrayAttr:$apart,
                       DenseI64ArrayAttr:$permutation, DenseI64ArrayAttr:$shape);
}

def ConvCore_CopyOp : ConvCore_Op<"copy"> {
  let summary = "Copies the tensor to memory of its own";
  let description = [{ Used for a value that must not share bytes with another value. }];
  let arguments = (ins ConvCore_Tensor:$input);
}

#endif // CONVOY_CONVCORE_TD
