// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes planar data with the reference and writes packed data to files.

#include "TaskData.h"
#include "Graph/Layout.h"
#include "Support/OutputFile.h"
#include "mlir/IR/Diagnostics.h"
#include "reference/Reference.h"
#include "tuning/build/ForceConfiguration.h"
#include "tuning/measure/ExpectedPoints.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;

namespace convoy::tuning {
namespace {

constexpr uint64_t kPointSeed = 1;

int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

/// Returns the number of terms of the longest sum in the kernel.
int64_t summedTerms(graph::KernelOp kernel) {
  int64_t terms = 1;
  kernel->walk([&](Operation *op) {
    if (isa<graph::ConvOp, graph::IntegerConvOp>(op)) {
      int64_t outputs = cast<RankedTensorType>(op->getOperand(1).getType()).getDimSize(0);
      terms = std::max(terms, elementsOf(op->getOperand(1)) / std::max<int64_t>(outputs, 1));
    } else if (isa<graph::MatMulOp, graph::IntegerMatMulOp>(op)) {
      terms =
          std::max(terms, cast<RankedTensorType>(op->getOperand(0).getType()).getShape().back());
    } else if (op != kernel && op->getNumOperands() > 0 && op->getNumResults() > 0) {
      // For windows and reductions: the number of inputs per result, at least nine.
      int64_t ratio =
          elementsOf(op->getOperand(0)) / std::max<int64_t>(1, elementsOf(op->getResult(0)));
      terms = std::max(terms, std::max<int64_t>(ratio, 9));
    }
  });
  return terms;
}

/// Returns whether an op of the kernel rounds floats, so that an integer result may be one step
/// off.
bool roundsFloats(graph::KernelOp kernel) {
  bool found = false;
  kernel->walk([&](Operation *op) {
    found |= op != kernel && !isa<graph::ConstantOp>(op) &&
             llvm::any_of(op->getOperandTypes(),
                          [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); });
  });
  return found;
}

llvm::Error writeBytes(const std::string &path, const Tensor &tensor) {
  return writeFile(path, llvm::StringRef(static_cast<const char *>(tensor.raw()), tensor.bytes()));
}

/// Returns the index in memory of each element in row-major order.
Tensor placesIn(RankedTensorType type) {
  Tensor memory(ElementType::I64, {graph::physicalElements(type)});
  auto *places = memory.mutableData<int64_t>();
  std::iota(places, places + memory.size(), 0);
  return graph::unpackedTensor(memory, type);
}

llvm::Error writePoints(const std::string &path, const Tensor &result, RankedTensorType type,
                        const PointTolerance &tolerance) {
  Tensor places = placesIn(type);
  return writeExpectedPoints(path, result, pointsToCheck(type.getShape(), kPointSeed), tolerance,
                             [&](int64_t i) { return places.data<int64_t>()[i]; });
}

} // namespace

double mathTolerance(bool isStrictMath, int64_t terms) {
  // The bound that `convoy check` uses for a kernel. Direct sums have at most a quarter of
  // this error.
  constexpr double kFast = 1e-5;
  return (isStrictMath ? kFast / 4 : kFast) * std::sqrt(static_cast<double>(terms));
}

llvm::Expected<TaskData> TaskData::compute(const Task &task, std::string folder) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(task, &context);
  if (!module) {
    return module.takeError();
  }
  TaskData data(task, std::move(folder));
  data.prepare(*module);
  std::string problem;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    problem += (problem.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  std::vector<reference::Datum> operands(data.inputs.begin(), data.inputs.end());
  FailureOr<std::vector<reference::Datum>> results = reference::run(module->main(), operands);
  if (failed(results)) {
    return llvm::createStringError("the reference cannot run task '" + task.name + "': " + problem);
  }
  for (const reference::Datum &result : *results) {
    data.results.push_back(result.tensor);
  }
  return data;
}

