// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles and runs a module in this process and compares its outputs with a Sample.

#include "tests/differential/Differential.h"
#include "Codegen/LLVM/Passes.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace convoy::test {
namespace {

// One cache line on either side catches vector accesses beyond the buffer.
constexpr int64_t kGuardBytes = 64;
constexpr unsigned char kGuard = 0xA5;
// Factor by which a target may exceed the deviation of the perturbed runs. A target sums in a
// different order and rounds in different places than these runs.
constexpr double kAllowance = 16;

/// An aligned buffer between two guard areas.
class GuardedBuffer {
public:
  explicit GuardedBuffer(int64_t bytes, unsigned char fill) : bytes(bytes) {
    int64_t whole = llvm::alignTo(bytes, 64) + 2 * kGuardBytes;
    memory.reset(static_cast<unsigned char *>(std::aligned_alloc(64, whole)), std::free);
    std::memset(memory.get(), kGuard, whole);
    std::memset(data(), fill, bytes);
  }
  unsigned char *data() { return memory.get() + kGuardBytes; }
  bool isIntact() const {
    const unsigned char *after = memory.get() + kGuardBytes + bytes;
    return isGuard(memory.get()) && isGuard(after);
  }

private:
  static bool isGuard(const unsigned char *at) {
    return std::all_of(at, at + kGuardBytes, [](unsigned char c) { return c == kGuard; });
  }

  int64_t bytes;
  std::shared_ptr<unsigned char> memory;
};

const targets::Target &host() {
  static const targets::Target kHost = targets::detectHost();
  return kHost;
}

llvm::Expected<std::unique_ptr<codegen::LoadedModel>> compileForHost(ModuleOp module,
                                                                     StageOptions options) {
  options.codegen.target = host();
  options.kernels.fuseMultiplyAdd = host().hasFma;
  options.schedule.grainNs = 0;
  options.verifyStages = true;
  if (failed(runStages(module, options))) {
    return llvm::createStringError("a stage failed");
  }
  return codegen::LoadedModel::load(module, options.codegen);
}

std::string runOnce(const codegen::LoadedModel &model, ArrayRef<Tensor> inputs, unsigned char fill,
                    std::vector<Tensor> &outputs) {
  std::vector<const void *> in;
  for (const Tensor &tensor : inputs) {
    in.push_back(tensor.raw());
  }
  std::vector<GuardedBuffer> buffers;
  std::vector<void *> out;
  std::vector<codegen::TensorDescriptor> written = codegen::writtenTensors(model.description());
  for (const codegen::TensorDescriptor &descriptor : written) {
    buffers.emplace_back(descriptor.bytes, fill);
    out.push_back(buffers.back().data());
  }
  GuardedBuffer workspace(model.workspaceBytes(), fill);
  if (llvm::Error error = model.run(in, out, workspace.data())) {
    return llvm::toString(std::move(error));
  }
  if (!workspace.isIntact()) {
    return "wrote beyond the workspace";
  }
  std::vector<Tensor> tensors;
  for (auto [i, descriptor] : llvm::enumerate(written)) {
    if (!buffers[i].isIntact()) {
      return "wrote beyond output " + std::to_string(i);
    }
    Tensor tensor(descriptor.type, descriptor.shape);
    std::memcpy(tensor.mutableRaw(), buffers[i].data(), tensor.bytes());
    tensors.push_back(tensor);
  }
  llvm::Expected<std::vector<Tensor>> actual =
      codegen::readOutputs(model.description(), std::move(tensors));
  if (!actual) {
    return llvm::toString(actual.takeError());
  }
  outputs = std::move(*actual);
  return "";
}

/// Compares bytes, except that all bit patterns of NaN are equal.
bool isSame(const Tensor &a, const Tensor &b) {
  if (!isFloat(a.type())) {
    return std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
  }
  for (int64_t i = 0; i < a.size(); ++i) {
    double x = a.asDouble(i);
    double y = b.asDouble(i);
    if (!(x == y || (std::isnan(x) && std::isnan(y)))) {
      return false;
    }
  }
  return true;
}

double smallest(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return 0x1p-24;
  case ElementType::F64:
    return 0x1p-1074;
  case ElementType::BF16:
    return 0x1p-133;
  default:
    return 0x1p-149;
  }
}

