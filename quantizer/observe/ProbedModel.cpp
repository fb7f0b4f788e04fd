// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model with additional outputs once. Each worker has its own buffers and workspace.

#include "quantizer/observe/ProbedModel.h"
#include "Driver/AddProblem.h"
#include "Driver/TensorConversion.h"
#include "Import/OnnxProto.h"
#include "QuantizePlan/WriteQdq.h"
#include "convoy/table.h"
#include "quantizer/observe/OnThreads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace convoy::quantizer {
namespace {

constexpr size_t kAlignmentBytes = 64;

using Buffer = std::shared_ptr<void>;

Buffer allocate(uint64_t bytes) {
  size_t rounded = llvm::alignTo(std::max<uint64_t>(bytes, 1), kAlignmentBytes);
  return Buffer(std::aligned_alloc(kAlignmentBytes, rounded), std::free);
}

llvm::ArrayRef<convoy_tensor> inputsOf(const convoy_model &table) {
  return {table.inputs, table.input_count};
}
llvm::ArrayRef<convoy_tensor> outputsOf(const convoy_model &table) {
  return {table.outputs, table.output_count};
}

/// Returns the tensors that are neither inputs nor outputs of the model.
std::vector<std::string> innerTensors(const onnx::ModelProto &model,
                                      const std::vector<std::string> &tensors) {
  llvm::StringSet<> known;
  for (const onnx::ValueInfoProto &input : model.graph().input()) {
    known.insert(input.name());
  }
  for (const onnx::ValueInfoProto &output : model.graph().output()) {
    known.insert(output.name());
  }
  std::vector<std::string> inner;
  for (const std::string &tensor : tensors) {
    if (known.insert(tensor).second) {
      inner.push_back(tensor);
    }
  }
  return inner;
}

Result<CompiledModel> compileHost(const onnx::ModelProto &model, const InputPins &pins) {
  Result<Model> parsed = Model::parse(model.SerializeAsString(), "observed");
  CompiledModel compiled = Workflow(parsed)
                               .target("host")
                               .threads(1)
                               .with([&](CompileRequest &request) { request.inputs = pins; })
                               .compile();
  if (!compiled) {
    return compiled.problems();
  }
  return compiled;
}

} // namespace

/// The memory of one thread, and one inference at a time.
class ProbeWorker {
public:
  explicit ProbeWorker(const ProbedModel &model) : model(model), table(*model.table) {
    for (const convoy_tensor &input : inputsOf(table)) {
      inputs.push_back(allocate(input.bytes));
      inputPointers.push_back(inputs.back().get());
    }
    for (const convoy_tensor &output : outputsOf(table)) {
      outputs.push_back(allocate(output.bytes));
      outputPointers.push_back(outputs.back().get());
    }
    extents.resize(table.extent_count);
    outputPointers.push_back(extents.data());
    workspace = allocate(table.workspace_bytes);
  }

  bool hasMemory() const {
    return workspace &&
           llvm::all_of(inputs, [](const Buffer &buffer) { return buffer != nullptr; }) &&
           llvm::all_of(outputs, [](const Buffer &buffer) { return buffer != nullptr; });
  }

  llvm::Error run(const NamedTensors &sample) {
    for (auto [index, input] : llvm::enumerate(inputsOf(table))) {
      auto found = sample.find(input.name);
      if (found == sample.end()) {
        return llvm::createStringError("no data for input '" + std::string(input.name) + "'");
      }
      const TensorData &data = found->second;
      if (static_cast<int32_t>(data.type) != input.element_type ||
          data.shape != std::vector<int64_t>(input.shape, input.shape + input.rank)) {
        return llvm::createStringError("expects the type and shape of input '" +
                                       std::string(input.name) +
                                       "', got data of another type or shape");
      }
      std::memcpy(inputs[index].get(), data.bytes.get(), input.bytes);
    }
    int32_t code = table.run(inputPointers.data(), outputPointers.data(), workspace.get());
    return code == 0 ? llvm::Error::success() : llvm::createStringError(table.error_text(code));
  }

