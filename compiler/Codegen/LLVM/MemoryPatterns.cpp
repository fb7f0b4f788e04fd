// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers memory accesses to plain pointers. Every access assumes only the alignment of one
// element, because the caller's inputs and outputs guarantee no more.

#include "Codegen/LLVM/MemoryPatterns.h"
#include "Kernels/Attributes.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

// The alignment of scratch memory on the stack: the widest vector register of any target.
constexpr int64_t kStackAlignmentBytes = 64;

/// Returns the bytes of one element in memory. A bool takes one byte.
int64_t elementBytes(Type element) {
  if (element.isIndex()) {
    return 8;
  }
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

/// The common base of the patterns below.
template <typename Op>
class MemoryPattern : public ConvertOpToLLVMPattern<Op> {
public:
  // The benefit is above upstream's patterns for the same ops, which expect descriptors.
  explicit MemoryPattern(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern<Op>(converter, /*benefit=*/2) {}

protected:
  Type pointerType() const {
    return LLVM::LLVMPointerType::get(&this->getTypeConverter()->getContext());
  }
  Type convert(Type type) const { return this->getTypeConverter()->convertType(type); }

  /// Returns the address of an element. If the access has a mask, the first lane may be
  /// outside the buffer, for example at the start of a padded row.
  Value address(OpBuilder &builder, Location loc, MemRefType type, Value base, ValueRange indices,
                bool isMasked = false) const {
    if (indices.empty()) {
      return base;
    }
    return builder.create<LLVM::GEPOp>(loc, pointerType(), convert(type.getElementType()), base,
                                       indices, /*inbounds=*/!isMasked);
  }

  /// Returns the addresses of the elements at base[offset + index] for each lane.
  Value addresses(OpBuilder &builder, Location loc, MemRefType type, Value base, ValueRange offsets,
                  Value lanes) const {
    Value start = address(builder, loc, type, base, offsets, /*isMasked=*/true);
    auto lanesType = cast<VectorType>(lanes.getType());
    Type result = LLVM::getVectorType(pointerType(), lanesType.getNumElements());
    return builder.create<LLVM::GEPOp>(loc, result, convert(type.getElementType()), start, lanes);
  }

  static IntegerAttr alignment(OpBuilder &builder, MemRefType type) {
    return builder.getI32IntegerAttr(elementBytes(type.getElementType()));
  }
};

class LowerLoad : public MemoryPattern<memref::LoadOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value pointer = address(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getMemref(),
                            adaptor.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, convert(op.getType()), pointer,
                                              elementBytes(op.getType()));
    return success();
  }
};

class LowerStore : public MemoryPattern<memref::StoreOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(memref::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value pointer = address(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getMemref(),
                            adaptor.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, adaptor.getValue(), pointer,
                                               elementBytes(op.getValue().getType()));
    return success();
  }
};

class LowerView : public MemoryPattern<memref::ViewOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(memref::ViewOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, pointerType(), rewriter.getI8Type(),
                                             adaptor.getSource(), adaptor.getByteShift(),
                                             /*inbounds=*/true);
    return success();
  }
};

class LowerCopy : public MemoryPattern<memref::CopyOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(memref::CopyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(op.getSource().getType());
    int64_t bytes = type.getNumElements() * elementBytes(type.getElementType());
    Value count = rewriter.create<LLVM::ConstantOp>(op.getLoc(), rewriter.getI64Type(),
                                                    rewriter.getI64IntegerAttr(bytes));
    // Uses memmove instead of memcpy, because a value may be copied onto itself in the arena.
    rewriter.replaceOpWithNewOp<LLVM::MemmoveOp>(op, adaptor.getTarget(), adaptor.getSource(),
                                                 count, /*isVolatile=*/false);
    return success();
  }
};

class LowerPrefetch : public MemoryPattern<memref::PrefetchOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(memref::PrefetchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // A prefetch may be beyond the end of the buffer, so the address is not inbounds.
    Value pointer = address(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getMemref(),
                            adaptor.getIndices(), /*isMasked=*/true);
    rewriter.replaceOpWithNewOp<LLVM::Prefetch>(op, pointer, op.getIsWrite() ? 1 : 0,
                                                static_cast<uint32_t>(op.getLocalityHint()),
                                                op.getIsDataCache() ? 1 : 0);
    return success();
  }
};

class LowerPointer : public MemoryPattern<memref::ExtractAlignedPointerAsIndexOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(memref::ExtractAlignedPointerAsIndexOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::PtrToIntOp>(op, convert(op.getType()), adaptor.getSource());
    return success();
  }
};

class LowerAlloca : public MemoryPattern<memref::AllocaOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(memref::AllocaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // Inserts the alloca in the entry block, because in a loop each iteration would take more
    // stack.
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(
        &op->getParentOfType<FunctionOpInterface>().getFunctionBody().front());
    Value count = rewriter.create<LLVM::ConstantOp>(
        op.getLoc(), rewriter.getI64Type(),
        rewriter.getI64IntegerAttr(op.getType().getNumElements()));
    Value stack = rewriter.create<LLVM::AllocaOp>(op.getLoc(), pointerType(),
                                                  convert(op.getType().getElementType()), count,
                                                  kStackAlignmentBytes);
    rewriter.replaceOp(op, stack);
    return success();
  }
};

