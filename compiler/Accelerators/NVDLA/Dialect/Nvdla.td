// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nvdla dialect: the jobs of the hardware units, before addresses are assigned.
// LowerConvCore.cpp lowers convcore layers to these ops, and EmitLoadable.cpp assigns memory and
// emits descriptors.

#ifndef CONVOY_NVDLA_TD
#define CONVOY_NVDLA_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nvdla_Dialect : Dialect {
  let name = "nvdla";
  let cppNamespace = "::convoy::nvdla";
  let summary = "Jobs of NVDLA's units on cubes without addresses";
  let description = [{
    A tensor 1 x C x H x W or 1 x C is a cube of the device. A vector holds planes. Units support only signed numbers, so
    a `ui8` cube is stored with 128 subtracted from every element. All constants of an op (padding,
    operands, offsets) refer to the stored numbers.

    CONV cannot write to memory: its i32 result goes to the one SDP that reads it. Ops are in
    execution order. One op may become several jobs: parts of a grouped convolution, and bands of
    rows that fit in the convolution buffer.

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

def Nvdla_Alu : Nvdla_Enum<"Alu", "operation of a stage's ALU", [
    I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Min", 1, "min">,
    I32EnumAttrCase<"Sum", 2, "sum">, I32EnumAttrCase<"None", 3, "none">]>;

def Nvdla_OperandSource : Nvdla_Enum<"OperandSource", "source of a stage's operands", [
    I32EnumAttrCase<"Register", 0, "register">, I32EnumAttrCase<"Kernel", 1, "kernel">,
    I32EnumAttrCase<"Element", 2, "element">]>;

def Nvdla_StageAttr : AttrDef<Nvdla_Dialect, "Stage"> {
  let mnemonic = "stage";
  let summary = "One stage of SDP: ALU, multiplication, rounding shift, relu";
  let description = [{
    X1 and X2 compute max(0, round((v alu (a << shift)) * m / 2^truncate)), rounding half away
    from zero. Each step is optional. Operands come from registers (`aluOperand`, `mulOperand`),
    from memory per kernel (i16, in pairs of ALU and multiplication operand if the stage has
    both), or from memory per element (a cube). For fp16 there are no shifts, and register operands
    contain the bits of fp16 numbers.

    - [stage.1] `shift` and `truncate` are in [0, 63], register operands have 16 bits.
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
  let summary = "CONV: convolution without bias, padded with `padValue`";
  let description = [{
    Weights are O x (I / groups) x H x W; the emitter packs them. `pads` are top, left, bottom,
    right. There is no zero point: the bias of SDP includes its contribution. With `image` the
    input, an argument, is stored as rows of pixels, and CONV processes a kernel row as one column
    with many channels. With `winograd` four outputs take 16 products per channel instead of 36,
    weights are transformed, and whole tiles of 4 x 4 outputs are written.

    - [conv.1] one SDP reads the result and is its only user.
  }];
  let arguments = (ins Nvdla_Tensor:$input, Nvdla_Tensor:$weight, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                       I64Attr:$padValue, UnitAttr:$image, UnitAttr:$winograd);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nvdla_CurveKind : Nvdla_Enum<"CurveKind", "function that stage Y computes with tables", [
    I32EnumAttrCase<"Sigmoid", 0, "sigmoid">, I32EnumAttrCase<"Tanh", 1, "tanh">]> {
  let genSpecializedAttr = 1;
}

def Nvdla_SdpOp : Nvdla_Op<"sdp", [AttrSizedOperandSegments]> {
  let summary = "SDP: stages X1, X2, Y, then round((v - offset) * scale / 2^shift), saturated";
  let description = [{
    The source is the sum of a CONV or a cube. A stage with operands from memory reads them from
    `x1` or `x2`: per kernel a constant C x 1 or C x 2 of i16 (ALU operand first), per element a
    cube. Stage Y computes a function with its tables. For int8, `table` holds the entries, and
    entry i is for the value i - 129 (the first interval of LO begins behind its start), so every
    function of a byte is exact. For fp16, `curve` names the function, and the emitter fits the
    tables. With `toPdp`, the one PDP that reads the result receives it on the fly, without
    memory.

    - [sdp.1] a stage has an operand from memory exactly if its `from` requires one.
    - [sdp.2] `scale` has 16 bits, `shift` is in [0, 63].
    - [sdp.3] a table has 257 entries of i16 and requires an int8 result; a curve requires an
      fp16 result.
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

def Nvdla_PoolMethod : Nvdla_Enum<"PoolMethod", "function of a window", [
    I32EnumAttrCase<"Average", 0, "average">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">]> {
  let genSpecializedAttr = 1;
}

def Nvdla_PdpOp : Nvdla_Op<"pdp"> {
  let summary = "PDP: the maximum, minimum or average of each window";
  let description = [{
    An average includes padding, which has the value `padValue`, and rounds twice: the sum times
    1 / width, then times 1 / height. Maximum and minimum ignore padding.
  }];
  let arguments = (ins Nvdla_Tensor:$input, Nvdla_PoolMethod:$method, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DefaultValuedAttr<I64Attr, "0">:$padValue);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Nvdla_CdpOp : Nvdla_Op<"cdp"> {
  let summary = "CDP: x / (bias + alpha / size * sum of squares over neighboring channels) ^ beta";
  let description = [{
    The factor comes from tables that the emitter fits (Tables/LutTables.h).

    - [cdp.1] the channels of the input have no gaps: they are adjacent in memory.
  }];
  let arguments = (ins Nvdla_Tensor:$input, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta,
                       F64Attr:$bias);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Nvdla_TableCdpOp : Nvdla_Op<"table_cdp"> {
  let summary = "CDP on int8: x * f(sum of squares over neighboring channels), with f read from tables";
  let description = [{
    Computes convcore.integer_lrn on stored numbers. `inOffset` is subtracted from the input and
    `bias` is added to the products, which are then scaled by `scale` / 2^`shift`. One of the
    tables has the 64 intervals of LE, the other has the 256 intervals of LO.

    - [table_cdp.1] as [cdp.1].
  }];
  let arguments = (ins Nvdla_Tensor:$input, Nvdla_Tensor:$near, Nvdla_Tensor:$far, I64Attr:$size,
                       I64Attr:$nearShift, I64Attr:$farStart, I64Attr:$farShift, I64Attr:$inOffset,
                       I64Attr:$bias, I64Attr:$scale, I64Attr:$shift);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Nvdla_ContractOp : Nvdla_Op<"contract"> {
  let summary = "RUBIK in contract mode: distributes blocks of channels over a grid of pixels";
  let description = [{
    `strides` are s along the height and t along the width. Pixel (y s + i, x t + j) of the result
    has the channels of block i t + j of pixel (y, x) of the input. A block may have more channels
    than the result; the unit moves whole atoms.

    - [contract.1] the input has s t blocks of at least as many channels as the result; height and
      width of the result are s times and t times those of the input; strides are in [1, 32].
    - [contract.2] in memory, each block starts with an atom, and its channels are adjacent.

    ```mlir
    %y = nvdla.contract %x {strides = array<i64: 2, 2>}
        : (tensor<1x64x4x4xf16>) -> tensor<1x16x8x8xf16>
    ```
  }];
  let arguments = (ins Nvdla_Tensor:$input, DenseI64ArrayAttr:$strides);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

/// The jobs of RUBIK between a cube and planes.
class Nvdla_PlanesOp<string mnemonic> : Nvdla_Op<mnemonic> {
  let arguments = (ins Nvdla_Tensor:$input, I64Attr:$channels, DenseI64ArrayAttr:$offsets,
                       I64Attr:$planeStep, I64Attr:$lineStep);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nvdla_SplitOp : Nvdla_PlanesOp<"split"> {
  let summary = "RUBIK in split mode: stores each channel of a cube as a plane";
  let description = [{
    The result is a vector in memory. Job i moves `channels` channels from channel i * `channels` on.
    Element (c, y, x) of these channels is element offsets[i] + c * `planeStep` + y * `lineStep` + x
    of the vector. Steps are independent, so lines can have any order.

    - [split.1] the jobs move all channels of the cube; all elements lie in the vector.
    - [split.2] offsets and steps are multiples of 64 bytes.
    - [split.3] in memory, the channels of each job are adjacent and start with an atom.

    ```mlir
    %p = nvdla.split %x {channels = 32 : i64, offsets = array<i64: 0>, planeStep = 32 : i64,
        lineStep = 1024 : i64} : (tensor<1x32x4x32xf16>) -> tensor<4096xf16>
    %y = nvdla.merge %p {channels = 4 : i64, offsets = array<i64: 0>, planeStep = 1024 : i64,
        lineStep = 32 : i64} : (tensor<4096xf16>) -> tensor<1x4x32x32xf16> // swaps C and H
    ```
  }];
}

def Nvdla_MergeOp : Nvdla_PlanesOp<"merge"> {
  let summary = "RUBIK in merge mode: stores planes as the channels of a cube";
  let description = [{
    The inverse of nvdla.split, with the same attributes.

    - [merge.1], [merge.2] as [split.1], [split.2].
    - [merge.3] `channels` is a multiple of an atom's channels, or there is one job.
  }];
}

def Nvdla_TurnOp : Nvdla_Op<"turn"> {
  let summary = "RUBIK on the atoms of a cube: moves channels behind the columns, or back";
  let description = [{
    With `toLast`, element (y, x, c) of the result is element (c, y, x) of the input. RUBIK in merge
    mode reads a row of one surface of the input as a plane, and an atom as a line of this plane.
    Without `toLast`, the op is the inverse, and RUBIK in split mode writes a row of the result as a
    plane. There are two jobs for each surface, for even and for odd columns, because lines start at
    multiples of 64 bytes, and an atom has 32.

    - [turn.1] the shapes are 1 x C x H x W and 1 x H x W x C.
    - [turn.2] in memory, the channels of the cube 1 x C x H x W have no gaps; if W is odd, its rows
      have an additional atom.

    ```mlir
    %y = nvdla.turn %x {toLast} : (tensor<1x8x6x4xf16>) -> tensor<1x6x4x8xf16>
    ```
  }];
  let arguments = (ins Nvdla_Tensor:$input, UnitAttr:$toLast);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nvdla_JoinOp : Nvdla_Op<"join"> {
  let summary = "Concatenates cubes along channels by the addresses to which they are written";
  let description = [{
    No unit runs. Each input starts with its own atom, so the channels of the result may have
    gaps, which its readers skip.

    - [join.1] each input is written by SDP, PDP, CDP, RUBIK or another join, and joined once.
  }];
  let arguments = (ins Variadic<Nvdla_Tensor>:$inputs);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Nvdla_ViewOp : Nvdla_Op<"view"> {
  let summary = "Reads a box of a cube, or the cube with another shape, by its address";
  let description = [{
    No unit runs. `offsets` are channel, row, column.

    - [view.1] the channel offset is a multiple of an atom's channels.
  }];
  let arguments = (ins Nvdla_Tensor:$input, DenseI64ArrayAttr:$offsets);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // CONVOY_NVDLA_TD
