// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks at the module after each pass of a run of stages.

#pragma once

#include "Pipeline/RunStages.h"
#include <functional>

namespace convoy::check {

class PassWatcher : public StageObserver {
public:
  /// Called with the argument of each pass that has one, and what it ran on. A pass over
  /// functions is seen once for each of them.
  using AfterPass = std::function<void(llvm::StringRef pass, mlir::Operation *op)>;

  explicit PassWatcher(AfterPass afterPass) : afterPass(std::move(afterPass)) {}

  void instrument(mlir::PassManager &passes) override;

private:
  AfterPass afterPass;
};

} // namespace convoy::check
