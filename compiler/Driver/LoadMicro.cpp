// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a program for a microcontroller and runs it under the emulator of the target.

#include "Driver/Backends/Micro/MemoryFit.h"
#include "Driver/Backends/Micro/MicroProgram.h"
#include "Driver/Loaders.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::driver {
namespace {

class MicroExecutable : public Executable {
public:
  MicroExecutable(std::unique_ptr<MicroProgram> program, Location loc)
      : program(std::move(program)), loc(loc) {}

  FailureOr<std::vector<Datum>> run(ArrayRef<Datum> inputs) override {
    llvm::Expected<std::vector<Tensor>> results = program->run(tensorsOf(inputs));
    if (!results) {
      return emitError(loc, results.takeError());
    }
    return std::vector<Datum>(results->begin(), results->end());
  }

  const MicroProgram *micro() const override { return program.get(); }

private:
  std::unique_ptr<MicroProgram> program;
  Location loc;
};

} // namespace

std::unique_ptr<Executable> loadMicro(ModuleOp module, const codegen::SourceOptions &options,
                                      const MemoryLimits &limits,
                                      codegen::ModelInterface &interface) {
  Location loc = module.getLoc();
  llvm::Expected<std::unique_ptr<MicroProgram>> program = MicroProgram::build(module, options);
  if (!program) {
    emitError(loc, program.takeError());
    return nullptr;
  }
  if (llvm::Error error = checkLimits(memoryNeedOf(**program), limits)) {
    llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &problem) {
      emitError(loc) << problem.message();
    });
    return nullptr;
  }
  interface = (*program)->description();
  return std::make_unique<MicroExecutable>(std::move(*program), loc);
}

} // namespace convoy::driver
