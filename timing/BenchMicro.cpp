// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the instructions of programs under the emulator and joins the counts with the report of
// the compile.

#include "timing/BenchMicro.h"
#include "Driver/AddProblem.h"
#include "Driver/Backends/Micro/MicroProgram.h"
#include "Driver/LoadedProgram.h"
#include "Pipeline/KernelWork.h"
#include "convoy/compiler.h"
#include "io/Files.h"
#include "timing/Bench.h"
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

/// Returns the multiply-adds of the kernels, by MicroLayer::key.
std::map<std::string, int64_t> multiplyAddsOf(llvm::ArrayRef<KernelReport> kernels) {
  std::map<std::string, int64_t> sums;
  for (const KernelReport &kernel : kernels) {
    sums[kernel.kernel + " " + kernel.nodes] += static_cast<int64_t>(kernel.flops / 2);
  }
  return sums;
}

/// Adds the layers in the order of their first calls. Returns the layer of each call.
std::vector<int64_t> addLayers(const CompileReport &compiled, const targets::Target &target,
                               report::MicroBuild &build) {
  auto cycles = target.instructionCycles.value_or(targets::InstructionCycles());
  std::map<std::string, int64_t> multiplyAdds = multiplyAddsOf(compiled.kernels);
  std::map<std::string, int64_t> indices; // by MicroLayer::key
  std::vector<int64_t> layerOf;
  for (const MemoryCall &call : compiled.memory.calls) {
    report::MicroLayer layer{call.kernel, call.nodes};
    auto [entry, isNew] =
        indices.try_emplace(layer.key(), static_cast<int64_t>(build.layers.size()));
    if (isNew) {
      layer.multiplyAdds = multiplyAdds[layer.key()];
      layer.instructions = static_cast<int64_t>(
          estimateCycles(call.work, static_cast<double>(layer.multiplyAdds), cycles));
      build.instructions += layer.instructions;
      build.layers.push_back(std::move(layer));
    }
    build.layers[static_cast<size_t>(entry->second)].weightsBytes += call.weightsBytes;
    layerOf.push_back(entry->second);
  }
  return layerOf;
}

/// Adds the tensors. With several memories, the report shows the arenas one after the other.
void addTensors(const MemoryReport &memory, llvm::ArrayRef<int64_t> layerOf,
                report::MicroBuild &build) {
  for (const MemoryTensor &tensor : memory.tensors) {
    int64_t base = 0;
    for (const ArenaReport &arena : llvm::ArrayRef(memory.arenas).take_front(tensor.arena)) {
      base += arena.bytes.most;
    }
    build.tensors.push_back({tensor.call < 0 ? -1 : layerOf[tensor.call], tensor.isScratch,
                             base + tensor.offset, tensor.bytes.most, layerOf[tensor.first],
                             layerOf[tensor.last]});
  }
}

/// Counts one run of the program.
llvm::Error countRun(const Artifact &artifact, const driver::MicroProgram &program,
                     const NamedTensors &given, report::MicroBuild &build) {
  std::vector<Tensor> inputs;
  for (auto [i, input] : llvm::enumerate(artifact.report.inputs)) {
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

/// Counts one run of each model and, if the options name a folder, keeps its program there as
/// MODEL.elf.
class MicroBench : public Bench {
public:
  using Bench::Bench;

  Problems check() override {
    Problems problems;
    if (options.hasPeer || options.isHot || options.hasKernelTimes || options.streams > 0 ||
        !options.trace.empty() || options.threads != std::vector<int64_t>{1}) {
      addError(problems, "--target " + target.name +
                             " is a microcontroller: `convoy bench` counts instructions of one "
                             "thread and accepts none of --baseline, --hot, --kernel-times, "
                             "--streams and --trace");
    } else if ((options.hasInputs || !options.report.empty()) && options.models > 1) {
      addError(problems, "--input and --report need one model, got " + llvm::Twine(options.models) +
                             " models");
    }
    return problems;
  }

  Problems build(BenchCase next) override {
    current = std::move(next);
    current->compile.output.emit = Emit::Memory;
    Result<Artifact> built = convoy::compileModel(current->model, current->compile);
    artifact = built ? std::move(*built) : Artifact();
    return built.problems();
  }

  Problems measure() override {
    Problems problems;
    const driver::MicroProgram &program = *artifact.memory->program().micro();
    report::MicroBuild build = describeBuild(artifact.report, program.target());
    build.model = current->model.name();
    build.target = current->compile.target.name;
    llvm::Error error = countRun(artifact, program, current->inputs, build);
    if (!error && !options.folder.empty()) {
      error = program.save(options.folder);
    }
    if (error) {
      addError(problems, std::move(error));
      return problems;
    }
    if (!program.stack()) {
      std::string text = "the RAM of '" + build.model + "' contains the stack of " +
                         std::to_string(build.stackBytes) +
                         " bytes in the target's description: " + program.stackProblem();
      problems.add({ProblemKind::Warning, std::move(text), {}});
    }
    builds.push_back(std::move(build));
    return problems;
  }

  llvm::Error writeFiles() const override {
    return options.report.empty() || builds.empty() ? llvm::Error::success()
                                                    : writePage(options.report, builds.front());
  }

  std::string json() const override { return report::toJson(builds); }

  void print(llvm::raw_ostream &os, llvm::raw_ostream &) const override {
    report::printBuilds(os, builds, options.hasLayers);
  }

private:
  Artifact artifact;
  std::vector<report::MicroBuild> builds;
};

} // namespace

report::MicroBuild describeBuild(const CompileReport &compiled, const targets::Target &target) {
  report::MicroBuild build;
  build.model = compiled.model;
  build.target = target.name;
  build.compiler = llvm::join(target.sourceCompiler, " ");
  std::vector<int64_t> layerOf = addLayers(compiled, target, build);
  addTensors(compiled.memory, layerOf, build);
  build.arenaBytes = compiled.workspaceBytes;
  build.inputBytes = compiled.memory.inputBytes.most;
  build.outputBytes = compiled.memory.outputBytes.most;
  build.weightsBytes = compiled.weightsBytes;
  build.stackBytes = target.toolchain ? target.toolchain->stackBytes : 0;
  return build;
}

llvm::Error writePage(const std::string &path, const report::MicroBuild &build) {
  if (llvm::Error error = io::writeFile(path, report::drawPage(build))) {
    return withPrefix("--report: ", std::move(error));
  }
  return llvm::Error::success();
}

std::unique_ptr<Bench> benchMicro(const BenchOptions &options,
                                  const driver::ResolvedTarget &target) {
  return std::make_unique<MicroBench>(options, target);
}

} // namespace convoy::timing
