// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers multiply ops to LLVM intrinsics instead of patterns of arith ops: if LLVM does not
// recognize a pattern, for example because a factor is computed in another block, the code silently
// becomes several times slower.

#include "Codegen/LLVM/MemoryPatterns.h"
#include "Kernels/Kernel.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using convoy::kernels::DotForm;

namespace convoy::codegen {
namespace {

Value callIntrinsic(ConversionPatternRewriter &rewriter, Location loc, StringRef name,
                    VectorType type, ArrayRef<Value> operands) {
  return rewriter.create<LLVM::CallIntrinsicOp>(loc, TypeRange{type}, name, ValueRange(operands))
      ->getResult(0);
}

/// Returns "llvm.x86.avx512.<instruction>.<bits>".
std::string sized(StringRef instruction, VectorType type) {
  return ("llvm.x86.avx512." + instruction + "." + Twine(type.getNumElements() * 32)).str();
}

/// Calls an intrinsic of 64-bit Arm with both factors as bytes.
template <typename OpT>
Value callArm(ConversionPatternRewriter &rewriter, OpT op, StringRef instruction,
              typename OpT::Adaptor adaptor) {
  auto bytes = VectorType::get({16}, rewriter.getI8Type());
  Value x = rewriter.create<LLVM::BitcastOp>(op.getLoc(), bytes, adaptor.getX());
  Value w = rewriter.create<LLVM::BitcastOp>(op.getLoc(), bytes, adaptor.getW());
  std::string name = ("llvm.aarch64.neon." + instruction + ".v4i32.v16i8").str();
  return callIntrinsic(rewriter, op.getLoc(), name, op.getType(), {adaptor.getSums(), x, w});
}

/// kernel.dot_bytes bytes us   ->   vpdpbusd
/// kernel.dot_bytes sdot ss    ->   sdot on bytes
/// kernel.dot_bytes usdot us   ->   usdot on bytes
class LowerDotBytes : public ConvertOpToLLVMPattern<kernels::DotBytesOp> {
public:
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(kernels::DotBytesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    VectorType type = op.getType();
    if (op.getForm() == DotForm::Bytes) {
      rewriter.replaceOp(op, callIntrinsic(rewriter, op.getLoc(), sized("vpdpbusd", type), type,
                                           {adaptor.getSums(), adaptor.getX(), adaptor.getW()}));
      return success();
    }
    StringRef name = op.getForm() == DotForm::Sdot ? "sdot" : "usdot";
    rewriter.replaceOp(op, callArm(rewriter, op, name, adaptor));
    return success();
  }
};

/// kernel.matmul_bytes         ->   usmmla on bytes
class LowerMatmulBytes : public ConvertOpToLLVMPattern<kernels::MatmulBytesOp> {
public:
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(kernels::MatmulBytesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, callArm(rewriter, op, "usmmla", adaptor));
    return success();
  }
};

/// kernel.dot_words bytes      ->   vpdpwssd
/// kernel.dot_words pairs      ->   vpmaddwd on words, and an addition
class LowerDotWords : public ConvertOpToLLVMPattern<kernels::DotWordsOp> {
public:
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(kernels::DotWordsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    VectorType type = op.getType();
    if (op.getForm() == DotForm::Bytes) {
      rewriter.replaceOp(op, callIntrinsic(rewriter, op.getLoc(), sized("vpdpwssd", type), type,
                                           {adaptor.getSums(), adaptor.getX(), adaptor.getW()}));
      return success();
    }
    int64_t lanes = type.getNumElements();
    StringRef name = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                     : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                  : "llvm.x86.sse2.pmadd.wd";
    auto words = VectorType::get({2 * lanes}, rewriter.getI16Type());
    auto inWords = [&](Value value) -> Value {
      return rewriter.create<LLVM::BitcastOp>(op.getLoc(), words, value);
    };
    Value products = callIntrinsic(rewriter, op.getLoc(), name, type,
                                   {inWords(adaptor.getX()), inWords(adaptor.getW())});
    rewriter.replaceOpWithNewOp<LLVM::AddOp>(op, adaptor.getSums(), products);
    return success();
  }
};

} // namespace

void populateMultiplyPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerDotBytes, LowerDotWords, LowerMatmulBytes>(converter);
}

} // namespace convoy::codegen
