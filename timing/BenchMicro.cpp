// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the counts of the emulator with the multiply-adds that the compiler counts.

#include "timing/BenchMicro.h"
#include "Driver/AddProblem.h"
#include "Driver/CompileModel.h"
#include "Driver/LoadedProgram.h"
#include "Driver/MicroProgram.h"
#include "timing/MeasuredLibrary.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

namespace convoy::timing {
namespace {

void setInstructions(llvm::ArrayRef<driver::LayerCount> counts, report::MicroBuild &build) {
  std::map<std::string, int64_t> instructions;
  for (const driver::LayerCount &count : counts) {
    instructions[count.layer] += static_cast<int64_t>(count.instructions);
  }
  for (report::MicroLayer &layer : build.layers) {
    layer.instructions = instructions[layer.key()];
  }
}

/// Estimates the cycles of a layer from the cycles of single instructions.
int64_t estimateCycles(const report::MicroLayer &layer, const LayerOps &ops,
                       const targets::InstructionCycles &cycles) {
  bool hasVectors = cycles.vector > 0;
  auto integer = static_cast<double>(cycles.integer), vector = static_cast<double>(cycles.vector);
  // gcc does not vectorise the loops over lanes of emitted C.
  double total = (ops.loops.scalarOps + ops.loops.elements) * integer;
  if (ops.callsFunctions) {
    // A vector holds 16 bytes, or four sums that are rescaled together.
    auto load = static_cast<double>(cycles.load), multiply = static_cast<double>(cycles.multiply);
    double product = hasVectors ? (load + vector) / 16 : load + multiply;
    double rescaling = hasVectors ? 2 * vector : multiply + 4 * integer + load;
    total += static_cast<double>(layer.multiplyAdds) * product +
             static_cast<double>(ops.resultBytes) * rescaling;
  }
  return static_cast<int64_t>(total);
}

/// Counts one run of the program.
llvm::Error countRun(const Artefact &artefact, const driver::MicroProgram &program,
                     const NamedTensors &given, report::MicroBuild &build) {
  std::vector<Tensor> inputs;
  for (auto [i, input] : llvm::enumerate(artefact.summary.inputs)) {
    llvm::Expected<Tensor> tensor = inputData(input, i, given);
    if (!tensor) {
      return tensor.takeError();
    }
    inputs.push_back(std::move(*tensor));
  }
  driver::InstructionCounts counts;
  if (llvm::Error error = program.run(inputs, &counts).takeError()) {
    return error;
  }
  build.isCounted = true;
  build.instructions = static_cast<int64_t>(counts.run);
  build.between = static_cast<int64_t>(counts.between);
  setInstructions(counts.layers, build);
  build.codeBytes = program.codeBytes();
  build.flashBytes = program.flashBytes();
  build.ramBytes = program.ramBytes();
  if (const driver::StackBound *stack = program.stack()) {
    build.stackBytes = stack->bytes;
    build.isStackBounded = true;
    for (const driver::LibraryCall &call : stack->library) {
      build.libraryCalls.push_back({call.name, call.bytes});
    }
  }
  build.usedStackBytes = counts.stackBytes;
  build.usedArenaBytes = counts.arenaBytes;
  return llvm::Error::success();
}

} // namespace

report::MicroBuild describeBuild(const CompileSummary &summary, const targets::Target &target,
                                 MemoryMap map) {
  report::MicroBuild build;
  build.model = summary.model;
  build.target = target.name;
  build.compiler = llvm::join(target.sourceCompiler, " ");
  for (auto [layer, ops] : llvm::zip(map.layers, map.ops)) {
    layer.instructions =
        estimateCycles(layer, ops, target.instructionCycles.value_or(targets::InstructionCycles()));
    build.instructions += layer.instructions;
  }
  build.layers = std::move(map.layers);
  build.tensors = std::move(map.tensors);
  build.arenaBytes = summary.workspaceBytes;
  build.inputBytes = map.inputBytes;
  build.outputBytes = map.outputBytes;
  build.weightsBytes = summary.weightsBytes;
  build.stackBytes = target.toolchain ? target.toolchain->stackBytes : 0;
  return build;
}

Result<report::MicroBuild> benchMicro(const Model &model, const CompileRequest &request,
                                      const NamedTensors &inputs, const std::string &folder) {
  CompileRequest wanted = request;
  wanted.output.emit = Emit::Memory;
  MemoryObserver memory;
  driver::CompileHooks hooks;
  hooks.observer = &memory;
  Result<Artefact> artefact = driver::compileModel(model, wanted, hooks);
  Problems problems = artefact.problems();
  if (!artefact) {
    return problems;
  }
  const driver::MicroProgram *program = artefact->memory->program().micro();
  if (!program) {
    addError(problems,
             llvm::createStringError("target '" + request.target.name + "' is no microcontroller"));
    return problems;
  }
  report::MicroBuild build =
      describeBuild(artefact->summary, program->target(), std::move(memory.map));
  build.model = model.name();
  build.target = request.target.name;
  if (llvm::Error error = countRun(*artefact, *program, inputs, build)) {
    addError(problems, std::move(error));
    return problems;
  }
  if (llvm::Error error = folder.empty() ? llvm::Error::success() : program->save(folder)) {
    addError(problems, std::move(error));
    return problems;
  }
  if (!program->stack()) {
    std::string text = "the RAM of '" + build.model + "' contains the stack of " +
                       std::to_string(build.stackBytes) +
                       " bytes in the target's description: " + program->stackProblem();
    problems.add({ProblemKind::Warning, std::move(text), {}});
  }
  return Result<report::MicroBuild>(std::move(build), std::move(problems));
}

} // namespace convoy::timing
