// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multiply ops: sums of products of small integers, lane by lane. The emitters of the integer
// templates create them (DotProduct.h). Codegen/LLVM lowers each op to the instructions of its form.
// Codegen/C prints each op as a macro with a body per instruction set. All bodies give the same bits:
// sums wrap in i32, and no intermediate result saturates.

#ifndef CONVOY_KERNELS_MULTIPLY_TD
#define CONVOY_KERNELS_MULTIPLY_TD

include "Kernels/Kernel.td"

def Kernel_DotFormAttr : EnumAttr<Kernel_Dialect, Kernel_DotForm, "dot_form">;

def Kernel_Signs : I32EnumAttr<"Signs", "The signs of both factors of a multiply op", [
    I32EnumAttrCase<"UnsignedSigned", 0, "us">, // x is unsigned, w is signed
    I32EnumAttrCase<"SignedSigned", 1, "ss">]>
{
  let cppNamespace = "::convoy::kernels";
  let genSpecializedAttr = 0;
}

def Kernel_SignsAttr : EnumAttr<Kernel_Dialect, Kernel_Signs, "signs">;

/// A vector of 32-bit lanes. Byte and word 0 of a lane are its lowest bits.
def Kernel_Lanes : VectorOfRankAndType<[1], [I32]>;
/// Four 32-bit lanes: two rows of two sums, or two rows of eight bytes.
def Kernel_Squares : VectorOfLengthAndType<[4], [I32]>;
def Kernel_WideLanes : VectorOfRankAndType<[1], [I64]>;

/// sums[lane] += dot product of the parts of x[lane] and w[lane].
class Kernel_DotOp<string mnemonic, dag attributes>
    : Op<Kernel_Dialect, mnemonic, [Pure, AllTypesMatch<["sums", "x", "w", "result"]>]> {
  let arguments = !con((ins Kernel_Lanes:$sums, Kernel_Lanes:$x, Kernel_Lanes:$w), attributes);
  let results = (outs Kernel_Lanes:$result);
  let hasVerifier = 1;
}

def Kernel_DotBytesOp : Kernel_DotOp<"dot_bytes",
    (ins Kernel_DotFormAttr:$form, Kernel_SignsAttr:$signs)> {
  let summary = "Adds the dot product of four bytes to each lane";
  let description = [{
    [dot_bytes.1] The form has an instruction for four byte products with these signs: `bytes` and
    `usdot` for `us`, `sdot` for `ss`. [dot_bytes.2] The vectors have 4, 8 or 16 lanes. The forms of
    Arm have 4.

    ```mlir
    %r = kernel.dot_bytes bytes us %sums, %x, %w : vector<16xi32>                      // before

    %r = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%sums, %x, %w)             // in LLVM

    %r = kernel.dot_bytes sdot ss %sums, %x, %w : vector<4xi32>                        // before

    %a = llvm.bitcast %x : vector<4xi32> to vector<16xi8>                              // in LLVM
    %b = llvm.bitcast %w : vector<4xi32> to vector<16xi8>
    %r = llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%sums, %a, %b)
    ```
    ```c
    const u32x16 r = CONVOY_DOT_US_16(sums, x, w);                                     // in C
    ```
  }];
  let assemblyFormat = "$form $signs $sums `,` $x `,` $w attr-dict `:` type($result)";
}

def Kernel_MatmulBytesOp : Op<Kernel_Dialect, "matmul_bytes",
    [Pure, AllTypesMatch<["sums", "x", "w", "result"]>]> {
  let summary = "Adds the products of two rows of eight bytes with two rows of eight bytes";
  let description = [{
    USMMLA of Arm's I8MM. x holds two rows of unsigned bytes, w two rows of signed bytes. Lane
    2 * i + j of the sums belongs to row i of x and row j of w.

    ```mlir
    %r = kernel.matmul_bytes %sums, %x, %w : vector<4xi32>                             // before

    %a = llvm.bitcast %x : vector<4xi32> to vector<16xi8>                              // in LLVM
    %b = llvm.bitcast %w : vector<4xi32> to vector<16xi8>
    %r = llvm.call_intrinsic "llvm.aarch64.neon.usmmla.v4i32.v16i8"(%sums, %a, %b)
    ```
    ```c
    const u32x4 r = CONVOY_MATMUL_US_4(sums, x, w);                                    // in C
    ```
  }];
  let arguments = (ins Kernel_Squares:$sums, Kernel_Squares:$x, Kernel_Squares:$w);
  let results = (outs Kernel_Squares:$result);
  let assemblyFormat = "$sums `,` $x `,` $w attr-dict `:` type($result)";
}

def Kernel_DotWordsOp : Kernel_DotOp<"dot_words", (ins Kernel_DotFormAttr:$form)> {
  let summary = "Adds the dot product of two signed 16-bit words to each lane";
  let description = [{
    [dot_words.1] The form has an instruction for two word products: `bytes` (vpdpwssd) or `pairs`
    (vpmaddwd and an addition). [dot_words.2] The vectors have 4, 8 or 16 lanes.

    ```mlir
    %r = kernel.dot_words pairs %sums, %x, %w : vector<8xi32>                          // before

    %a = llvm.bitcast %x : vector<8xi32> to vector<16xi16>                             // in LLVM
    %b = llvm.bitcast %w : vector<8xi32> to vector<16xi16>
    %p = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%a, %b)
    %r = llvm.add %sums, %p
    ```
    ```c
    const u32x8 r = CONVOY_DOT_WORDS_8(sums, x, w);                                    // in C
    ```
  }];
  let assemblyFormat = "$form $sums `,` $x `,` $w attr-dict `:` type($result)";
}

def Kernel_MultiplyHalvesOp : Op<Kernel_Dialect, "multiply_halves",
    [Pure, AllTypesMatch<["x", "y", "result"]>]> {
  let summary = "Multiplies the lower, signed 32-bit halves of 64-bit lanes";
  let description = [{
    `convoy-codegen-lower-for-source` creates this op, because C compilers do not recognize the
    instruction (vpmuldq) in the shifts that sign-extend both factors. LLVM recognizes it, so the
    op never reaches Codegen/LLVM. [multiply_halves.1] The vectors have 2, 4 or 8 lanes.

    ```mlir
    %a = arith.shrsi (arith.shli %x, %c32), %c32 : vector<8xi64>                       // before
    %b = arith.shrsi (arith.shli %y, %c32), %c32 : vector<8xi64>
    %r = arith.muli %a, %b : vector<8xi64>

    %r = kernel.multiply_halves %x, %y : vector<8xi64>                                 // after
    ```
    ```c
    const u64x8 r = CONVOY_MULTIPLY_HALVES_8(x, y);                                    // in C
    ```
  }];
  let arguments = (ins Kernel_WideLanes:$x, Kernel_WideLanes:$y);
  let results = (outs Kernel_WideLanes:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // CONVOY_KERNELS_MULTIPLY_TD
