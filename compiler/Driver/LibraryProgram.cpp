// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocates the buffers that the table of a library states (convoy/table.h) and calls the run
// function of the table.

#include "Driver/LibraryProgram.h"
#include "Graph/Extent.h"
#include "Support/ShapeText.h"
#include "Support/TypedError.h"
#include "convoy/load.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>

namespace convoy::driver {
namespace {

constexpr uint64_t kAlignmentBytes = 64; // that compiled code expects

ElementType typeOf(const convoy_tensor &tensor) {
  return elementTypeFromOnnx(tensor.element_type).value_or(ElementType::Undefined);
}

Shape shapeOf(const convoy_tensor &tensor) { return {tensor.shape, tensor.shape + tensor.rank}; }

template <typename Value>
std::vector<void *> pointersTo(const std::vector<std::shared_ptr<Value>> &buffers) {
  std::vector<void *> pointers;
  for (const std::shared_ptr<Value> &buffer : buffers) {
    pointers.push_back(buffer.get());
  }
  return pointers;
}

} // namespace

llvm::Error TableRun::addBuffer(uint64_t bytes, std::vector<std::shared_ptr<void>> &list) const {
  uint64_t rounded = llvm::alignTo(std::max<uint64_t>(bytes, 1), kAlignmentBytes);
  std::shared_ptr<void> buffer(std::aligned_alloc(kAlignmentBytes, rounded), std::free);
  if (!buffer) {
    return llvm::createStringError("cannot allocate " + llvm::Twine(rounded) +
                                   " bytes to run the model");
  }
  list.push_back(std::move(buffer));
  return llvm::Error::success();
}

llvm::Error TableRun::addInput(const convoy_tensor &input, const NamedData &data) {
  auto given = data.find(input.name);
  if (given == data.end()) {
    return llvm::createStringError("no data for input '" + llvm::Twine(input.name) +
                                   "'; give it with --input " + input.name + "=FILE");
  }
  const Datum &value = given->second;
  ElementType type = typeOf(input);
  Shape shape = shapeOf(input);
  if (!value.isTensor() || value.tensor.type() != type ||
      value.tensor.shape() != llvm::ArrayRef(shape)) {
    return llvm::createStringError(
        "input '" + llvm::Twine(input.name) + "' expects " + name(type) + " " + shapeText(shape) +
        ", got " +
        (value.isTensor() ? name(value.tensor.type()).str() + " " + shapeText(value.tensor.shape())
                          : "no tensor"));
  }
  if (llvm::Error error = addBuffer(input.bytes, inputs)) {
    return error;
  }
  std::memcpy(inputs.back().get(), value.tensor.raw(), value.tensor.bytes());
  return llvm::Error::success();
}

llvm::Expected<TableRun> TableRun::prepare(const convoy_model &table, const NamedData &data) {
  if (table.symbol_count > 0 || table.programs > 0) {
    return createUnsupported("not supported: a library with programs of a device or with open "
                             "dimensions; run it from a program of yours (docs/howto/"
                             "load-library.md)");
  }
  TableRun run(table);
  for (const convoy_tensor &input : llvm::ArrayRef(table.inputs, table.input_count)) {
    if (llvm::Error error = run.addInput(input, data)) {
      return std::move(error);
    }
  }
  for (const convoy_tensor &output : llvm::ArrayRef(table.outputs, table.output_count)) {
    if (llvm::Error error = run.addBuffer(output.bytes, run.results)) {
      return std::move(error);
    }
  }
  std::vector<std::shared_ptr<void>> workspaces;
  if (llvm::Error error = run.addBuffer(table.workspace_bytes, workspaces)) {
    return std::move(error);
  }
  run.workspace = workspaces.front();
  run.extents.resize(table.extent_count);
  return run;
}

llvm::Error TableRun::run() {
  std::vector<void *> in = pointersTo(inputs), out = pointersTo(results);
  if (!extents.empty()) {
    out.push_back(extents.data());
  }
  int32_t code = table->run(in.data(), out.data(), workspace.get());
  return code == 0 ? llvm::Error::success()
                   : llvm::createStringError(llvm::StringRef(table->error_text(code)));
}

llvm::Expected<std::vector<Tensor>> TableRun::outputs() const {
  std::vector<Tensor> tensors;
  for (auto [i, output] : llvm::enumerate(llvm::ArrayRef(table->outputs, table->output_count))) {
    Shape most = shapeOf(output);
    Tensor tensor = Tensor::view(typeOf(output), most, results[i].get(), results[i]);
    if (!output.dims) {
      tensors.push_back(std::move(tensor));
      continue;
    }
    std::optional<Shape> shape =
        graph::actualShape(most, llvm::ArrayRef(output.dims, output.rank), extents);
    if (!shape) {
      return createBug("output '%s' has a size above its maximum; this is a bug in convoy",
                       output.name);
    }
    tensors.push_back(graph::firstElements(tensor, *shape));
  }
  return tensors;
}

void LibraryProgram::Unload::operator()(convoy_loaded *library) const { convoy_unload(library); }

llvm::Expected<std::unique_ptr<LibraryProgram>> LibraryProgram::load(const std::string &path) {
  char problem[1024];
  auto program = std::make_unique<LibraryProgram>();
  program->loaded.reset(convoy_load(path.c_str(), problem, sizeof(problem)));
  if (!program->loaded) {
    return llvm::createStringError(llvm::StringRef(problem));
  }
  return program;
}

const convoy_model &LibraryProgram::table() const { return *convoy_loaded_model(loaded.get()); }

std::vector<TensorInfo> LibraryProgram::inputs() const {
  std::vector<TensorInfo> infos;
  for (const convoy_tensor &input : llvm::ArrayRef(table().inputs, table().input_count)) {
    Shape shape = shapeOf(input);
    infos.push_back({input.name,
                     typeOf(input),
                     {shape.begin(), shape.end()},
                     true,
                     static_cast<int64_t>(input.bytes)});
  }
  return infos;
}

std::vector<std::string> LibraryProgram::outputNames() const {
  std::vector<std::string> names;
  for (const convoy_tensor &output : llvm::ArrayRef(table().outputs, table().output_count)) {
    names.emplace_back(output.name);
  }
  return names;
}

} // namespace convoy::driver
