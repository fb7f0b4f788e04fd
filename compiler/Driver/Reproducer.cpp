// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file has the form of MLIR's crash reproducer: a module with the resource
// `mlir_reproducer`. MLIR's own writer cannot be used: it leaves out the contract of a stage
// and the passes that an observer runs.

#include "Driver/Reproducer.h"
#include "Driver/ShellWord.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstring>

using namespace mlir;

namespace convoy::driver {
namespace {

/// Notes the first pass that leaves invalid IR.
class InvalidIrWatch : public PassInstrumentation {
public:
  explicit InvalidIrWatch(std::string &invalidAfter) : invalidAfter(invalidAfter) {}

  void runAfterPassFailed(Pass *pass, Operation *op) override {
    ScopedDiagnosticHandler silent(op->getContext(), [](Diagnostic &) { return success(); });
    if (invalidAfter.empty() && failed(verify(op))) {
      invalidAfter = pass->getArgument().str();
    }
  }

private:
  std::string &invalidAfter;
};

std::string textOf(OpPassManager &manager) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      manager, [&](Pass &pass) { pass.printAsTextualPipeline(os); }, [&] { os << ","; });
  return text;
}

/// Opens `name` in the working directory, or in the temporary folder if the working
/// directory is not writable. Returns the path, or nothing if both are not writable.
std::optional<std::string> openFile(llvm::StringRef name,
                                    std::unique_ptr<llvm::raw_fd_ostream> &os) {
  llvm::SmallString<128> inTemporary;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, inTemporary);
  llvm::sys::path::append(inTemporary, name);
  for (llvm::StringRef path : {name, llvm::StringRef(inTemporary)}) {
    // Another user's link at this path must not lead the text to another file.
    std::error_code error = llvm::sys::fs::remove(path);
    os = std::make_unique<llvm::raw_fd_ostream>(path, error, llvm::sys::fs::CD_CreateNew);
    if (!error) {
      return path.str();
    }
  }
  return std::nullopt;
}

} // namespace

void Reproducer::beginStage(const Stage &stage) {
  before = module.clone();
  stageName = stage.name.str();
  pipeline.clear();
}

void Reproducer::instrument(PassManager &manager) {
  pipeline = textOf(manager);
  flags.clear();
  if (passes) {
    passes->describe(pipeline, flags);
  }
  if (options.verifyStages) {
    PassManager contract(module.getContext());
    findStage(stageName)->addContract(contract, options);
    std::string text = textOf(contract);
    pipeline += (pipeline.empty() || text.empty() ? "" : ",") + text;
  }
  manager.addInstrumentation(std::make_unique<InvalidIrWatch>(invalidAfter));
}

std::optional<LogicalResult> Reproducer::run(llvm::function_ref<LogicalResult()> stages,
                                             Problems &problems) {
  LogicalResult result = failure();
  llvm::CrashRecoveryContext recovery;
  if (recovery.RunSafely([&] { result = stages(); })) {
    return result;
  }
  // A shell reports a signal in the same way.
  constexpr int kSignalBase = 128;
  const char *reason =
      recovery.RetCode > kSignalBase ? strsignal(recovery.RetCode - kSignalBase) : "a fatal error";
  problems.addError("this is a bug in convoy: stage " + stageName + " crashed: " + reason,
                    ProblemKind::Bug);
  return std::nullopt;
}

/// Measurements of a records file are not part of the pipeline's text.
bool Reproducer::isReplayable() const {
  return before && !pipeline.empty() &&
         !llvm::StringRef(pipeline).contains("convoy-layout-insert-measured");
}

void Reproducer::print(llvm::raw_ostream &os) {
  AsmState state(*before, OpPrintingFlags().enableDebugInfo());
  state.attachResourcePrinter("mlir_reproducer", [&](Operation *, AsmResourceBuilder &builder) {
    builder.buildString("pipeline", "builtin.module(" + pipeline + ")");
    builder.buildBool("disable_threading", true);
    builder.buildBool("verify_each", options.verifyPasses);
  });
  before->print(os, state);
}

void Reproducer::write(llvm::StringRef modelName, Problems &problems) {
  std::string begin = "this is a bug in convoy, in stage " + stageName;
  begin += hasInvalidIr() ? ": pass " + invalidAfter + " left invalid IR" : "";
  std::unique_ptr<llvm::raw_fd_ostream> os;
  std::optional<std::string> path;
  if (isReplayable()) {
    path = openFile((modelName + ".convoy-reproducer.mlir").str(), os);
  }
  if (!path) {
    problems.addError(begin, ProblemKind::Bug);
    return;
  }
  print(*os);
  os->close();
  if (os->has_error()) {
    os->clear_error();
    problems.addError(begin, ProblemKind::Bug);
    return;
  }
  std::string command = "convoy-opt --run-reproducer";
  for (const std::string &flag : flags) {
    command += " " + shellWord(flag);
  }
  Problem problem;
  problem.kind = ProblemKind::Bug;
  problem.text = begin + "; reproducer: " + *path + "; replay: " + command + " " + shellWord(*path);
  problem.reproducer = *path;
  problems.add(std::move(problem));
}

} // namespace convoy::driver