class LowerVectorLoad : public MemoryPattern<vector::LoadOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(vector::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value pointer =
        address(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getBase(), adaptor.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, convert(op.getVectorType()), pointer,
                                              elementBytes(op.getMemRefType().getElementType()),
                                              /*isVolatile=*/false, op.getNontemporal());
    return success();
  }
};

class LowerVectorStore : public MemoryPattern<vector::StoreOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(vector::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value pointer =
        address(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getBase(), adaptor.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, adaptor.getValueToStore(), pointer,
                                               elementBytes(op.getMemRefType().getElementType()),
                                               /*isVolatile=*/false, op.getNontemporal());
    return success();
  }
};

class LowerMaskedLoad : public MemoryPattern<vector::MaskedLoadOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(vector::MaskedLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getMemRefType();
    Value pointer = address(rewriter, op.getLoc(), type, adaptor.getBase(), adaptor.getIndices(),
                            /*isMasked=*/true);
    rewriter.replaceOpWithNewOp<LLVM::MaskedLoadOp>(op, convert(op.getVectorType()), pointer,
                                                    adaptor.getMask(), adaptor.getPassThru(),
                                                    alignment(rewriter, type));
    return success();
  }
};

class LowerMaskedStore : public MemoryPattern<vector::MaskedStoreOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(vector::MaskedStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getMemRefType();
    Value pointer = address(rewriter, op.getLoc(), type, adaptor.getBase(), adaptor.getIndices(),
                            /*isMasked=*/true);
    rewriter.replaceOpWithNewOp<LLVM::MaskedStoreOp>(op, adaptor.getValueToStore(), pointer,
                                                     adaptor.getMask(), alignment(rewriter, type));
    return success();
  }
};

class LowerGather : public MemoryPattern<vector::GatherOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(vector::GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(op.getBaseType());
    Value pointers = addresses(rewriter, op.getLoc(), type, adaptor.getBase(), adaptor.getIndices(),
                               narrowed(rewriter, op, adaptor.getIndexVec()));
    rewriter.replaceOpWithNewOp<LLVM::masked_gather>(op, convert(op.getVectorType()), pointers,
                                                     adaptor.getMask(), adaptor.getPassThru(),
                                                     alignment(rewriter, type));
    return success();
  }

private:
  /// Returns 32-bit offsets if the memory is small enough: a gather of x86 then fills all lanes of
  /// f32, and only half of them with 64-bit offsets. A lane that the mask excludes may have any
  /// offset.
  static Value narrowed(OpBuilder &builder, vector::GatherOp op, Value lanes) {
    constexpr int64_t kMostElements = std::numeric_limits<int32_t>::max();
    auto type = cast<MemRefType>(op.getBaseType());
    auto offsets = cast<VectorType>(lanes.getType());
    bool isFromStart =
        llvm::all_of(op.getIndices(), [](Value index) { return matchPattern(index, m_Zero()); });
    bool isSmall = type.hasStaticShape() && type.getNumElements() <= kMostElements;
    bool isRow = op->hasAttr(kernels::kExtentAttr); // The offsets are below the extent.
    if (!(isRow || isFromStart) || !isSmall || offsets.getElementTypeBitWidth() <= 32) {
      return lanes;
    }
    return builder.create<LLVM::TruncOp>(op.getLoc(), offsets.clone(builder.getI32Type()), lanes);
  }
};

class LowerScatter : public MemoryPattern<vector::ScatterOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(vector::ScatterOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getMemRefType();
    Value pointers = addresses(rewriter, op.getLoc(), type, adaptor.getBase(), adaptor.getIndices(),
                               adaptor.getIndexVec());
    rewriter.replaceOpWithNewOp<LLVM::masked_scatter>(op, adaptor.getValueToStore(), pointers,
                                                      adaptor.getMask(), alignment(rewriter, type));
    return success();
  }
};

/// Upstream creates llvm.fmuladd, which may round twice. A fused multiply-add of a kernel must
/// round once.
class LowerVectorFma : public MemoryPattern<vector::FMAOp> {
public:
  using MemoryPattern::MemoryPattern;
  LogicalResult matchAndRewrite(vector::FMAOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getVectorType().getRank() != 1) {
      return rewriter.notifyMatchFailure(op, "unrolled to one dimension first");
    }
    rewriter.replaceOpWithNewOp<LLVM::FMAOp>(op, adaptor.getLhs(), adaptor.getRhs(),
                                             adaptor.getAcc());
    return success();
  }
};

} // namespace

void convertMemRefsToPointers(LLVMTypeConverter &converter) {
  converter.addConversion(
      [](MemRefType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext()); });
}

void populateMemoryPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerLoad, LowerStore, LowerView, LowerCopy, LowerPrefetch, LowerPointer,
               LowerAlloca, LowerVectorLoad, LowerVectorStore, LowerMaskedLoad, LowerMaskedStore,
               LowerGather, LowerScatter, LowerVectorFma>(converter);
}

bool isLoweredMemoryOp(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp, memref::ViewOp, memref::CopyOp, memref::PrefetchOp,
             memref::ExtractAlignedPointerAsIndexOp, memref::AllocaOp, vector::LoadOp,
             vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp, vector::GatherOp,
             vector::ScatterOp>(op);
}

} // namespace convoy::codegen
