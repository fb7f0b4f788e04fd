// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the steps, stages and passes of a compile for `convoy compile --trace`.

#pragma once

#include "Pipeline/RunStages.h"
#include "convoy/request.h"
#include "report/TraceFile.h"
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

namespace convoy::timing {

class CompileTrace : public StageObserver {
public:
  /// Sets an observer that gets all calls too; may be null.
  void setNext(StageObserver *observer) { next = observer; }

  /// Returns a callback for CompileRequest::progress that records steps and calls `other`.
  std::function<void(const CompileStep &)>
  recordSteps(std::function<void(const CompileStep &)> other);
  /// Records a step that is no step of the compile, such as reading the model. The next step ends
  /// it.
  void beginStep(const std::string &name);

  /// Ends the last step and returns the recorded events. The compile must be over.
  report::TraceProcess finish(const std::string &name);

  // The interface of StageObserver.
  void beginStage(const Stage &stage) override;
  void instrument(mlir::PassManager &passes) override;
  bool endStage(mlir::ModuleOp module, const Stage &stage) override;
  void describe(std::string &pipeline, std::vector<std::string> &flags) const override;

  /// Records a pass of the calling thread. MLIR runs passes on several functions at once.
  void beginPass(std::string name, std::string function);
  void endPass();

private:
  struct Thread {
    std::vector<report::TraceEvent> events;
    std::vector<size_t> open; // indices of events that have not ended, innermost last
  };

  int64_t now() const;
  Thread &thisThread();
  void endStep();

  StageObserver *next = nullptr;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::thread::id caller = std::this_thread::get_id();
  std::map<std::thread::id, Thread> threads;
};

} // namespace convoy::timing
