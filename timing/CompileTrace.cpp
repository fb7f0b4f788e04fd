// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step is an event of the thread that compiles; a pass is an event of the thread that runs it.
// MLIR's adaptors, which only run nested passes, are left out.

#include "timing/CompileTrace.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"

using namespace mlir;

namespace convoy::timing {
namespace {

bool isAdaptor(Pass *pass) { return pass->getArgument().empty(); }

class PassRecorder : public PassInstrumentation {
public:
  explicit PassRecorder(CompileTrace &trace) : trace(trace) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (!isAdaptor(pass)) {
      auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
      trace.beginPass(pass->getArgument().str(), name ? name.str() : "");
    }
  }
  void runAfterPass(Pass *pass, Operation *) override { end(pass); }
  void runAfterPassFailed(Pass *pass, Operation *) override { end(pass); }

private:
  void end(Pass *pass) {
    if (!isAdaptor(pass)) {
      trace.endPass();
    }
  }

  CompileTrace &trace;
};

} // namespace

int64_t CompileTrace::now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                              start)
      .count();
}

CompileTrace::Thread &CompileTrace::thisThread() { return threads[std::this_thread::get_id()]; }

std::function<void(const CompileStep &)>
CompileTrace::recordSteps(std::function<void(const CompileStep &)> other) {
  return [this, other = std::move(other)](const CompileStep &step) {
    if (other) {
      other(step);
    }
    beginStep(step.name);
  };
}

void CompileTrace::beginStep(const std::string &name) {
  std::lock_guard<std::mutex> lock(mutex);
  endStep();
  Thread &thread = thisThread();
  thread.open.push_back(thread.events.size());
  thread.events.push_back({name, "stage", now(), 0});
}

void CompileTrace::endStep() {
  Thread &thread = thisThread();
  // A pass that failed by a crash has not ended either.
  for (size_t index : thread.open) {
    thread.events[index].endNs = now();
  }
  thread.open.clear();
}

void CompileTrace::beginPass(std::string name, std::string function) {
  std::lock_guard<std::mutex> lock(mutex);
  Thread &thread = thisThread();
  llvm::json::Object facts;
  if (!function.empty()) {
    facts["function"] = llvm::json::fixUTF8(function);
  }
  thread.open.push_back(thread.events.size());
  thread.events.push_back({std::move(name), "pass", now(), 0, std::move(facts)});
}

void CompileTrace::endPass() {
  std::lock_guard<std::mutex> lock(mutex);
  Thread &thread = thisThread();
  if (!thread.open.empty()) {
    thread.events[thread.open.back()].endNs = now();
    thread.open.pop_back();
  }
}

report::TraceProcess CompileTrace::finish(const std::string &name) {
  std::lock_guard<std::mutex> lock(mutex);
  endStep();
  report::TraceProcess process{name, {{"compile", std::move(threads[caller].events)}}};
  for (auto &[id, thread] : threads) {
    if (id != caller) {
      std::string track = "passes, thread " + std::to_string(process.tracks.size());
      process.tracks.push_back({std::move(track), std::move(thread.events)});
    }
  }
  return process;
}

void CompileTrace::beginStage(const Stage &stage) {
  if (next) {
    next->beginStage(stage);
  }
}

void CompileTrace::instrument(PassManager &passes) {
  if (next) {
    next->instrument(passes);
  }
  passes.addInstrumentation(std::make_unique<PassRecorder>(*this));
}

bool CompileTrace::endStage(ModuleOp module, const Stage &stage) {
  return !next || next->endStage(module, stage);
}

void CompileTrace::describe(std::string &pipeline, std::vector<std::string> &flags) const {
  if (next) {
    next->describe(pipeline, flags);
  }
}

} // namespace convoy::timing