  std::vector<ProbeValue> values() const {
    std::vector<ProbeValue> result;
    for (const ProbedModel::Place &place : model.places) {
      const convoy_tensor &tensor =
          place.isInput ? table.inputs[place.index] : table.outputs[place.index];
      const Buffer &buffer = place.isInput ? inputs[place.index] : outputs[place.index];
      ProbeValue value{static_cast<const float *>(buffer.get()),
                       std::vector<int64_t>(tensor.shape, tensor.shape + tensor.rank)};
      for (int32_t dim = 0; tensor.dims && !place.isInput && dim < tensor.rank; ++dim) {
        if (tensor.dims[dim] >= 0) {
          value.shape[dim] = extents[tensor.dims[dim]];
        }
      }
      result.push_back(std::move(value));
    }
    return result;
  }

private:
  const ProbedModel &model;
  const convoy_model &table;
  std::vector<Buffer> inputs, outputs;
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  std::vector<int64_t> extents;
  Buffer workspace;
};

Result<ProbedModel> ProbedModel::compile(const onnx::ModelProto &prepared,
                                         const std::vector<std::string> &tensors,
                                         const InputPins &pins) {
  Result<CompiledModel> compiled =
      compileHost(plan::addOutputs(prepared, innerTensors(prepared, tensors)), pins);
  if (!compiled) {
    return compiled.problems();
  }
  ProbedModel model;
  model.memory = compiled->artifact().memory;
  model.table = model.memory->table();
  assert(model.table && "this is a bug in convoy: code for this machine has a table");
  Problems problems;
  for (const std::string &tensor : tensors) {
    auto isTensor = [&](const convoy_tensor &one) { return tensor == one.name; };
    llvm::ArrayRef<convoy_tensor> inputs = inputsOf(*model.table);
    llvm::ArrayRef<convoy_tensor> outputs = outputsOf(*model.table);
    const auto *input = llvm::find_if(inputs, isTensor);
    const auto *output = llvm::find_if(outputs, isTensor);
    bool isInput = input != inputs.end();
    if (!isInput && output == outputs.end()) {
      addError(problems, "cannot observe tensor '" + tensor +
                             "': expects values that depend on the sample, got a constant; do not "
                             "give a constant for this input");
      continue;
    }
    if ((isInput ? input : output)->element_type != static_cast<int32_t>(ElementType::F32)) {
      addUnsupported(problems,
                     "not supported: observe tensor '" + tensor +
                         "', whose elements are not float32; convert the model to float32");
      continue;
    }
    model.places.push_back(
        {static_cast<size_t>(isInput ? input - inputs.begin() : output - outputs.begin()),
         isInput});
  }
  if (problems.hasErrors()) {
    return problems;
  }
  return model;
}

size_t ProbedModel::workersFor(const ObserveOptions &options, size_t samples) {
  return std::max<size_t>(1, std::min<size_t>(std::max<int64_t>(options.threads, 1), samples));
}

Problems ProbedModel::run(const io::Dataset &data, const std::vector<size_t> &samples,
                          const ObserveOptions &options, Visitor visit) const {
  size_t workers = workersFor(options, samples.size());
  std::vector<Problems> problems(workers);
  std::atomic<bool> hasFailed = false;
  std::mutex progressMutex;
  size_t finished = 0;
  auto runWorker = [&](size_t number) {
    ProbeWorker worker(*this);
    if (!worker.hasMemory()) {
      addError(problems[number], "cannot allocate the memory of the model; use fewer threads");
      hasFailed = true;
    }
    for (size_t i = number; i < samples.size() && !hasFailed; i += workers) {
      Result<NamedTensors> sample = data.read(samples[i]);
      problems[number].append(sample.problems());
      llvm::Error error = sample ? worker.run(*sample) : llvm::Error::success();
      if (error) {
        addError(problems[number],
                 withPrefix("cannot run the model on sample '" + data.nameOf(samples[i]) + "': ",
                            std::move(error)));
      }
      if (problems[number].hasErrors()) {
        hasFailed = true;
        return;
      }
      visit(number, worker.values());
      std::lock_guard<std::mutex> lock(progressMutex);
      ++finished;
      if (options.progress) {
        options.progress(finished, samples.size());
      }
    }
  };
  onThreads(workers, runWorker);
  Problems all;
  for (const Problems &one : problems) {
    all.append(one);
  }
  return all;
}

} // namespace convoy::quantizer
