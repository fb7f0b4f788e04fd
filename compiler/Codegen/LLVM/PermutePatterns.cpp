// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a vector.gather from a small table to permutations of registers (AVX-512). The table is
// loaded as a whole, 16 elements per register:
//
//     index bits 0 to 4     lane of one of two registers (vpermi2d)
//     index bits 5 and 6    pair of registers (blends)
//
// A gather of 16 lanes takes 16 loads, and more time on CPUs whose microcode protects gathers.
// MemoryPatterns.cpp lowers other gathers.

#include "Codegen/LLVM/MemoryPatterns.h"
#include "Kernels/Attributes.h"
#include "Kernels/Machine.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;

namespace convoy::codegen {
namespace {

constexpr int64_t kLanes = 16;
/// Elements of the largest table: eight registers, four permutations and three blends. Measured on
/// Cascade Lake, a gather takes the time of about 24 permutations.
constexpr int64_t kMostElements = 128;

/// Returns whether the target has 512-bit permutations.
bool hasPermutations(Operation *op) {
  kernels::Machine machine = kernels::machineOf(op);
  bool isOfX86 = machine.dot == kernels::DotForm::Bytes || machine.dot == kernels::DotForm::Pairs;
  return isOfX86 && machine.vectorBytes == kLanes * 4;
}

bool isAllTrue(Value mask) {
  auto broadcast = mask.getDefiningOp<vector::BroadcastOp>();
  return matchPattern(broadcast ? broadcast.getSource() : mask, m_One());
}

class LowerTableGather : public ConvertOpToLLVMPattern<vector::GatherOp> {
public:
  // The benefit is above that of the pattern for all gathers.
  explicit LowerTableGather(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern<vector::GatherOp>(converter, /*benefit=*/3) {}

  /// vector.gather %table[0][%i], ... : memref<20xi32>, vector<16xindex>, ...       // before
  /// llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.d.512"(%low, %i, %high)        // after
  LogicalResult matchAndRewrite(vector::GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t elements = tableElements(op);
    if (elements <= 0 || elements > kMostElements) {
      return rewriter.notifyMatchFailure(op, "expects a table of at most 128 elements of 32 bits");
    }
    if (!hasPermutations(op)) {
      return rewriter.notifyMatchFailure(op, "expects a target with 512-bit permutations");
    }
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value base = b.create<LLVM::GEPOp>(adaptor.getBase().getType(), b.getI32Type(),
                                       adaptor.getBase(), adaptor.getIndices());
    SmallVector<Value> table = loadTable(b, base, elements);
    SmallVector<Value> parts;
    for (int64_t first = 0; first < op.getVectorType().getNumElements(); first += kLanes) {
      parts.push_back(look(b, table, partOf(b, adaptor.getIndexVec(), first)));
    }
    Value result = b.create<LLVM::BitcastOp>(op.getVectorType(), joined(b, parts));
    if (!isAllTrue(op.getMask())) {
      result = b.create<LLVM::SelectOp>(adaptor.getMask(), result, adaptor.getPassThru());
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Returns the elements that a gather of 32-bit elements can read, or 0 if they are unknown.
  static int64_t tableElements(vector::GatherOp op) {
    auto memory = cast<MemRefType>(op.getBaseType());
    VectorType type = op.getVectorType();
    Type element = type.getElementType();
    bool isOfRegisters = (element.isF32() || element.isInteger(32)) && type.getRank() == 1 &&
                         type.getNumElements() % kLanes == 0;
    if (!isOfRegisters || !memory.hasStaticShape() || memory.getRank() != 1) {
      return 0;
    }
    if (auto extent = op->getAttrOfType<IntegerAttr>(kernels::kExtentAttr)) {
      // Without active lanes, the row may be outside of the memory.
      return isAllTrue(op.getMask()) ? extent.getInt() : 0;
    }
    bool isFromStart =
        llvm::all_of(op.getIndices(), [](Value index) { return matchPattern(index, m_Zero()); });
    return isFromStart ? memory.getNumElements() : 0;
  }

  static VectorType vectorOf(OpBuilder &b) { return VectorType::get({kLanes}, b.getI32Type()); }
  static Value splat(ImplicitLocOpBuilder &b, int32_t value) {
    return b.create<LLVM::ConstantOp>(vectorOf(b), DenseElementsAttr::get(vectorOf(b), value));
  }

  /// Loads the table. The mask of the last load excludes the elements after the table.
  static SmallVector<Value> loadTable(ImplicitLocOpBuilder &b, Value base, int64_t elements) {
    SmallVector<Value> table;
    for (int64_t first = 0; first < elements; first += kLanes) {
      Value from = b.create<LLVM::GEPOp>(base.getType(), b.getI32Type(), base,
                                         ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(first)});
      if (elements - first >= kLanes) {
        table.push_back(b.create<LLVM::LoadOp>(vectorOf(b), from, /*alignment=*/4));
        continue;
      }
      SmallVector<bool> isInside;
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        isInside.push_back(first + lane < elements);
      }
      auto maskType = VectorType::get({kLanes}, b.getI1Type());
      Value mask = b.create<LLVM::ConstantOp>(maskType, DenseElementsAttr::get(maskType, isInside));
      table.push_back(b.create<LLVM::MaskedLoadOp>(vectorOf(b), from, mask, ValueRange{splat(b, 0)},
                                                   b.getI32IntegerAttr(4)));
    }
    return table;
  }

  /// Returns 16 indices from lane `first` on, as i32.
  static Value partOf(ImplicitLocOpBuilder &b, Value indices, int64_t first) {
    auto type = cast<VectorType>(indices.getType());
    if (type.getNumElements() != kLanes) {
      SmallVector<int32_t> lanes;
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        lanes.push_back(static_cast<int32_t>(first + lane));
      }
      indices = b.create<LLVM::ShuffleVectorOp>(indices, indices, lanes);
    }
    bool isShort = type.getElementTypeBitWidth() == 32;
    return isShort ? indices : b.create<LLVM::TruncOp>(vectorOf(b), indices).getResult();
  }

