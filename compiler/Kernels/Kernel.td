// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel dialect: the target machine, and the attribute of kernels on a device. The .td file in
// the folder of each template adds its configuration and the layout of its weights. CMake generates
// Templates.td, which includes these files and Multiply.td.

#ifndef CONVOY_KERNELS_KERNEL_TD
#define CONVOY_KERNELS_KERNEL_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Graph/Layout.td"
include "Kernels/ByteOp.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::convoy::kernels";
  let summary = "Configurations of kernel templates and the weight layouts they read";
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

class Kernel_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Kernel_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
}

/// The configuration of a template. Its text may come from a file, so the verifier rejects numbers
/// for which no code can be generated. The template lowers the kernels with such a `config` to
/// functions on flat memory, as `convoy-kernels-lower-loops` does. The description of the attribute
/// tells which kernels the lowering takes.
class Kernel_ConfigAttr<string name, string attrMnemonic> : Kernel_Attr<name, attrMnemonic> {
  let genVerifyDecl = 1;
}

/// A configuration with the verifier that most templates need (CheckNumbers.h).
class Kernel_NumbersAttr<string name, string attrMnemonic> : Kernel_ConfigAttr<name, attrMnemonic> {
  /// The numbers that may be 0. All others are at least 1.
  list<string> fromZero = [];
  /// The unrolled products of an innermost step, as an expression of the parameters.
  string products = "0";
  /// Statements that return an error for numbers that do not fit each other.
  string check = "";
  list<int> places = !range(!size(parameters));
  list<string> declared = !foreach(i, places,
      !getdagarg<string>(parameters, i) # " " # !getdagname(parameters, i));
  list<int> numbers = !filter(i, places, !eq(!getdagarg<string>(parameters, i), "int64_t"));
  list<string> bounds = !foreach(i, numbers,
      "{\"" # !getdagname(parameters, i) # "\", " # !getdagname(parameters, i) # ", " #
      !if(!empty(!filter(name, fromZero, !eq(name, !getdagname(parameters, i)))), "1", "0") # "}");
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError, }] #
        !interleave(declared, ", ") # [{) {
      if (failed(checkNumbers(emitError, {}] # !interleave(bounds, ", ") # [{}))) {
        return ::mlir::failure();
      }
      }] # check # [{
      return checkProducts(emitError, }] # products # [{);
    }
  }];
}

/// The configuration of a template of bytes whose step is one row of the result.
class Kernel_RowStepAttr<string name, string attrMnemonic>
    : Kernel_ConfigAttr<name, attrMnemonic> {
  let parameters = (ins "int64_t":$rows); // rows per step: 1
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError, int64_t rows) {
      if (rows != 1) {
        return emitError() << "expects one row per step, got " << rows;
      }
      return ::mlir::success();
    }
  }];
}

def Kernel_DotForm : I32EnumAttr<"DotForm", "Instructions that sum products of bytes", [
    I32EnumAttrCase<"None", 0, "none">,    // only lane-wise products
    I32EnumAttrCase<"Pairs", 1, "pairs">,  // sums pairs of 16-bit products (vpmaddwd)
    I32EnumAttrCase<"Bytes", 2, "bytes">,  // sums four byte products (vpdpbusd)
    I32EnumAttrCase<"Sdot", 3, "sdot">,    // sums four products of signed bytes (Arm's SDOT)
    I32EnumAttrCase<"Usdot", 4, "usdot">]> // sums four byte products (USDOT of Arm's I8MM)
{
  let cppNamespace = "::convoy::kernels";
  let genSpecializedAttr = 0;
}

def Kernel_MachineAttr : Kernel_Attr<"Machine", "machine"> {
  let summary = "The properties of the target that cost models and emitters use";
  let description = [{
    `convoy-kernels-insert-machine` sets this attribute on the module as `kernel.machine`. The
    layout and the kernels stage read it. `Kernels/Machine.h` documents each property.
  }];
  let parameters = (ins "int64_t":$vectorBytes, "int64_t":$vectorRegisters, "int64_t":$fmaPorts,
                        "bool":$hasScalarOperands, "int64_t":$firstCacheBytes,
                        "int64_t":$secondCacheBytes, EnumParameter<Kernel_DotForm>:$dot,
                        "bool":$hasTiles, DefaultValuedParameter<"bool", "false">:$hasByteOps,
                        DefaultValuedParameter<"bool", "false">:$hasPairProducts);
}

