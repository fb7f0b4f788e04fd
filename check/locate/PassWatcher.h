// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls a function after each pass of a run of stages. The searches in this folder use it.

#pragma once

#include "Pipeline/RunStages.h"
#include <functional>

namespace convoy::check {

class PassWatcher : public StageObserver {
public:
  /// Receives the argument of the pass and the op that the pass ran on. A pass over functions
  /// calls it once per function. Passes without an argument do not call it.
  using AfterPass = std::function<void(llvm::StringRef pass, mlir::Operation *op)>;

  explicit PassWatcher(AfterPass afterPass) : afterPass(std::move(afterPass)) {}

  void instrument(mlir::PassManager &passes) override;

private:
  AfterPass afterPass;
};

} // namespace convoy::check
