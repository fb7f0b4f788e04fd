// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel dialect: the target machine, and the attribute of kernels on a device. The .td file in
// the folder of each template adds its configuration and the layout of its weights. CMake generates
// Templates.td, which includes these files. The dialect has no ops.

#ifndef CONVOY_KERNELS_KERNEL_TD
#define CONVOY_KERNELS_KERNEL_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "Graph/Layout.td"

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
/// for which no code can be generated.
class Kernel_ConfigAttr<string name, string attrMnemonic> : Kernel_Attr<name, attrMnemonic> {
  let genVerifyDecl = 1;
}

def Kernel_DotForm : I32EnumAttr<"DotForm", "Instructions that sum products of bytes", [
    I32EnumAttrCase<"None", 0, "none">,    // only lane-wise products
    I32EnumAttrCase<"Pairs", 1, "pairs">,  // sums pairs of 16-bit products (vpmaddwd)
    I32EnumAttrCase<"Bytes", 2, "bytes">]> // sums four byte products (vpdpbusd)
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
                        "bool":$hasTiles);
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
