// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the contract of the bands stage. Memory and Schedule may assume:
//
//   [bands.1] A run with bands runs a kernel with rows.
//   [bands.2] The ends of its bands ascend, each is the end of a row, and the last is the number of
//             chunks of the kernel.
//   [bands.3] All runs of a group have the same number of bands.

#include "Bands/Passes.h"
#include "Task/RowSteps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include <map>

using namespace mlir;

namespace convoy::bands {
#define GEN_PASS_DEF_CHECKBANDSCONTRACTPASS
#include "Bands/Passes.h.inc"

namespace {

class BandsCheck {
public:
  explicit BandsCheck(ModuleOp module) : symbols(module) {}

  LogicalResult check(task::RunOp run) {
    std::optional<task::Bands> bands = task::Bands::of(run.getBandsAttr());
    if (!bands) {
      return success();
    }
    auto steps = task::RowSteps::of(symbols.lookup<task::KernelOp>(run.getKernel()));
    if (!steps) { // [bands.1]
      return run.emitOpError("has bands, but its kernel has no rows");
    }
    if (!bands->cover(*steps)) { // [bands.2]
      return run.emitOpError("expects bands that end at rows, in ascending order, and cover ")
             << steps->chunks() << " chunks, found ends "
             << DenseI64ArrayAttr::get(run.getContext(), bands->ends);
    }
    size_t expected = counts.try_emplace(bands->group, bands->ends.size()).first->second;
    if (bands->ends.size() != expected) { // [bands.3]
      return run.emitOpError("expects ") << expected << " bands, as the other runs of group "
                                         << bands->group << ", found " << bands->ends.size();
    }
    return success();
  }

private:
  SymbolTable symbols;
  std::map<int64_t, size_t> counts; // bands by group
};

struct CheckBandsContract : impl::CheckBandsContractPassBase<CheckBandsContract> {
  void runOnOperation() override {
    BandsCheck check(getOperation());
    getOperation().walk([&](task::RunOp run) {
      if (failed(check.check(run))) {
        signalPassFailure();
      }
    });
    markAllAnalysesPreserved();
  }
};

} // namespace

void addBandsContract(OpPassManager &passes) { passes.addPass(createCheckBandsContractPass()); }

} // namespace convoy::bands
