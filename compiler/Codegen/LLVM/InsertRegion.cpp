// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates the functions of a parallel region. The model's own code reads and writes the
// flags, so that a sanitizer sees the synchronization. The runtime only provides threads and
// lets a thread sleep after a long wait.
//
// A flag consists of a count and the number of threads that sleep until it increases. One
// thread writes the count and then reads the number of sleepers; the other thread does the
// opposite. This needs a total order, hence the sequentially consistent exchange.

#include "Codegen/LLVM/MemoryPatterns.h"
#include "Codegen/LLVM/Passes.h"
#include "Support/TypedDiagnostic.h"
#include "Task/Task.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_INSERTREGIONPASS
#include "Codegen/LLVM/Passes.h.inc"

namespace {

// The runtime defines the first three functions; see runtime/core/pool.h.
constexpr StringRef kFlagText = R"(
llvm.func @convoy_region_run(i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @convoy_flag_wait(!llvm.ptr, i32)
llvm.func @convoy_flag_wake(!llvm.ptr)
llvm.func hidden @<model>_wait(%flag: !llvm.ptr, %count: i32)
    attributes {dso_local, passthrough = ["noinline", "nounwind"]} {
  llvm.br ^check
^check:
  %now = llvm.load %flag atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32
  <compare>
  llvm.cond_br %isLess, ^sleep, ^done
^sleep:
  llvm.call @convoy_flag_wait(%flag, %count) : (!llvm.ptr, i32) -> ()
  llvm.br ^check
^done:
  llvm.return
}
llvm.func hidden @<model>_post(%flag: !llvm.ptr, %count: i32)
    attributes {dso_local, passthrough = ["noinline", "nounwind"]} {
  %before = llvm.atomicrmw xchg %flag, %count seq_cst : !llvm.ptr, i32
  %at = llvm.getelementptr inbounds %flag[1] : (!llvm.ptr) -> !llvm.ptr, i32
  %sleepers = llvm.load %at atomic seq_cst {alignment = 4 : i64} : !llvm.ptr -> i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %isAlone = llvm.icmp "eq" %sleepers, %zero : i32
  llvm.cond_br %isAlone, ^done, ^wake
^wake:
  llvm.call @convoy_flag_wake(%flag) : (!llvm.ptr) -> ()
  llvm.br ^done
^done:
  llvm.return
}
)";

constexpr StringRef kCompare = R"(%isLess = llvm.icmp "slt" %now, %count : i32)";
// The counts of a loop grow with its iterations and may wrap around.
constexpr StringRef kWrappingCompare = R"(%ahead = llvm.sub %now, %count : i32
  %origin = llvm.mlir.constant(0 : i32) : i32
  %isLess = llvm.icmp "slt" %ahead, %origin : i32)";

class InsertRegionPass : public impl::InsertRegionPassBase<InsertRegionPass> {
public:
  using impl::InsertRegionPassBase<InsertRegionPass>::InsertRegionPassBase;

  void runOnOperation() override {
    region = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(symbolName(model, "region"));
    if (!region) {
      return; // the model runs on one thread
    }
    auto threadsAttr = getOperation()->getAttrOfType<IntegerAttr>(task::kThreadsAttr);
    if (!threadsAttr) {
      getOperation()->emitOpError("runs a region but has no attribute with the number of threads");
      return signalPassFailure();
    }
    threads = threadsAttr.getInt();
    pointerType = LLVM::LLVMPointerType::get(&getContext());
    if (failed(addText(kFlagText))) {
      return signalPassFailure();
    }
    writeRegion(writeWork());
  }

private:
  /// Parses functions into the module and replaces their declarations.
  LogicalResult addText(StringRef text) {
    std::string filled = text.str();
    StringRef compare = hasLoops() ? kWrappingCompare : kCompare;
    std::pair<StringRef, StringRef> values[] = {{"<model>", model}, {"<compare>", compare}};
    for (auto [placeholder, value] : values) {
      for (size_t at = filled.find(placeholder.str()); at != std::string::npos;
           at = filled.find(placeholder.str())) {
        filled.replace(at, placeholder.size(), value.str());
      }
    }
    OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(filled, &getContext());
    if (!parsed) {
      return emitBug(getOperation(),
                     "has generated flag functions that cannot be parsed; this is a bug in convoy");
    }
    for (Operation &op : llvm::make_early_inc_range(*parsed->getBody())) {
      auto function = cast<LLVM::LLVMFuncOp>(op);
      if (Operation *declared = getOperation().lookupSymbol(function.getName())) {
        declared->erase();
      }
      function->moveBefore(getOperation().getBody(), getOperation().getBody()->end());
    }
    return success();
  }

