// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of byte ops: inner loops on bytes in memory that emitted C calls as functions. Each
// template declares its byte ops in its own .td file.

#ifndef CONVOY_KERNELS_BYTE_OP_TD
#define CONVOY_KERNELS_BYTE_OP_TD

include "mlir/IR/OpBase.td"

def Kernel_ByteOpInterface : OpInterface<"ByteOpInterface"> {
  let cppNamespace = "::convoy::kernels";
  let description = [{
    An inner loop on bytes in memory. Emitted C contains the function `convoy_<function>`, whose
    text is compiler/Codegen/C/Bytes/<function>.h, and calls it:

    - Each operand with memory is followed by its offset, an index in elements. Both are one
      argument: the address of the element.
    - Each other operand is an argument of type ptrdiff_t.
    - The integer attributes follow in the order in which the op declares them.

    The function has a body for MVE, one for the DSP extension of Armv7E-M, and one in plain C. The
    plain body defines the semantics of the op; all bodies give the same bytes. The memory effects
    of the operands tell which memory the function writes.
  }];
  let methods = [
    StaticInterfaceMethod<"Returns the name of the function without its prefix.",
                          "::llvm::StringRef", "functionName">,
    InterfaceMethod<"Returns the integer attributes in the order of the arguments.",
                    "::llvm::SmallVector<int64_t>", "numbers">,
  ];
}

#endif // CONVOY_KERNELS_BYTE_OP_TD
