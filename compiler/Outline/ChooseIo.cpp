// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs convoy-outline-choose-io. The mark is set before Bands, because a ring of rows can replace
// an input only if the input is in the arena.

#include "Outline/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace convoy::outline {
#define GEN_PASS_DEF_CHOOSEIOPASS
#include "Outline/Passes.h.inc"

namespace {

struct ChooseIo : impl::ChooseIoPassBase<ChooseIo> {
  using ChooseIoPassBase::ChooseIoPassBase;

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main) {
      getOperation().emitOpError("has no function @main; expected an imported model");
      return signalPassFailure();
    }
    auto mark = UnitAttr::get(&getContext());
    auto name = StringAttr::get(&getContext(), task::kInArenaAttr);
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      auto type = dyn_cast<RankedTensorType>(main.getArgumentTypes()[i]);
      bool isByRows = inputsByRows && type && type.hasStaticShape() && type.getNumElements() > 0;
      main.setArgAttr(i, isByRows ? StringRef(task::kByRowsAttr) : name.getValue(), mark);
    }
    for (unsigned i = 0; i < main.getNumResults(); ++i) {
      main.setResultAttr(i, name, mark);
    }
  }
};

} // namespace
} // namespace convoy::outline