/// An inner loop on bytes (ByteOp.td). `attributes` are its integer attributes in the order in which
/// the function in emitted C takes them, after the operands.
class Kernel_ByteOp<string mnemonic, dag operands, dag attributes>
    : Op<Kernel_Dialect, mnemonic, [DeclareOpInterfaceMethods<Kernel_ByteOpInterface>]> {
  let arguments = !con(operands, attributes);
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::functionName() { return "}] # mnemonic # [{"; }
    ::llvm::SmallVector<int64_t> $cppClass::numbers() {
      return {}] # !interleave(!foreach(i, !range(!size(attributes)),
                    "static_cast<int64_t>(get" # !toupper(!substr(!getdagname(attributes, i), 0, 1))
                    # !substr(!getdagname(attributes, i), 1) # "())"), ", ") # "}" # [{;
    }
  }];
}

/// Bytes in memory that a byte op reads or writes.
def Kernel_ReadBytes : Arg<MemRefOf<[I8]>, "bytes", [MemRead]>;
def Kernel_WrittenBytes : Arg<MemRefOf<[I8]>, "bytes", [MemWrite]>;
/// A table with an entry per channel, or with equal entries (RescaleTableAttr).
def Kernel_Table : Arg<MemRefOf<[I32]>, "table", [MemRead]>;

def Kernel_ByteFillOp : Kernel_ByteOp<"byte_fill",
    (ins Kernel_WrittenBytes:$result, Index:$resultAt, Index:$count), (ins I64Attr:$value)> {
  let summary = "Sets consecutive bytes to one value";
  let description = [{
    ```mlir
    kernel.byte_fill %patch[%at], %c48 {value = -128 : i64} : memref<144xi8>   // before

    convoy_byte_fill(patch + at, 48, -128);                                   // in C
    ```
  }];
  let assemblyFormat = "$result `[` $resultAt `]` `,` $count attr-dict `:` type($result)";
}

def Kernel_ByteAddOp : Kernel_ByteOp<"byte_add",
    (ins Kernel_ReadBytes:$lhs, Index:$lhsAt, Kernel_ReadBytes:$rhs, Index:$rhsAt,
         Kernel_WrittenBytes:$result, Index:$resultAt, Index:$count),
    (ins I64Attr:$lhsMultiplier, I64Attr:$rhsMultiplier, I64Attr:$start, I64Attr:$shift,
         I64Attr:$zeroPoint, I64Attr:$low, I64Attr:$high, I64Attr:$rounding)> {
  let summary = "Adds consecutive bytes of two operands with weights and rescales the sums";
  let description = [{
    sum = start + lhs * lhsMultiplier + rhs * rhsMultiplier
    result = clamp(round(sum / 2^shift) + zeroPoint, low, high)

    This is graph.integer_add with the zero points of the operands in `start`. The sums must fit in
    i32. The result may be the memory of an operand.

    ```mlir
    kernel.byte_add %y[%c0], %x[%c0] to %y[%c0], %c512 {lhsMultiplier = 524288 : i64, ...}
        : memref<512xi8>, memref<512xi8>, memref<512xi8>                               // before

    convoy_byte_add(y, x, y, 512, 524288, ...);                                         // in C
    ```
  }];
  let assemblyFormat = [{
    $lhs `[` $lhsAt `]` `,` $rhs `[` $rhsAt `]` `to` $result `[` $resultAt `]` `,` $count attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($result)
  }];
}

def Kernel_RescaleTableAttr : Kernel_Attr<"RescaleTable", "rescale_table",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let summary = "Biases, multipliers or shifts as byte ops read them: in whole groups of `lanes`";
  let description = [{
    A vector is padded with zeros to a multiple of `lanes`. A scalar is stored `lanes` times, so that
    a byte op can read it as a vector. If `minuend` is not 0, an entry e is stored as minuend - e.

    Byte ops rescale a sum by multiplier m and shift s in two steps, without 64-bit arithmetic:

        high   = floor(2 sum m / 2^32)
        result = floor((high + 2^(t - 1)) / 2^t),   t = s - 31

    This equals floor((sum m + 2^(s - 1)) / 2^s), rounding half up, because the lower half of the
    product has no bit of 2^(s - 1) or above if s is at least 32. MVE shifts right by a negative
    number, so shifts are stored with the minuend 31, as 31 - s = -t.
  }];
  let parameters = (ins "int64_t":$lanes, "int64_t":$minuend);
}

def Kernel_OffloadAttr : Kernel_Attr<"Offload", "offload"> {
  let summary = "The kernel runs on a device; its first operand is the device program, if it exists";
  let description = [{
    The place stage sets this attribute on the regions of a device. `program` states whether the
    program exists. The body keeps the semantics of the region, with or without a program.
  }];
  let parameters = (ins StringRefParameter<"target of the device">:$device,
                        DefaultValuedParameter<"bool", "false">:$program);
}

#endif // CONVOY_KERNELS_KERNEL_TD