void TaskData::prepare(TaskModule &module) {
  inputs = taskInputs(task, module);
  graph::KernelOp kernel = module.kernel();
  tolerance = {mathTolerance(module.settings.isStrictMath, summedTerms(kernel)),
               roundsFloats(kernel) ? 1 : 0};
}

llvm::Error TaskData::save(const std::string &path) const {
  std::string bytes;
  for (const Tensor &result : results) {
    bytes.append(static_cast<const char *>(result.raw()), result.bytes());
  }
  return writeFile(path, bytes);
}

llvm::Expected<TaskData> TaskData::load(const Task &task, std::string folder,
                                        const std::string &path) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(task, &context);
  if (!module) {
    return module.takeError();
  }
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) {
    return llvm::createStringError("cannot read '" + path + "': " + file.getError().message());
  }
  TaskData data(task, std::move(folder));
  data.prepare(*module);
  llvm::StringRef left = (*file)->getBuffer();
  for (Type type : module->main().getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    Tensor result(fromMlir(tensor.getElementType()), tensor.getShape());
    auto bytes = static_cast<size_t>(result.bytes());
    if (left.size() < bytes) {
      return llvm::createStringError("'" + path + "' does not contain the results of task '" +
                                     task.name + "'");
    }
    std::memcpy(result.mutableRaw(), left.data(), bytes);
    left = left.drop_front(bytes);
    data.results.push_back(std::move(result));
  }
  return data;
}

llvm::Expected<TaskData::Files> TaskData::write(const Configuration &configuration,
                                                const std::string &prefix) const {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(task, &context);
  if (!module) {
    return module.takeError();
  }
  if (llvm::Error error = forceConfiguration(module->kernel(), configuration)) {
    return std::move(error);
  }
  Files files;
  std::vector<Tensor> packed = packInputs(module->main(), inputs);
  for (size_t i = 0; i < packed.size(); ++i) {
    std::string path = prefix + "-x" + std::to_string(i) + ".raw";
    if (llvm::Error error = writeBytes(path, packed[i])) {
      return std::move(error);
    }
    files.inputs.push_back({path, static_cast<int64_t>(packed[i].bytes())});
  }
  for (size_t i = 0; i < results.size(); ++i) {
    std::string path = prefix + "-y" + std::to_string(i) + ".points";
    auto type = cast<RankedTensorType>(module->main().getResultTypes()[i]);
    if (llvm::Error error = writePoints(path, results[i], type, tolerance)) {
      return std::move(error);
    }
    int64_t bytes = graph::physicalElements(type) * storageBytes(results[i].type());
    files.outputs.push_back({bytes, path});
  }
  return files;
}

llvm::Expected<RunnableCandidate> TaskData::candidateOf(const Configuration &configuration,
                                                        const BuiltCandidate &built) {
  RunnableCandidate candidate;
  candidate.id = task.name + " " + configuration.text + " " + configuration.inputLayout;
  candidate.library = built.files.library;
  candidate.symbol = built.files.interface.model;
  candidate.workspaceBytes = built.files.interface.workspaceBytes;
  if (llvm::Error error = fill(candidate, configuration)) {
    return std::move(error);
  }
  return candidate;
}

llvm::Error TaskData::fill(RunnableCandidate &candidate, const Configuration &configuration) {
  auto [entry, isNew] = byLayouts.try_emplace(
      {configuration.templateId, configuration.inputLayout, configuration.outputLayout});
  if (isNew) {
    std::string prefix =
        folder + "/" + task.key().substr(0, 16) + "-" + std::to_string(byLayouts.size());
    llvm::Expected<Files> files = write(configuration, prefix);
    if (!files) {
      byLayouts.erase(entry);
      return files.takeError();
    }
    entry->second = std::move(*files);
  }
  candidate.inputs = entry->second.inputs;
  candidate.outputs = entry->second.outputs;
  return llvm::Error::success();
}

} // namespace convoy::tuning
