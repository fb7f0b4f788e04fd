// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds <model>_run. The two structures contain one pointer per tensor, in the order of the
// arguments of main, so entry k is at k times the size of a pointer.
//
//   run(inputs, outputs, workspace):
//     entry:   status not 0?                  -> return it
//              any of the three null?         -> null
//              workspace not aligned?         -> workspace
//              load every tensor's pointer, any null? -> null
//              return main(pointers..., workspace, &weights)
//
// The status is 0 in a model that is loaded into this process. In a library, the runtime sets
// the status when the library is loaded: missing CPU features, or weights that are not mapped
// yet.

#include "Codegen/LLVM/DeviceInit.h"
#include "Codegen/LLVM/MemoryPatterns.h"
#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Passes.h"
#include "Graph/Attributes.h"
#include "Memory/Attributes.h"
#include "convoy/convoy.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_INSERTENTRYPASS
#include "Codegen/LLVM/Passes.h.inc"

namespace {

using memory::Role;

/// Returns whether the tensor has no bytes. Only the pointer of an empty tensor may be null.
bool isEmptyTensor(LLVM::LLVMFuncOp main, unsigned index) {
  TypeAttr type = graph::argumentType(main, index);
  auto tensor = type ? dyn_cast<RankedTensorType>(type.getValue()) : nullptr;
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0;
}

/// Builds the body of <model>_run.
class EntryBuilder {
public:
  EntryBuilder(ModuleOp module, LLVM::LLVMFuncOp main, ArrayRef<Role> roles, StringRef model,
               bool mapsWeights)
      : module(module), main(main), roles(roles), model(model), mapsWeights(mapsWeights),
        loc(main.getLoc()), builder(OpBuilder::atBlockEnd(module.getBody())),
        pointerType(LLVM::LLVMPointerType::get(module.getContext())) {}

  void build() {
    LLVM::GlobalOp weights = mapsWeights ? createVariable("weights", pointerType) : createWeights();
    LLVM::GlobalOp status = createVariable("status", builder.getI32Type());
    auto type =
        LLVM::LLVMFunctionType::get(builder.getI32Type(), {pointerType, pointerType, pointerType});
    entry = builder.create<LLVM::LLVMFuncOp>(loc, symbolName(model, "run"), type);
    entry.setPassthroughAttr(builder.getStrArrayAttr({"nounwind"}));
    Block *block = entry.addEntryBlock(builder);
    builder.setInsertionPointToStart(block);
    nullPointer = createReturn(CONVOY_ERROR_NULL_POINTER);
    badWorkspace = createReturn(CONVOY_ERROR_WORKSPACE);
    checkStatus(status);
    checkWorkspace(block->getArgument(2));
    SmallVector<Value> arguments = loadPointers(block, weights);
    auto call = builder.create<LLVM::CallOp>(loc, main, arguments);
    builder.create<LLVM::ReturnOp>(loc, call.getResult());
    insertInit(module, model, [&](OpBuilder &at) { return addressOfWeights(weights, at); });
  }

private:
  /// Declares the weights. Their bytes are linked in or mapped later. The code accesses them
  /// through the GOT, because a loader may place them anywhere.
  LLVM::GlobalOp createWeights() {
    return builder.create<LLVM::GlobalOp>(loc, builder.getI8Type(), /*isConstant=*/true,
                                          LLVM::Linkage::External, symbolName(model, "weights"),
                                          Attribute(), kWorkspaceAlignmentBytes);
  }

  /// Creates a variable of this library, initially zero, that the runtime may set.
  LLVM::GlobalOp createVariable(StringRef name, Type type) {
    auto global =
        builder.create<LLVM::GlobalOp>(loc, type, /*isConstant=*/false, LLVM::Linkage::External,
                                       symbolName(model, name), Attribute(), /*alignment=*/8);
    global.setVisibility_(LLVM::Visibility::Hidden);
    global.setDsoLocal(true);
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&global.getInitializerRegion());
    builder.create<LLVM::ReturnOp>(loc, builder.create<LLVM::ZeroOp>(loc, type).getResult());
    return global;
  }

  Value constant(int64_t value, Type type) {
    return builder.create<LLVM::ConstantOp>(loc, type, builder.getIntegerAttr(type, value));
  }

