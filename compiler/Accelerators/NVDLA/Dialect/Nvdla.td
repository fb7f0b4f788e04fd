// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nvdla dialect: what each hardware unit is told, before addresses. Layers of
// convcore become these ops; EmitLoadable.cpp gives them memory and descriptors.

#ifndef CONVOY_NVDLA_TD
#define CONVOY_NVDLA_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nvdla_Dialect : Dialect {
  let name = "nvdla";
  let cppNamespace = "::convoy::nvdla";
  let summary = "Jobs of NVDLA's units, with cubes instead of addresses";
  let description = [{
    A tensor 1 x C x H x W, or 1 x C, is a cube of the device. A cube of `ui8` is stored
    with 128 taken off every element: units know signed numbers only, and all constants
    of an op (padding, operands, offsets) mean the stored numbers.

    CONV has no way to memory: its i32 result goes to the one SDP that reads it. Ops are
    in the order in which they run. One op may become several jobs: parts of a grouped
    convolution, bands of rows that fit the convolution buffer.

    ```mlir
    %y = convcore.conv %x, %w, %b {... requant = #convcore.requant<i8, multipliers = [3],
        shifts = [4], zeroPoint = 0, low = 0, high = 127, rounding = half_away>}     // before

    %0 = nvdla.conv %x, %w {padValue = 0 : i64, ...} : ... -> tensor<1x8x4x4xi32>    // after
    %y = nvdla.sdp %0 x1(%bm) {x1 = #nvdla.stage<alu = sum, mul = 1, truncate = 4,
        relu = 1, from = kernel>, offset = 0 : i64, ...} : ... -> tensor<1x8x4x4xi8>
    ```
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Nvdla_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::convoy::nvdla";
  let genSpecializedAttr = 0;
}

def Nvdla_Alu : Nvdla_Enum<"Alu", "what a stage's ALU does", [
    I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Min", 1, "min">,
    I32EnumAttrCase<"Sum", 2, "sum">, I32EnumAttrCase<"None", 3, "none">]>;

def Nvdla_OperandSource : Nvdla_Enum<"OperandSource", "where operands of a stage are", [
    I32EnumAttrCase<"Register", 0, "register">, I32EnumAttrCase<"Kernel", 1, "kernel">,
    I32EnumAttrCase<"Element", 2, "element">]>;

def Nvdla_StageAttr : AttrDef<Nvdla_Dialect, "Stage"> {
  let mnemonic = "stage";
  let summary = "One stage of SDP: ALU, product, shift with rounding, relu";
  let description = [{
    X1 and X2: max(0, round((v alu (a << shift)) * m / 2^truncate)), halves away from
    zero, each step only if it is there. Operands come from registers (`aluOperand`,
    `mulOperand`), from memory per kernel (i16, ALU and product in pairs when both are
    there), or from memory per element (a cube). Of fp16 there are no shifts, and operands
    in registers are the bits of halves.
    - [stage.1] `shift` and `truncate` are in [0, 63], register operands of 16 bits.
  }];
  let parameters = (ins DefaultValuedParameter<"::convoy::nvdla::Alu", "Alu::None">:$alu,
                        DefaultValuedParameter<"int64_t", "0">:$mul,
                        DefaultValuedParameter<"int64_t", "0">:$aluOperand,
                        DefaultValuedParameter<"int64_t", "0">:$mulOperand,
                        DefaultValuedParameter<"int64_t", "0">:$shift,
                        DefaultValuedParameter<"int64_t", "0">:$truncate,
                        DefaultValuedParameter<"int64_t", "0">:$relu,
                        DefaultValuedParameter<"::convoy::nvdla::OperandSource",
                                               "OperandSource::Register">:$from);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Nvdla_Tensor : Type<CPred<
    "::llvm::isa<::mlir::RankedTensorType>($_self) && "
    "::llvm::cast<::mlir::RankedTensorType>($_self).hasStaticShape()">, "tensor of static shape">;

class Nvdla_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nvdla_Dialect, mnemonic, !listconcat([Pure], traits)> {
  let results = (outs Nvdla_Tensor:$result);
}

def Nvdla_ConvOp : Nvdla_Op<"conv"> {
  let summary = "CONV: sums of products, padding with `padValue`";
  let description = [{
    Weights are O, I / groups, H, W; the emitter packs them. `pads` are top, left, bottom,
    right. There is no zero point: what one adds is part of SDP's bias. With `image` the
    input, an argument, is stored as rows of pixels, and a row of a kernel is worked off
    as one column of many channels. With `winograd` four outputs take 16 products a channel
    instead of 36, weights are transformed, and whole tiles of 4 x 4 outputs are written.
    - [conv.1] one SDP reads the result, and nothing else does.
  }];
  let arguments = (ins Nvdla_Tensor:$input, Nvdla_Tensor:$weight, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                       I64Attr:$padValue, UnitAttr:$image, UnitAttr:$winograd);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nvdla_BlendOp : Nvdla_Op<"blend"> {
  let summary = "CONV: lhs * lhsFactor + rhs * rhsFactor, element by element";
  let description = [{
    Two cubes of one shape are read as one of twice the channels, an atom of each at a
    time, with a diagonal of factors for weights: an exact weighted sum, which SDP's
    adders, without factors of their own, cannot give.
    - [blend.1] cubes of one shape; factors are in [-128, 127].
    - [blend.2] as [conv.1].
  }];
  let arguments = (ins Nvdla_Tensor:$lhs, Nvdla_Tensor:$rhs, I64Attr:$lhsFactor,
                       I64Attr:$rhsFactor);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nvdla_CurveKind : Nvdla_Enum<"CurveKind", "function that stage Y has tables for", [
    I32EnumAttrCase<"Sigmoid", 0, "sigmoid">, I32EnumAttrCase<"Tanh", 1, "tanh">]> {
  let genSpecializedAttr = 1;
}

def Nvdla_SdpOp : Nvdla_Op<"sdp", [AttrSizedOperandSegments]> {
  let summary = "SDP: stages X1, X2, Y, then round((v - offset) * scale / 2^shift), saturated";
  let description = [{
    The source is a CONV's sums, or a cube. A stage that takes operands from memory has
    them as `x1` or `x2`: per kernel a constant C x 1 or C x 2 of i16 (ALU's first), per
    element a cube. Stage Y is a function by its tables, if there is one: of int8 the
    entries of `table`, of which number i is for i - 129 (LO, whose first interval begins
    behind its start), so that every function of a byte is exact; of fp16 a `curve`, whose
    tables the emitter fits. With `toPdp` the one PDP that reads the result gets it without memory
    between them.
    - [sdp.1] a stage has an operand from memory exactly when its `from` says so.
    - [sdp.2] `scale` has 16 bits, `shift` is in [0, 63].
    - [sdp.3] a table has 257 entries of i16 and is for results of int8, a curve is for
      fp16.
  }];
  let arguments = (ins Nvdla_Tensor:$source, Optional<Nvdla_Tensor>:$x1Data,
                       Optional<Nvdla_Tensor>:$x2Data, Optional<Nvdla_Tensor>:$table,
                       OptionalAttr<Nvdla_StageAttr>:$x1,
                       OptionalAttr<Nvdla_StageAttr>:$x2, I64Attr:$offset,
                       DefaultValuedAttr<I64Attr, "1">:$scale,
                       DefaultValuedAttr<I64Attr, "0">:$shift, UnitAttr:$toPdp,
                       OptionalAttr<Nvdla_CurveKind>:$curve);
  let assemblyFormat = [{
    $source (`x1` `(` $x1Data^ `)`)? (`x2` `(` $x2Data^ `)`)?
    (`table` `(` $table^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Nvdla_PoolMethod : Nvdla_Enum<"PoolMethod", "what of a window", [
    I32EnumAttrCase<"Average", 0, "average">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">]> {
  let genSpecializedAttr = 1;
}

def Nvdla_PdpOp : Nvdla_Op<"pdp"> {
  let summary = "PDP: the maximum, minimum or average of each window";
  let description = [{
    An average counts padding, which holds `padValue`, and rounds twice: sums times 1 /
    width, then times 1 / height. Others do not see padding.
  }];
  let arguments = (ins Nvdla_Tensor:$input, Nvdla_PoolMethod:$method, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DefaultValuedAttr<I64Attr, "0">:$padValue);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Nvdla_CdpOp : Nvdla_Op<"cdp"> {
  let summary = "CDP: x / (bias + alpha / size * sum of squares over neighbouring channels) ^ beta";
  let description = [{
    The factor comes from tables, which the emitter fits (Tables/LutTables.h).
    - [cdp.1] channels of the input have no gaps: they are neighbours in memory.
  }];
  let arguments = (ins Nvdla_Tensor:$input, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta,
                       F64Attr:$bias);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Nvdla_TableCdpOp : Nvdla_Op<"table_cdp"> {
  let summary = "CDP of int8: x * f(sum of squares over neighbouring channels), f by its tables";
  let description = [{
    As convcore.integer_lrn, on stored numbers: `inOffset` is taken off the input, `bias`
    is added to products, which go to the output by `scale` / 2^`shift`. Of the tables one
    has the 64 intervals of LE, the other the 256 of LO.
    - [table_cdp.1] as [cdp.1].
  }];
  let arguments = (ins Nvdla_Tensor:$input, Nvdla_Tensor:$near, Nvdla_Tensor:$far, I64Attr:$size,
                       I64Attr:$nearShift, I64Attr:$farStart, I64Attr:$farShift, I64Attr:$inOffset,
                       I64Attr:$bias, I64Attr:$scale, I64Attr:$shift);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Nvdla_JoinOp : Nvdla_Op<"join"> {
  let summary = "Cubes behind each other along channels, by where they are written";
  let description = [{
    No unit runs. Each input begins with an atom of its own, so channels of the result
    may have gaps; whoever reads it skips them.
    - [join.1] each input is written by SDP, PDP, CDP or another join, and joined once.
  }];
  let arguments = (ins Variadic<Nvdla_Tensor>:$inputs);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Nvdla_ViewOp : Nvdla_Op<"view"> {
  let summary = "A box of a cube, or the cube under another shape, by where it is read";
  let description = [{
    No unit runs. `offsets` are channel, row, column.
    - [view.1] the channel offset is a multiple of an atom's channels.
  }];
  let arguments = (ins Nvdla_Tensor:$input, DenseI64ArrayAttr:$offsets);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // CONVOY_NVDLA_TD