std::string differenceText(const Tensor &actual, const Tensor &expected, int64_t i,
                           double tolerance) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool isInt = !isFloat(expected.type());
  stream << "element " << i << " of " << expected.size() << ": expected ";
  if (isInt) {
    stream << expected.asInt(i) << ", got " << actual.asInt(i);
  } else {
    stream << llvm::format("%.9g, got %.9g, allowed %.3g", expected.asDouble(i), actual.asDouble(i),
                           tolerance);
  }
  return text;
}

} // namespace

llvm::Expected<HostGraph> HostGraph::compile(ModuleOp module, int64_t threads, bool isStrictMath) {
  StageOptions options;
  options.layout.isStrictMath = isStrictMath;
  options.machine.vectorBytes = host().vectorBytes;
  options.schedule.threads = threads;
  return compile(module, options);
}

llvm::Expected<HostGraph> HostGraph::compile(ModuleOp module, const StageOptions &options) {
  OwningOpRef<ModuleOp> copy = module.clone();
  llvm::Expected<std::unique_ptr<codegen::LoadedModel>> model = compileForHost(*copy, options);
  if (!model) {
    return model.takeError();
  }
  return HostGraph(std::move(*model));
}

std::string HostGraph::run(ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs) const {
  // Fills outputs with ones, which are NaN as a float, so an element that is never written differs.
  std::string problem = runOnce(*model, inputs, 0xFF, outputs);
  std::vector<Tensor> again;
  if (problem.empty()) {
    problem = runOnce(*model, inputs, 0x00, again);
  }
  if (!problem.empty()) {
    return problem;
  }
  for (auto [i, tensor] : llvm::enumerate(outputs)) {
    if (!isSame(tensor, again[i])) {
      return "output " + std::to_string(i) + " depends on uninitialized memory";
    }
  }
  return "";
}

std::string runOnHost(ModuleOp module, ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs,
                      int64_t threads, bool isStrictMath) {
  llvm::Expected<HostGraph> graph = HostGraph::compile(module, threads, isStrictMath);
  return graph ? graph->run(inputs, outputs) : llvm::toString(graph.takeError());
}

std::string runOnHostAs(const kernels::Machine &machine, ModuleOp module, ArrayRef<Tensor> inputs,
                        std::vector<Tensor> &outputs, int64_t threads, bool isStrictMath) {
  StageOptions options;
  options.schedule.threads = threads;
  options.machine = machine;
  options.layout.isStrictMath = isStrictMath;
  llvm::Expected<HostGraph> graph = HostGraph::compile(module, options);
  return graph ? graph->run(inputs, outputs) : llvm::toString(graph.takeError());
}

std::string whyThreadsDiffer(ModuleOp module, ArrayRef<Tensor> inputs, int64_t threads) {
  std::vector<Tensor> alone;
  std::vector<Tensor> together;
  std::string problem = runOnHost(module, inputs, alone);
  if (problem.empty()) {
    problem = runOnHost(module, inputs, together, threads);
  }
  for (size_t i = 0; i < alone.size() && problem.empty(); ++i) {
    if (std::memcmp(alone[i].raw(), together[i].raw(), alone[i].bytes()) != 0) {
      problem = "output " + std::to_string(i) + " depends on the number of threads";
    }
  }
  return problem;
}

std::string whyDifferent(const Tensor &actual, const Sample &expected) {
  const Tensor &plain = expected.plain;
  if (actual.type() != plain.type() || actual.shape() != plain.shape()) {
    return "the type or shape differs";
  }
  double tolerance =
      !expected.isRounded ? 0 : kAllowance * expected.deviation() + 2 * smallest(plain.type());
  for (int64_t i = 0; i < plain.size(); ++i) {
    bool isFine = false;
    if (isFloat(plain.type())) {
      double a = actual.asDouble(i);
      double b = plain.asDouble(i);
      // Allows four units in the last place for every rounded value.
      double own = expected.isRounded ? 8 * epsilonOf(plain.type()) * std::fabs(b) : 0;
      isFine = a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= tolerance + own;
    } else {
      isFine = actual.asInt(i) == plain.asInt(i);
    }
    if (!isFine) {
      return differenceText(actual, plain, i, tolerance);
    }
  }
  return "";
}

} // namespace convoy::test