  Block *createReturn(int32_t code) {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&entry.getBody(), entry.getBody().end());
    builder.create<LLVM::ReturnOp>(loc, constant(code, builder.getI32Type()));
    return block;
  }

  /// Branches to `failed` if the condition holds, else continues.
  void branchIf(Value fact, Block *failed) {
    Block *next = builder.createBlock(&entry.getBody(), Region::iterator(nullPointer));
    builder.setInsertionPointToEnd(fact.getDefiningOp()->getBlock());
    builder.create<LLVM::CondBrOp>(loc, fact, failed, next);
    builder.setInsertionPointToStart(next);
  }

  void checkStatus(LLVM::GlobalOp status) {
    Value code = builder.create<LLVM::LoadOp>(
        loc, builder.getI32Type(), builder.create<LLVM::AddressOfOp>(loc, status).getResult());
    Block *notReady = nullptr;
    {
      OpBuilder::InsertionGuard guard(builder);
      notReady = builder.createBlock(&entry.getBody(), entry.getBody().end());
      builder.create<LLVM::ReturnOp>(loc, code);
    }
    Value ok = constant(CONVOY_OK, builder.getI32Type());
    branchIf(builder.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, code, ok), notReady);
  }

  void checkNotNull(Value pointer) {
    Value null = builder.create<LLVM::ZeroOp>(loc, pointerType);
    branchIf(builder.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::eq, pointer, null),
             nullPointer);
  }

  void checkWorkspace(Value workspace) {
    if (memory::arenaBytesOf(module) == 0) {
      return; // the pointer of an empty tensor is never used
    }
    checkNotNull(workspace);
    Type integer = builder.getI64Type();
    Value address = builder.create<LLVM::PtrToIntOp>(loc, integer, workspace);
    Value low =
        builder.create<LLVM::AndOp>(loc, address, constant(kWorkspaceAlignmentBytes - 1, integer));
    branchIf(builder.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, low, constant(0, integer)),
             badWorkspace);
  }

  /// Loads entry `index` of a structure of pointers.
  Value loadPointer(Value structure, int32_t index, bool mayBeNull) {
    Value place = builder.create<LLVM::GEPOp>(loc, pointerType, pointerType, structure,
                                              ArrayRef<LLVM::GEPArg>{index}, /*inbounds=*/true);
    Value pointer = builder.create<LLVM::LoadOp>(loc, pointerType, place);
    if (!mayBeNull) {
      checkNotNull(pointer);
    }
    return pointer;
  }

  Value addressOfWeights(LLVM::GlobalOp weights, OpBuilder &at) const {
    Value address = at.create<LLVM::AddressOfOp>(loc, weights);
    return mapsWeights ? at.create<LLVM::LoadOp>(loc, pointerType, address).getResult() : address;
  }

  SmallVector<Value> loadPointers(Block *block, LLVM::GlobalOp weights) {
    Value inputs = block->getArgument(0);
    Value outputs = block->getArgument(1);
    if (llvm::is_contained(roles, Role::Input)) {
      checkNotNull(inputs);
    }
    if (llvm::is_contained(roles, Role::Output)) {
      checkNotNull(outputs);
    }
    int32_t nextInput = 0;
    int32_t nextOutput = 0;
    SmallVector<Value> arguments;
    for (auto [index, role] : llvm::enumerate(roles)) {
      switch (role) {
      case Role::Input:
        arguments.push_back(loadPointer(inputs, nextInput++, isEmptyTensor(main, index)));
        break;
      case Role::Output:
        arguments.push_back(loadPointer(outputs, nextOutput++, isEmptyTensor(main, index)));
        break;
      case Role::Arena:
        arguments.push_back(block->getArgument(2));
        break;
      case Role::Weights:
        arguments.push_back(addressOfWeights(weights, builder));
        break;
      }
    }
    return arguments;
  }

  ModuleOp module;
  LLVM::LLVMFuncOp main;
  ArrayRef<Role> roles;
  StringRef model;
  bool mapsWeights;
  Location loc;
  OpBuilder builder;
  Type pointerType;
  LLVM::LLVMFuncOp entry;
  Block *nullPointer = nullptr;
  Block *badWorkspace = nullptr;
};

class InsertEntryPass : public impl::InsertEntryPassBase<InsertEntryPass> {
public:
  using impl::InsertEntryPassBase<InsertEntryPass>::InsertEntryPassBase;

  void runOnOperation() override {
    std::string mainName = symbolName(model, "main");
    auto main = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(mainName);
    if (!main) {
      getOperation()->emitOpError("has no function '")
          << mainName << "'; expected the result of convoy-codegen-lower-to-llvm";
      signalPassFailure();
      return;
    }
    SmallVector<Role> roles;
    if (failed(readRoles(main, roles)) || failed(checkNames())) {
      signalPassFailure();
      return;
    }
    EntryBuilder(getOperation(), main, roles, model, mapsWeights).build();
    // LLVM IR has no such attributes of arguments.
    recordTensors(getOperation(), main, model);
    main.removeArgAttrsAttr();
  }

private:
  static LogicalResult readRoles(LLVM::LLVMFuncOp main, SmallVector<Role> &roles) {
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      std::optional<Role> role = memory::roleOf(main, i);
      bool isTensor = role == Role::Input || role == Role::Output;
      if (!role || (isTensor && (!graph::argumentName(main, i) || !graph::argumentType(main, i)))) {
        return main.emitOpError("argument ")
               << i << " has no memory.role, or is a tensor without graph.name and graph.type";
      }
      roles.push_back(*role);
    }
    return success();
  }

  LogicalResult checkNames() {
    for (StringRef reserved : {"run", "weights", "status", "init", "open", "close", "error_text",
                               "abi_version", "hash", "model"}) {
      if (Operation *taken = getOperation().lookupSymbol(symbolName(model, reserved))) {
        return taken->emitOpError("has the name of a function in the model's C interface");
      }
    }
    return success();
  }
};

} // namespace
} // namespace convoy::codegen
