// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers calls of C functions of the user (task.call_custom). Shapes, texts and arrays are
// constants of the model. The tables that point to them are on the stack:
//
//     tensors[i] = {address, &shape, rank, type}
//     attributes[i] = {i, s, ints, floats, count, f}
//     code = upsample(tensors, tensors + inputs, attributes)
//     if code != 0: status = CONVOY_ERROR_CUSTOM_OP

#include "Codegen/LLVM/MemoryPatterns.h"
#include "Codegen/LLVM/ModelInterface.h"
#include "Task/Custom.h"
#include "convoy/convoy.h"
#include "convoy/custom_op.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace convoy::codegen {

static_assert(sizeof(convoy_custom_tensor) == 24 && sizeof(convoy_custom_attribute) == 48,
              "CustomCall repeats these layouts");

namespace {

/// Emits one call.
class CustomCall {
public:
  CustomCall(task::CallCustomOp op, StringRef model, ConversionPatternRewriter &b)
      : op(op), model(model), b(b), loc(op.getLoc()),
        pointer(LLVM::LLVMPointerType::get(op.getContext())), word(b.getI64Type()),
        half(b.getI32Type()) {}

  /// Returns the code that the function returns. `memory` are the inputs, then the outputs.
  Value emit(ValueRange memory) {
    Type tensor = LLVM::LLVMStructType::getLiteral(op.getContext(), {pointer, pointer, half, half});
    SmallVector<SmallVector<Value>> rows;
    for (auto [i, address] : llvm::enumerate(memory)) {
      ArrayRef<int64_t> shape = cast<DenseI64ArrayAttr>(op.getShapes()[i]).asArrayRef();
      rows.push_back({address, array(shape, word),
                      integer(static_cast<int64_t>(shape.size()), half),
                      integer(op.getElementTypes()[i], half)});
    }
    Value tensors = table(tensor, rows);
    LLVM::GEPArg first[] = {static_cast<int32_t>(op.getInputs().size())};
    Value outputs = b.create<LLVM::GEPOp>(loc, pointer, tensor, tensors, first);
    Type attribute = LLVM::LLVMStructType::getLiteral(
        op.getContext(), {word, pointer, pointer, pointer, word, b.getF32Type()});
    rows.clear();
    for (Attribute value : op.getParameters()) {
      rows.push_back(fieldsOf(value));
    }
    Value attributes = table(attribute, rows);
    auto type = LLVM::LLVMFunctionType::get(half, {pointer, pointer, pointer});
    LLVM::LLVMFuncOp function = declareFunction(op, op.getFunction(), type, b);
    function->setAttr(kCustomFunctionAttr, b.getUnitAttr());
    return b.create<LLVM::CallOp>(loc, function, ValueRange{tensors, outputs, attributes})
        .getResult();
  }

private:
  Value integer(int64_t value, Type type) {
    return b.create<LLVM::ConstantOp>(loc, type, b.getIntegerAttr(type, value));
  }

  /// Stores the rows of a table of structures on the stack.
  Value table(Type row, ArrayRef<SmallVector<Value>> rows) {
    Value count = integer(std::max<int64_t>(static_cast<int64_t>(rows.size()), 1), word);
    Value result = b.create<LLVM::AllocaOp>(loc, pointer, row, count);
    for (auto [i, fields] : llvm::enumerate(rows)) {
      for (auto [field, value] : llvm::enumerate(fields)) {
        LLVM::GEPArg place[] = {static_cast<int32_t>(i), static_cast<int32_t>(field)};
        Value target = b.create<LLVM::GEPOp>(loc, pointer, row, result, place);
        b.create<LLVM::StoreOp>(loc, value, target);
      }
    }
    return result;
  }

  /// Adds a constant to the model and returns its address.
  Value constant(Type type, Attribute value) {
    auto module = op->getParentOfType<ModuleOp>();
    std::string name;
    for (int64_t number = 0; name.empty() || module.lookupSymbol(name); ++number) {
      name = symbolName(model, "custom_" + std::to_string(number));
    }
    LLVM::GlobalOp global;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      global = b.create<LLVM::GlobalOp>(module.getLoc(), type, /*isConstant=*/true,
                                        LLVM::Linkage::Internal, name, value, /*alignment=*/8);
    }
    return b.create<LLVM::AddressOfOp>(loc, global);
  }

  /// Returns the address of constant numbers, or null if there are none.
  template <typename T>
  Value array(ArrayRef<T> values, Type element) {
    if (values.empty()) {
      return b.create<LLVM::ZeroOp>(loc, pointer);
    }
    auto count = static_cast<int64_t>(values.size());
    return constant(LLVM::LLVMArrayType::get(element, static_cast<unsigned>(count)),
                    DenseElementsAttr::get(RankedTensorType::get({count}, element), values));
  }

  Value text(StringRef value) {
    std::string bytes = value.str() + '\0';
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), static_cast<unsigned>(bytes.size()));
    return constant(type, b.getStringAttr(bytes));
  }

  /// Returns the members of convoy_custom_attribute.
  SmallVector<Value> fieldsOf(Attribute value) {
    Type real = b.getF32Type();
    auto integerValue = dyn_cast<IntegerAttr>(value);
    auto number = dyn_cast<FloatAttr>(value);
    auto string = dyn_cast<StringAttr>(value);
    auto ints = dyn_cast<DenseI64ArrayAttr>(value);
    auto floats = dyn_cast<DenseF32ArrayAttr>(value);
    Value null = b.create<LLVM::ZeroOp>(loc, pointer);
    Attribute f = number ? number : b.getF32FloatAttr(0);
    return {integer(integerValue ? integerValue.getInt() : 0, word),
            string ? text(string) : null,
            ints ? array(ints.asArrayRef(), word) : null,
            floats ? array(floats.asArrayRef(), real) : null,
            integer(ints     ? ints.size()
                    : floats ? floats.size()
                             : 0,
                    word),
            b.create<LLVM::ConstantOp>(loc, real, f)};
  }

  task::CallCustomOp op;
  StringRef model;
  ConversionPatternRewriter &b;
  Location loc;
  Type pointer, word, half;
};

class LowerCallCustom : public ConvertOpToLLVMPattern<task::CallCustomOp> {
public:
  LowerCallCustom(const LLVMTypeConverter &converter, StringRef model)
      : ConvertOpToLLVMPattern(converter), model(model) {}

  LogicalResult matchAndRewrite(task::CallCustomOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> memory(adaptor.getInputs());
    llvm::append_range(memory, adaptor.getOutputs());
    Value code = CustomCall(op, model, rewriter).emit(memory);
    Value failed = rewriter.create<LLVM::ConstantOp>(
        op.getLoc(), rewriter.getI32IntegerAttr(CONVOY_ERROR_CUSTOM_OP));
    storeStatus(op.getLoc(), code, failed, adaptor.getStatus(), rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  std::string model;
};

} // namespace

void populateCustomPatterns(LLVMTypeConverter &converter, StringRef model,
                            RewritePatternSet &patterns) {
  patterns.add<LowerCallCustom>(converter, model);
}

} // namespace convoy::codegen
