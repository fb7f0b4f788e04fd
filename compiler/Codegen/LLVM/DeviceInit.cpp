// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds <model>_init:
//
//   init(device):
//     code = convoy_load_program(device, weights + offset 0, bytes 0, &programs[0])
//     not 0? -> return it
//     ... and so on for each program ...
//     return 0

#include "Codegen/LLVM/DeviceInit.h"
#include "Codegen/LLVM/MemoryPatterns.h"
#include "Graph/Constant.h"
#include "Memory/Attributes.h"
#include "Task/Task.h"
#include "convoy/convoy.h"
#include "convoy/device.h"

using namespace mlir;

namespace convoy::codegen {

static_assert(sizeof(convoy_loaded_program) == 24, "declarePrograms repeats this layout");

llvm::SmallVector<ProgramPlace> programPlaces(ModuleOp module) {
  auto programs = module->getAttrOfType<ArrayAttr>(task::kProgramsAttr);
  ArrayAttr weights = memory::weightsOf(module);
  DenseI64ArrayAttr offsets = memory::weightOffsetsOf(module);
  llvm::SmallVector<ProgramPlace> places;
  if (!programs || !weights || !offsets) {
    return places;
  }
  for (Attribute program : programs) {
    auto it = llvm::find(weights, program);
    assert(it != weights.end() && "a program is an operand of its kernel, so it is a weight");
    places.push_back(
        {offsets[it - weights.begin()], graph::toTensor(cast<ElementsAttr>(program)).bytes()});
  }
  return places;
}

LLVM::GlobalOp declarePrograms(ModuleOp module, StringRef model, OpBuilder &builder) {
  std::string name = symbolName(model, "programs");
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(name)) {
    return known;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  auto record = LLVM::LLVMStructType::getLiteral(module.getContext(),
                                                 {pointer, pointer, builder.getI64Type()});
  auto programs = module->getAttrOfType<ArrayAttr>(task::kProgramsAttr);
  auto type = LLVM::LLVMArrayType::get(record, programs ? programs.size() : 0);
  auto global = builder.create<LLVM::GlobalOp>(module.getLoc(), type, /*isConstant=*/false,
                                               LLVM::Linkage::Internal, name, Attribute(),
                                               /*alignment=*/8);
  builder.createBlock(&global.getInitializerRegion());
  Value zero = builder.create<LLVM::ZeroOp>(module.getLoc(), type);
  builder.create<LLVM::ReturnOp>(module.getLoc(), zero);
  return global;
}

namespace {

class InitBuilder {
public:
  InitBuilder(ModuleOp module, StringRef model)
      : module(module), model(model), loc(module.getLoc()),
        builder(OpBuilder::atBlockEnd(module.getBody())),
        pointer(LLVM::LLVMPointerType::get(module.getContext())), integer(builder.getI32Type()) {}

  void build(ArrayRef<ProgramPlace> places, llvm::function_ref<Value(OpBuilder &)> weights) {
    LLVM::LLVMFuncOp load = declareLoad();
    LLVM::GlobalOp programs = declarePrograms(module, model, builder);
    auto init = builder.create<LLVM::LLVMFuncOp>(loc, symbolName(model, "init"),
                                                 LLVM::LLVMFunctionType::get(integer, {pointer}));
    mlir::Block *entry = init.addEntryBlock(builder);
    builder.setInsertionPointToStart(entry);
    Value base = weights(builder);
    Value table = builder.create<LLVM::AddressOfOp>(loc, programs);
    Value none = constant(CONVOY_OK, integer);
    for (auto [i, place] : llvm::enumerate(places)) {
      Value program = builder.create<LLVM::GEPOp>(
          loc, pointer, builder.getI8Type(), base,
          ArrayRef<LLVM::GEPArg>{constant(place.offset, builder.getI64Type())});
      Value loaded = builder.create<LLVM::GEPOp>(loc, pointer, programs.getType(), table,
                                                 ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)},
                                                 /*inbounds=*/true);
      Value bytes = constant(place.bytes, builder.getI64Type());
      Value arguments[] = {entry->getArgument(0), program, bytes, loaded};
      Value code = builder.create<LLVM::CallOp>(loc, load, arguments).getResult();
      returnUnlessFine(init, code, none);
    }
    builder.create<LLVM::ReturnOp>(loc, none);
  }

private:
  Value constant(int64_t value, Type type) {
    return builder.create<LLVM::ConstantOp>(loc, type, builder.getIntegerAttr(type, value));
  }

  LLVM::LLVMFuncOp declareLoad() {
    auto type =
        LLVM::LLVMFunctionType::get(integer, {pointer, pointer, builder.getI64Type(), pointer});
    return builder.create<LLVM::LLVMFuncOp>(loc, "convoy_load_program", type);
  }

  void returnUnlessFine(LLVM::LLVMFuncOp init, Value code, Value none) {
    mlir::Block *from = builder.getInsertionBlock();
    mlir::Block *failed = builder.createBlock(&init.getBody(), init.getBody().end());
    builder.create<LLVM::ReturnOp>(loc, code);
    mlir::Block *next = builder.createBlock(&init.getBody(), init.getBody().end());
    builder.setInsertionPointToEnd(from);
    Value isFine = builder.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::eq, code, none);
    builder.create<LLVM::CondBrOp>(loc, isFine, next, failed);
    builder.setInsertionPointToStart(next);
  }

  ModuleOp module;
  StringRef model;
  Location loc;
  OpBuilder builder;
  Type pointer;
  Type integer;
};

} // namespace

void insertInit(ModuleOp module, StringRef model, llvm::function_ref<Value(OpBuilder &)> weights) {
  llvm::SmallVector<ProgramPlace> places = programPlaces(module);
  if (!places.empty()) {
    InitBuilder(module, model).build(places, weights);
  }
}

} // namespace convoy::codegen
