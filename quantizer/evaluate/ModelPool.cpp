// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers that run the table of a compiled model on their own buffers, and workers for models
// without a table: the reference, emulated machines and devices.

#include "quantizer/evaluate/ModelPool.h"
#include "Driver/AddProblem.h"
#include "Driver/TensorConversion.h"
#include "Support/ShapeText.h"
#include "convoy/table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>

namespace convoy::quantizer {
namespace {

constexpr uint64_t kAlignmentBytes = 64; // that compiled code expects

std::shared_ptr<void> allocate(uint64_t bytes) {
  uint64_t rounded = llvm::alignTo(std::max<uint64_t>(bytes, 1), kAlignmentBytes);
  std::shared_ptr<void> buffer(std::aligned_alloc(kAlignmentBytes, rounded), std::free);
  if (!buffer) {
    llvm::report_bad_alloc_error("out of memory for the buffers of a model");
  }
  return buffer;
}

std::vector<int64_t> shapeOf(const convoy_tensor &tensor) {
  return {tensor.shape, tensor.shape + tensor.rank};
}

/// Returns an error unless the tensor has the type and shape of the input.
llvm::Error checkInput(const TensorData &data, const convoy_tensor &input) {
  if (static_cast<int32_t>(data.type) == input.element_type && data.shape == shapeOf(input)) {
    return llvm::Error::success();
  }
  return llvm::createStringError("input '" + llvm::Twine(input.name) + "' expects " +
                                 name(static_cast<ElementType>(input.element_type)) + " " +
                                 shapeText(shapeOf(input)) + ", got " + name(data.type) + " " +
                                 shapeText(data.shape) + "; all samples must have the same shape");
}

} // namespace

class ModelPool::Worker {
public:
  virtual ~Worker() = default;
  virtual llvm::Expected<std::vector<Tensor>> run(const NamedTensors &inputs) = 0;
};

/// Runs code that any thread may run with its own buffers.
class ModelPool::TableWorker : public ModelPool::Worker {
public:
  explicit TableWorker(const convoy_model &table)
      : table(table), workspace(allocate(table.workspace_bytes)) {
    for (const convoy_tensor &input : llvm::ArrayRef(table.inputs, table.input_count)) {
      buffers.push_back(allocate(input.bytes));
      inputPointers.push_back(buffers.back().get());
    }
    for (const convoy_tensor &output : llvm::ArrayRef(table.outputs, table.output_count)) {
      std::shared_ptr<void> buffer = allocate(output.bytes);
      outputPointers.push_back(buffer.get());
      outputs.push_back(Tensor::view(static_cast<ElementType>(output.element_type), shapeOf(output),
                                     buffer.get(), buffer));
    }
  }

  llvm::Expected<std::vector<Tensor>> run(const NamedTensors &inputs) override {
    for (uint32_t i = 0; i < table.input_count; ++i) {
      auto data = inputs.find(table.inputs[i].name);
      if (data == inputs.end()) {
        return llvm::createStringError("no data for input '" + llvm::Twine(table.inputs[i].name) +
                                       "'");
      }
      if (llvm::Error error = checkInput(data->second, table.inputs[i])) {
        return error;
      }
      if (data->second.bytes) {
        std::memcpy(buffers[i].get(), data->second.bytes.get(), table.inputs[i].bytes);
      }
    }
    if (int32_t code = table.run(inputPointers.data(), outputPointers.data(), workspace.get())) {
      return llvm::createStringError("the model failed: " + llvm::Twine(table.error_text(code)));
    }
    return outputs;
  }

private:
  const convoy_model &table;
  std::shared_ptr<void> workspace;
  std::vector<std::shared_ptr<void>> buffers; // of the inputs
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  std::vector<Tensor> outputs;
};

/// Runs a model that only this worker uses.
class ModelPool::CompiledWorker : public ModelPool::Worker {
public:
  explicit CompiledWorker(InMemoryModel &memory) : memory(memory) {}

  llvm::Expected<std::vector<Tensor>> run(const NamedTensors &inputs) override {
    Result<std::vector<TensorData>> values = memory.run(inputs);
    if (!values) {
      return firstErrorOf(values.problems());
    }
    std::vector<Tensor> outputs;
    for (const TensorData &value : *values) {
      llvm::Expected<Tensor> tensor = driver::toTensor(value);
      if (!tensor) {
        return tensor.takeError();
      }
      outputs.push_back(std::move(*tensor));
    }
    return outputs;
  }

private:
  InMemoryModel &memory;
};

ModelPool::ModelPool() = default;
ModelPool::ModelPool(ModelPool &&other) noexcept = default;
ModelPool &ModelPool::operator=(ModelPool &&other) noexcept = default;
ModelPool::~ModelPool() = default;

Result<ModelPool> ModelPool::compile(const Workflow &model, const NamedTensors &sample,
                                     int64_t workers) {
  Workflow pinned = model.with([&](CompileRequest &request) {
    for (const auto &[name, tensor] : sample) {
      if (!request.inputs.constants.count(name)) {
        request.inputs.shapes.try_emplace(name, tensor.shape);
      }
    }
  });
  ModelPool pool;
  Problems problems;
  for (int64_t i = 0; i < std::max<int64_t>(workers, 1); ++i) {
    const convoy_model *table = nullptr;
    if (!pool.models.empty()) {
      table = pool.models[0].artifact().memory->table();
    }
    bool isShared = table && table->programs == 0 && table->extent_count == 0;
    if (!isShared) {
      CompiledModel compiled = pinned.compile();
      problems.append(compiled.problems());
      if (!compiled) {
        return problems;
      }
      table = compiled.artifact().memory->table();
      isShared = table && table->programs == 0 && table->extent_count == 0;
      pool.models.push_back(std::move(compiled));
    }
    InMemoryModel &memory = *pool.models.back().artifact().memory;
    pool.list.push_back(isShared ? std::unique_ptr<Worker>(std::make_unique<TableWorker>(*table))
                                 : std::make_unique<CompiledWorker>(memory));
  }
  return Result<ModelPool>(std::move(pool), problems);
}

size_t ModelPool::workers() const { return list.size(); }

const std::vector<std::string> &ModelPool::outputNames() const {
  return models[0].artifact().memory->outputNames();
}

const CompileReport &ModelPool::summary() const { return models[0].artifact().report; }

llvm::Expected<std::vector<Tensor>> ModelPool::run(size_t worker, const NamedTensors &inputs) {
  return list[worker]->run(inputs);
}

} // namespace convoy::quantizer