  static Value call(ImplicitLocOpBuilder &b, StringRef name, ValueRange operands) {
    return b.create<LLVM::CallIntrinsicOp>(TypeRange{vectorOf(b)}, b.getStringAttr(name), operands)
        ->getResult(0);
  }

  /// Returns the elements of the table at 16 indices.
  static Value look(ImplicitLocOpBuilder &b, ArrayRef<Value> table, Value index) {
    if (table.size() == 1) {
      return call(b, "llvm.x86.avx512.permvar.si.512", {table[0], index});
    }
    SmallVector<Value> found;
    for (size_t i = 0; i < table.size(); i += 2) {
      Value high = i + 1 < table.size() ? table[i + 1] : table[i];
      found.push_back(call(b, "llvm.x86.avx512.vpermi2var.d.512", {table[i], index, high}));
    }
    for (int32_t bit = 2 * kLanes; found.size() > 1; bit *= 2) {
      Value own = b.create<LLVM::AndOp>(index, splat(b, bit));
      Value isUpper = b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, own, splat(b, 0));
      SmallVector<Value> pairs;
      for (size_t i = 0; i < found.size(); i += 2) {
        bool isPair = i + 1 < found.size();
        pairs.push_back(isPair ? b.create<LLVM::SelectOp>(isUpper, found[i + 1], found[i])
                               : found[i]);
      }
      found = std::move(pairs);
    }
    return found[0];
  }

  /// Joins vectors of the same type to one.
  static Value joined(ImplicitLocOpBuilder &b, ArrayRef<Value> parts) {
    SmallVector<Value> rest(parts);
    Value result = rest[0];
    for (size_t i = 1; i < rest.size(); ++i) {
      auto before = static_cast<int32_t>(i * kLanes);
      Value wide = rest[i];
      if (i > 1) { // A shuffle takes vectors of one type.
        SmallVector<int32_t> widened(before, -1);
        std::iota(widened.begin(), widened.begin() + kLanes, 0);
        wide = b.create<LLVM::ShuffleVectorOp>(wide, wide, widened);
      }
      SmallVector<int32_t> lanes(before + kLanes);
      std::iota(lanes.begin(), lanes.end(), 0);
      result = b.create<LLVM::ShuffleVectorOp>(result, wide, lanes);
    }
    return result;
  }
};

} // namespace

void populatePermutePatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerTableGather>(converter);
}

} // namespace convoy::codegen
