// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers calls of C functions of the user (task.call_custom). Shapes, texts and arrays are
// constants of the model. The tables that point to them are on the stack:
//
//     tensors[i] = {address, &shape, rank, type}
//     attributes[i] = {i, s, ints, floats, count, f}
//     if status == 0 and upsample(tensors, tensors + inputs, attributes) != 0:
//       status = CONVOY_ERROR_CUSTOM_OP
//
// After an error, no other function runs: its inputs may contain values that no function wrote.

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

/// Emits the tables of one call, then the call.
class CustomCall {
public:
  CustomCall(task::CallCustomOp op, StringRef model, ConversionPatternRewriter &b)
      : op(op), model(model), b(b), loc(op.getLoc()),
        pointer(LLVM::LLVMPointerType::get(op.getContext())), word(b.getI64Type()),
        half(b.getI32Type()) {}

  /// Emits the tables. `memory` are the inputs, then the outputs.
  void emitTables(ValueRange memory) {
    Type tensor = LLVM::LLVMStructType::getLiteral(op.getContext(), {pointer, pointer, half, half});
    SmallVector<SmallVector<Value>> rows;
    for (auto [i, address] : llvm::enumerate(memory)) {
      ArrayRef<int64_t> shape = cast<DenseI64ArrayAttr>(op.getShapes()[i]).asArrayRef();
      rows.push_back({address, array(shape, word),
                      integer(static_cast<int64_t>(shape.size()), half),
                      integer(op.getElementTypes()[i], half)});
    }
    tensors = table(tensor, rows);
    LLVM::GEPArg first[] = {static_cast<int32_t>(op.getInputs().size())};
    outputs = b.create<LLVM::GEPOp>(loc, pointer, tensor, tensors, first);
    Type attribute = LLVM::LLVMStructType::getLiteral(
        op.getContext(), {word, pointer, pointer, pointer, word, b.getF32Type()});
    rows.clear();
    for (Attribute value : op.getParameters()) {
      rows.push_back(fieldsOf(value));
    }
    attributes = table(attribute, rows);
  }

  /// Returns the code that the function returns.
  Value emitCall() {
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
  Value tensors, outputs, attributes; // the tables
};

class LowerCallCustom : public ConvertOpToLLVMPattern<task::CallCustomOp> {
public:
  LowerCallCustom(const LLVMTypeConverter &converter, StringRef model)
      : ConvertOpToLLVMPattern(converter), model(model) {}

  LogicalResult matchAndRewrite(task::CallCustomOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> memory(adaptor.getInputs());
    llvm::append_range(memory, adaptor.getOutputs());
    CustomCall call(op, model, rewriter);
    call.emitTables(memory);
    Value earlier = rewriter.create<LLVM::LoadOp>(loc, rewriter.getI32Type(), adaptor.getStatus());
    Value hasFailed = isError(loc, earlier, rewriter);
    Block *start = op->getBlock();
    Block *rest = rewriter.splitBlock(start, op->getIterator());
    Block *calling = rewriter.createBlock(rest);
    Block *failing = rewriter.createBlock(rest);
    rewriter.setInsertionPointToEnd(start);
    rewriter.create<LLVM::CondBrOp>(loc, hasFailed, rest, calling);
    rewriter.setInsertionPointToEnd(calling);
    Value fails = isError(loc, call.emitCall(), rewriter);
    rewriter.create<LLVM::CondBrOp>(loc, fails, failing, rest);
    rewriter.setInsertionPointToEnd(failing);
    Value code =
        rewriter.create<LLVM::ConstantOp>(loc, rewriter.getI32IntegerAttr(CONVOY_ERROR_CUSTOM_OP));
    rewriter.create<LLVM::StoreOp>(loc, code, adaptor.getStatus());
    rewriter.create<LLVM::BrOp>(loc, rest);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value isError(Location loc, Value code, OpBuilder &b) {
    Value zero = b.create<LLVM::ConstantOp>(loc, b.getI32IntegerAttr(0));
    return b.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, code, zero);
  }

  std::string model;
};

} // namespace

void populateCustomPatterns(LLVMTypeConverter &converter, StringRef model,
                            RewritePatternSet &patterns) {
  patterns.add<LowerCallCustom>(converter, model);
}

} // namespace convoy::codegen
