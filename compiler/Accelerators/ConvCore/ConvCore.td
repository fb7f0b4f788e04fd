// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The convcore dialect: whole layers, as accelerators with a convolution core
// execute them. Devices lower from here; nothing in it is one device's own.

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
  let summary = "Layers of a convolution core: what all such devices share";
  let description = [{
    A region of a device is one function of these ops and of `graph.constant`.
    Tensors are logical NCHW with static shapes; how a device stores them is its
    own matter. Element types are floats (a device computes f32 graphs in its own)
    and integers with zero points; scales are gone, only the integers that
    requantise are left. The reference executes every op.

    Integer sums are of 32 bits and wrap. Padding stands for the real number 0, so
    of integers it holds the zero point; of a maximum it never wins.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class ConvCore_Attr<string name, string attrMnemonic> : AttrDef<ConvCore_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def ConvCore_RequantAttr : ConvCore_Attr<"Requant", "requant"> {
  let summary = "From an integer sum to the integers of a narrow type";
  let description = [{
    clamp(round(sum * multiplier / 2^shift) + zeroPoint, low, high), with the
    product in 64 bits. There is one multiplier and one shift, or one of each per
    channel. An activation that clamps (relu, clip) is part of low and high.
    - [requant.1] as many multipliers as shifts, at least one.
    - [requant.2] multipliers are in [0, 2^31), shifts in [1, 62].
    - [requant.3] low <= high, both values of `type`, an integer type of up to 32
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
  let summary = "An activation of floats: `low` and `high` of a clip, `slope` of a leaky relu";
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

/// The verifier of every op: its type rule gives the types that it has.
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
  let summary = "Convolution with bias, activation or requantisation";
  let description = [{
    activation(sum of (input - inputZeroPoint) * (weight - weightZeroPoint) + bias),
    then `requant`. Weights are O, I / groups, H, W. A fully connected layer is a
    convolution whose kernel is as large as its input; a depthwise one has as many
    groups as channels. `pads` are top, left, bottom, right.
    - [conv.1] the input is N x C x H x W; strides, dilations, kernel sizes and
      groups are positive, pads not negative, and the padded input holds one window.
    - [conv.2] input channels = weight input channels * groups; output channels are
      a multiple of groups.
    - [conv.3] of floats: one element type, no zero points, no `requant`.
    - [conv.4] of integers: input and weight are of 8 or 16 bits, the bias is i32,
      there is no `activation`; the result is i32, or what `requant` gives.
    - [conv.5] `bias` has one entry per output channel, the lists of `requant` one for
      all or one per output channel.

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
  let summary = "Two tensors element by element, with activation or requantisation";
  let description = [{
    Of integers each term is (x - zeroPoint) * multiplier; the function of both
    terms, in 64 bits, goes through `requant`.
    - [eltwise.1] `rhs` has the shape of `lhs`, or is 1 x C x 1 x 1, or one element.
    - [eltwise.2] of floats: one element type, no zero points, multipliers 1, no
      `requant`.
    - [eltwise.3] of integers: both of 8 or 16 bits, no `activation`; the result is i32,
      or what `requant`, with one multiplier, gives.
    - [eltwise.4] multipliers are below 2^31 in magnitude and not 0: a negative one
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
                       OptionalAttr<ConvCore_RequantAttr>:$requant);
}

def ConvCore_ScaleOp : ConvCore_Op<"scale"> {
  let summary = "x * scale + bias per channel, with activation: batch norm of inference";
  let description = [{
    - [scale.1] `scale` and `bias` are of floats as the input, one entry per channel
      (dimension 1).
  }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_Tensor:$scale,
                       Optional<ConvCore_Tensor>:$bias, OptionalAttr<ConvCore_ActAttr>:$activation);
}

def ConvCore_ActivationOp : ConvCore_Op<"activation"> {
  let summary = "A function of each element";
  let description = [{
    - [activation.1] of floats; integers take a `lookup`, or the bounds of `requant`.

    ```mlir
    %y = convcore.activation %x {activation = #convcore.act<clip, low = 0.0 : f64, high = 6.0 : f64>}
        : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_ActAttr:$activation);
}

def ConvCore_PReluOp : ConvCore_Op<"prelu"> {
  let summary = "x where positive, else x * slope, per channel";
  let description = [{ - [prelu.1] `slope` is of floats as the input, one entry per channel. }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_Tensor:$slope);
}

def ConvCore_PoolKind : I32EnumAttr<"PoolKind", "what of a window", [
    I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Average", 1, "average">,
    I32EnumAttrCase<"Min", 2, "min">]> {
  let cppNamespace = "::convoy::convcore";
}

def ConvCore_PoolOp : ConvCore_Op<"pool"> {
  let summary = "Maximum, minimum or mean of each window";
  let description = [{
    A global pool has a kernel as large as the input. The mean divides by the
    elements of the input in the window, or by all of the window with
    `countIncludePad`. Of integers it is the sum of (x - inputZeroPoint) through
    `requant`, whose multiplier holds the divisor, or the i32 sum without one; a device
    that rounds rows and then columns has two pools.
    - [pool.1] as [conv.1] without dilations; every window holds an element of the
      input.
    - [pool.2] a mean of integers has `countIncludePad`, and alone may have `requant`,
      with one multiplier.
    - [pool.3] `countIncludePad` only for means.
  }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_PoolKind:$kind, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DefaultValuedAttr<BoolAttr, "false">:$countIncludePad,
                       DefaultValuedAttr<I64Attr, "0">:$inputZeroPoint,
                       OptionalAttr<ConvCore_RequantAttr>:$requant);
}

def ConvCore_LrnOp : ConvCore_Op<"lrn"> {
  let summary = "x / (bias + alpha / size * sum of squares over neighbouring channels) ^ beta";
  let description = [{ - [lrn.1] of floats, N x C x H x W; `size` is positive. }];
  let arguments = (ins ConvCore_Tensor:$input, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta,
                       F64Attr:$bias);
}

def ConvCore_IntegerLrnOp : ConvCore_Op<"integer_lrn"> {
  let summary = "x * f(sum of squares over neighbouring channels) + bias, f by tables";
  let description = [{
    As graph.integer_lrn says; the sum may go through `requant`.
    - [integer_lrn.1] the input is N x C x H x W of 8 bits; the rest as for graph.integer_lrn.
    - [integer_lrn.2] the result is i32, or what `requant`, with one multiplier, gives.
  }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_Tensor:$near, ConvCore_Tensor:$far,
                       I64Attr:$size, I64Attr:$inputZeroPoint, I64Attr:$nearShift,
                       I64Attr:$farStart, I64Attr:$farShift, I64Attr:$bias,
                       OptionalAttr<ConvCore_RequantAttr>:$requant);
}

def ConvCore_SoftmaxOp : ConvCore_Op<"softmax"> {
  let summary = "exp(x - max) / sum of them, along `axis`";
  let description = [{ - [softmax.1] of floats; `axis` is a dimension. }];
  let arguments = (ins ConvCore_Tensor:$input, I64Attr:$axis);
}

def ConvCore_LookupOp : ConvCore_Op<"lookup"> {
  let summary = "table[x - lowest value of its type], for each element";
  let description = [{
    - [lookup.1] the input is of integers of 8 bits, and the table a vector with an
      entry for each of their 256 values.
  }];
  let arguments = (ins ConvCore_Tensor:$input, ConvCore_Tensor:$table);
}

def ConvCore_RequantizeOp : ConvCore_Op<"requantize"> {
  let summary = "Integers of one scale and zero point to another";
  let description = [{ - [requantize.1] the input is of integers of up to 32 bits; lists as [conv.5]. }];
  let arguments = (ins ConvCore_Tensor:$input, DefaultValuedAttr<I64Attr, "0">:$inputZeroPoint,
                       ConvCore_RequantAttr:$requant);
}

def ConvCore_ConvertOp : ConvCore_Op<"convert"> {
  let summary = "Floats of one type to another, rounded to nearest even";
  let description = [{ - [convert.1] input and `to` are of floats. }];
  let arguments = (ins ConvCore_Tensor:$input, TypeAttr:$to);
}

def ConvCore_ConcatOp : ConvCore_Op<"concat"> {
  let summary = "Tensors behind each other along `axis`";
  let description = [{
    - [concat.1] at least one input, all alike but for the size of `axis`.
  }];
  let arguments = (ins Variadic<ConvCore_Tensor>:$inputs, I64Attr:$axis);
}

def ConvCore_SliceOp : ConvCore_Op<"slice"> {
  let summary = "The box of `sizes` elements at `offsets`";
  let description = [{
    - [slice.1] an offset and a size per dimension, and the box lies in the input.
  }];
  let arguments = (ins ConvCore_Tensor:$input, DenseI64ArrayAttr:$offsets,
                       DenseI64ArrayAttr:$sizes);
}

def ConvCore_ReshapeOp : ConvCore_Op<"reshape"> {
  let summary = "The same elements, row-major, under another shape";
  let description = [{ - [reshape.1] `shape` has as many elements. }];
  let arguments = (ins ConvCore_Tensor:$input, DenseI64ArrayAttr:$shape);
}

def ConvCore_TransposeOp : ConvCore_Op<"transpose"> {
  let summary = "Dimension i of the result is dimension permutation[i] of the input";
  let description = [{ - [transpose.1] each dimension is named once. }];
  let arguments = (ins ConvCore_Tensor:$input, DenseI64ArrayAttr:$permutation);
}

def ConvCore_CopyOp : ConvCore_Op<"copy"> {
  let summary = "The same tensor in memory of its own";
  let description = [{ For a value that must not share bytes with another. }];
  let arguments = (ins ConvCore_Tensor:$input);
}

#endif // CONVOY_CONVCORE_TD