  /// Returns whether several workers execute a loop: they post sums of a base and a count.
  bool hasLoops() {
    std::string post = symbolName(model, "post");
    return getOperation()
        .walk([&](LLVM::CallOp call) {
          bool isPost = call.getCallee() == StringRef(post) && call.getNumOperands() == 2 &&
                        call.getOperand(1).getDefiningOp<LLVM::AddOp>();
          return isPost ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  Value constant(int64_t value) {
    return builder->create<LLVM::ConstantOp>(region.getLoc(), builder->getI32Type(),
                                             builder->getI32IntegerAttr(value));
  }

  Value element(Value base, int32_t index, Type type) {
    return builder->create<LLVM::GEPOp>(region.getLoc(), pointerType, type, base,
                                        ArrayRef<LLVM::GEPArg>{index}, /*inbounds=*/true);
  }

  /// Builds <model>_work(context, worker), which calls the worker with the pointers of main
  /// from the context.
  LLVM::LLVMFuncOp writeWork() {
    Location loc = region.getLoc();
    builder.emplace(OpBuilder::atBlockEnd(getOperation().getBody()));
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                            {pointerType, builder->getI32Type()});
    auto work = builder->create<LLVM::LLVMFuncOp>(loc, symbolName(model, "work"), type);
    describe(work);
    // The function reads the context before the first wait of the worker. The runtime has
    // synchronized this access, but a sanitizer cannot see it.
    work.setPassthroughAttr(
        builder->getStrArrayAttr({"noinline", "nounwind", "disable_sanitizer_instrumentation"}));
    Block *entry = work.addEntryBlock(*builder);
    builder->setInsertionPointToStart(entry);
    SmallVector<Value> arguments;
    for (unsigned i = 1; i < region.getNumArguments(); ++i) {
      Value place = element(entry->getArgument(0), static_cast<int32_t>(i - 1), pointerType);
      arguments.push_back(builder->create<LLVM::LoadOp>(loc, pointerType, place));
    }
    Block *end = builder->createBlock(&work.getBody(), work.getBody().end());
    builder->create<LLVM::ReturnOp>(loc, ValueRange());
    SmallVector<int32_t> numbers;
    SmallVector<Block *> blocks;
    for (int32_t worker = 0; worker < threads; ++worker) {
      numbers.push_back(worker);
      blocks.push_back(builder->createBlock(end));
      std::string name = symbolName(model, "worker_" + std::to_string(worker));
      builder->create<LLVM::CallOp>(loc, TypeRange(), name, arguments);
      builder->create<LLVM::BrOp>(loc, end);
    }
    builder->setInsertionPointToEnd(entry);
    builder->create<LLVM::SwitchOp>(loc, entry->getArgument(1), end, ValueRange(), numbers, blocks,
                                    SmallVector<ValueRange>(blocks.size()));
    return work;
  }

  /// Builds <model>_region(flags, pointers...), which clears the flags and passes the work to
  /// the runtime.
  void writeRegion(LLVM::LLVMFuncOp work) {
    Location loc = region.getLoc();
    describe(region);
    Block *entry = region.addEntryBlock(*builder);
    builder->setInsertionPointToStart(entry);
    Value count = constant(region.getNumArguments() - 1);
    Value context = builder->create<LLVM::AllocaOp>(loc, pointerType, pointerType, count);
    for (unsigned i = 1; i < region.getNumArguments(); ++i) {
      builder->create<LLVM::StoreOp>(loc, entry->getArgument(i),
                                     element(context, static_cast<int32_t>(i - 1), pointerType));
    }
    Value zero = constant(0);
    for (int32_t worker = 0; worker < threads; ++worker) {
      for (int32_t half : {0, 1}) {
        int32_t index = static_cast<int32_t>(worker * task::kFlagElems + half);
        Value place = element(entry->getArgument(0), index, builder->getI32Type());
        builder->create<LLVM::StoreOp>(loc, zero, place, /*alignment=*/4, /*isVolatile=*/false,
                                       /*isNonTemporal=*/false, LLVM::AtomicOrdering::monotonic);
      }
    }
    Value address = builder->create<LLVM::AddressOfOp>(loc, work);
    auto run = builder->create<LLVM::CallOp>(
        loc, getOperation().lookupSymbol<LLVM::LLVMFuncOp>("convoy_region_run"),
        ValueRange{constant(threads), address, context});
    Value isRun =
        builder->create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::eq, run.getResult(), zero);
    builder->create<LLVM::ReturnOp>(loc, isRun);
  }

  void describe(LLVM::LLVMFuncOp function) {
    function.setVisibility_(LLVM::Visibility::Hidden);
    function.setDsoLocal(true);
    function.setPassthroughAttr(builder->getStrArrayAttr({"noinline", "nounwind"}));
  }

  LLVM::LLVMFuncOp region;
  int64_t threads = 1;
  Type pointerType;
  std::optional<OpBuilder> builder;
};

} // namespace
} // namespace convoy::codegen
