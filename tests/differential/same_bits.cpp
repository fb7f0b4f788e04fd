// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a quantized model as an integer graph for each target. Every target must give the
// reference's bytes for the inputs of the golden folders and for random inputs.
//
//     same_bits MODEL GOLDENS COUNT TARGET...

#include "Driver/LoadedProgram.h"
#include "Driver/ResolveTarget.h"
#include "convoy/compiler.h"
#include "io/InputData.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>

using namespace convoy;
using driver::Datum;
using driver::NamedData;

namespace {

/// Compiles a model for a target as an integer graph; returns null after printing an error.
std::shared_ptr<InMemoryModel> compile(const Model &model, const InputPins &pins,
                                       const TargetRequest &target) {
  CompileRequest request;
  request.inputs = pins;
  request.target = target;
  request.output.emit = Emit::Memory;
  if (const char *compiler = std::getenv("CC")) {
    request.output.cCompiler = compiler;
  }
  Result<Artifact> artifact = compileModel(model, request);
  if (!artifact) {
    llvm::outs() << artifact.problems().firstError() << "\n";
    return nullptr;
  }
  return artifact->memory;
}

/// Returns the problem with `actual`, or an empty string.
std::string whyDifferent(const std::vector<Datum> &actual, const std::vector<Datum> &expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const Tensor &a = actual[i].tensor;
    const Tensor &b = expected[i].tensor;
    if (a.type() != b.type() || a.bytes() != b.bytes()) {
      return "output " + std::to_string(i) + " has a different type or size";
    }
    if (std::memcmp(a.raw(), b.raw(), b.bytes()) != 0) {
      return "output " + std::to_string(i) + " differs from the reference";
    }
  }
  return "";
}

/// Returns the inputs of each folder in `goldens`, then `count` random ones.
std::vector<NamedData> collectInputs(const Model &model, llvm::StringRef goldens, uint64_t count) {
  std::vector<NamedData> list;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(goldens, error), end; !error && it != end;
       it.increment(error)) {
    if (!llvm::sys::fs::exists(it->path() + "/input_0.pb")) {
      continue;
    }
    llvm::Expected<NamedData> inputs = io::readGoldenInputs(it->path(), model);
    if (inputs) {
      list.push_back(std::move(*inputs));
    } else {
      llvm::outs() << llvm::toString(inputs.takeError()) << "\n";
    }
  }
  NamedData like = list.empty() ? NamedData() : list.front();
  for (uint64_t seed = 1; seed <= count && !like.empty(); ++seed) {
    NamedData random;
    for (const auto &[name, datum] : like) {
      random[name] = io::randomTensor(datum.tensor.type(), datum.tensor.shape(), seed);
    }
    list.push_back(std::move(random));
  }
  return list;
}

/// Runs all inputs on one target; returns the number of wrong results.
int compare(InMemoryModel &model, llvm::StringRef name, const std::vector<NamedData> &inputs,
            const std::vector<std::vector<Datum>> &expected) {
  int wrong = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Result<std::vector<Datum>> actual = model.program().run(inputs[i]);
    std::string problem = actual ? whyDifferent(*actual, expected[i]) : "cannot run";
    if (!problem.empty()) {
      llvm::outs() << "FAILED " << name << ", input " << i << ": " << problem << "\n";
      ++wrong;
    }
  }
  return wrong;
}

/// Returns the reference's outputs, computed in the arithmetic of the device if there is one.
std::vector<std::vector<Datum>> expectedOutputs(const Model &model, const InputPins &pins,
                                                const std::string &device,
                                                const std::vector<NamedData> &inputs) {
  TargetRequest reference;
  reference.name = "reference";
  reference.arithmeticOf = device;
  std::vector<std::vector<Datum>> outputs;
  std::shared_ptr<InMemoryModel> compiled = compile(model, pins, reference);
  for (const NamedData &data : inputs) {
    Result<std::vector<Datum>> result =
        compiled ? compiled->program().run(data) : Result<std::vector<Datum>>(Problems());
    if (!result) {
      return {};
    }
    outputs.push_back(std::move(*result));
  }
  return outputs;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 5) {
    llvm::outs() << "usage: same_bits MODEL GOLDENS COUNT TARGET...\n";
    return 2;
  }
  Result<Model> model = Model::read(argv[1]);
  if (!model) {
    llvm::outs() << model.problems().firstError() << "\n";
    return 1;
  }
  std::vector<NamedData> inputs = collectInputs(*model, argv[2], std::stoull(argv[3]));
  if (inputs.empty()) {
    llvm::outs() << "no inputs in " << argv[2] << "\n";
    return 1;
  }
  InputPins pins;
  io::pinShapes(pins, inputs.front());
  std::map<std::string, std::vector<std::vector<Datum>>> expected; // by device; "" for CPUs
  int wrong = 0;
  for (int i = 4; i < argc; ++i) {
    TargetRequest wanted;
    wanted.name = argv[i];
    llvm::Expected<driver::ResolvedTarget> target =
        driver::resolveTarget(wanted, /*isForMemory=*/true);
    if (!target) {
      llvm::outs() << argv[i] << ": " << llvm::toString(target.takeError()) << "\n";
      return 1;
    }
    std::string device = target->device ? argv[i] : "";
    if (!expected.count(device)) {
      expected[device] = expectedOutputs(*model, pins, device, inputs);
    }
    std::shared_ptr<InMemoryModel> compiled =
        expected[device].empty() ? nullptr : compile(*model, pins, wanted);
    if (!compiled) {
      llvm::outs() << argv[i] << ": the compiler or the reference failed\n";
      return 1;
    }
    wrong += compare(*compiled, argv[i], inputs, expected[device]);
  }
  llvm::outs() << inputs.size() << " inputs on " << argc - 4 << " targets, " << wrong
               << " results differ from the reference\n";
  return wrong == 0 ? 0 : 1;
}
