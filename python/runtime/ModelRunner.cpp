// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run costs about one microsecond more than the call in C: the names of the inputs and the
// checks of the arrays are prepared when the model is loaded.

#include "ModelRunner.h"
#include "convoy/convoy.h"
#include <array>
#include <chrono>
#include <cstdlib>
#include <pybind11/stl.h>

namespace convoy::python {
namespace {

/// A longer run is interruptible by Ctrl-C, which costs the start of a thread (about 50 us).
constexpr double kInterruptibleSeconds = 0.1;

/// Returns a tuple of convoy_runtime.Tensor.
py::tuple describeTensors(const convoy_tensor *tensors, uint32_t count,
                          const convoy_tensor *others) {
  py::object type = py::module_::import("convoy_runtime._tensor").attr("Tensor");
  py::tuple list(count);
  for (uint32_t i = 0; i < count; ++i) {
    const convoy_tensor &tensor = tensors[i];
    py::object shape =
        py::tuple(py::cast(std::vector<int64_t>(tensor.shape, tensor.shape + tensor.rank)));
    py::object scales = py::none(), zeroPoints = py::none(), axis = py::none(), alias = py::none();
    if (tensor.scales) {
      scales = py::tuple(
          py::cast(std::vector<float>(tensor.scales, tensor.scales + tensor.scale_count)));
      zeroPoints = py::tuple(py::cast(
          std::vector<int32_t>(tensor.zero_points, tensor.zero_points + tensor.scale_count)));
      if (tensor.scale_axis >= 0) {
        axis = py::int_(tensor.scale_axis);
      }
    }
    if (tensor.alias >= 0) {
      alias = py::str(others[tensor.alias].name);
    }
    list[i] = type(tensor.name, tensor.element_type, shape, tensor.bytes, scales, zeroPoints, axis,
                   alias);
  }
  return list;
}

std::string namesOf(const std::vector<Slot> &slots) {
  std::string text;
  for (const Slot &slot : slots) {
    text += (text.empty() ? "'" : ", '") + slot.name().cast<std::string>() + "'";
  }
  return text.empty() ? "none" : text;
}

/// Returns a mapping as a dictionary, without a copy of a dictionary.
py::object asDict(py::handle mapping, const char *argument) {
  if (PyDict_Check(mapping.ptr())) {
    return py::reinterpret_borrow<py::object>(mapping);
  }
  if (py::hasattr(mapping, "items")) {
    return py::dict(mapping.attr("items")());
  }
  Reasons reasons;
  reasons.add("type", std::string(argument) + ": expected a dictionary {name: array}, got " +
                          Py_TYPE(mapping.ptr())->tp_name);
  reasons.raise();
}

} // namespace

void raiseError(const std::string &text) {
  py::object type = py::module_::import("convoy_runtime._errors").attr("Error");
  // A path in the text need not be UTF-8.
  py::object error = type(py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace")));
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

WorkspacePool::WorkspacePool(size_t bytes, size_t alignment)
    : bytes(std::max<size_t>(bytes, 1)), alignment(std::max<size_t>(alignment, 64)) {}

WorkspacePool::~WorkspacePool() {
  for (void *workspace : free) {
    std::free(workspace);
  }
}

void *WorkspacePool::take() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!free.empty()) {
      void *workspace = free.back();
      free.pop_back();
      return workspace;
    }
  }
  void *workspace = nullptr;
  if (posix_memalign(&workspace, alignment, bytes) != 0) {
    throw std::bad_alloc();
  }
  return workspace;
}

void WorkspacePool::giveBack(void *workspace) noexcept {
  std::lock_guard<std::mutex> lock(mutex);
  try {
    free.push_back(workspace);
  } catch (...) {
    std::free(workspace);
  }
}

/// The arguments of one run and the objects that own them.
struct ModelRunner::Buffers {
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  std::vector<py::object> owners;       // of inputs that are not in place
  std::vector<py::object> outputArrays; // in the order of the outputs
  std::vector<int64_t> extents;         // sizes that depend on data, which the run writes
};

ModelRunner::ModelRunner(const convoy_model *model, convoy_loaded *library, py::object owner)
    : model(model), library(library), owner(std::move(owner)),
      workspaces(model ? model->workspace_bytes : 0, model ? model->workspace_alignment : 0) {
  if (model) {
    describe();
  }
}

ModelRunner::~ModelRunner() { convoy_unload(library); }

void ModelRunner::describe() {
  if (model->symbol_count > 0) {
    raiseError(
        "not supported: the model '" + std::string(model->name) +
        "' has open dimensions; this version of convoy_runtime runs models with fixed sizes");
  }
  inputTensors = describeTensors(model->inputs, model->input_count, model->outputs);
  outputTensors = describeTensors(model->outputs, model->output_count, model->inputs);
  for (uint32_t i = 0; i < model->input_count; ++i) {
    inputSlots.emplace_back("input", model->inputs[i], inputTensors[i]);
  }
  for (uint32_t i = 0; i < model->output_count; ++i) {
    outputSlots.emplace_back("output", model->outputs[i], outputTensors[i]);
  }
}

std::unique_ptr<ModelRunner>
ModelRunner::load(const std::string &path, const std::optional<std::string> &hash, bool verifies) {
  std::array<char, 2048> text{};
  convoy_loaded *library = nullptr;
  {
    py::gil_scoped_release release;
    library = convoy_load_checked(path.c_str(), hash ? hash->c_str() : nullptr,
                                  verifies ? CONVOY_LOAD_VERIFY : 0, text.data(), text.size());
  }
  if (!library) {
    raiseError(text.data());
  }
  try {
    return std::unique_ptr<ModelRunner>(
        new ModelRunner(convoy_loaded_model(library), library, py::none()));
  } catch (...) {
    convoy_unload(library);
    throw;
  }
}

std::unique_ptr<ModelRunner> ModelRunner::fromTable(const py::object &capsule) {
  const convoy_model *model = nullptr;
  if (!capsule.is_none()) {
    model = static_cast<const convoy_model *>(PyCapsule_GetPointer(capsule.ptr(), "convoy_model"));
    if (!model) {
      throw py::error_already_set();
    }
  }
  return std::unique_ptr<ModelRunner>(new ModelRunner(model, nullptr, capsule));
}

const convoy_model &ModelRunner::table() const {
  if (!model) {
    raiseError("this model has no machine code");
  }
  return *model;
}

bool ModelRunner::readInputs(py::handle feed, Buffers &buffers, Reasons &reasons) const {
  buffers.inputs.resize(inputSlots.size());
  for (size_t i = 0; i < inputSlots.size(); ++i) {
    PyObject *value = PyDict_GetItemWithError(feed.ptr(), inputSlots[i].name().ptr());
    if (!value) {
      if (PyErr_Occurred()) {
        throw py::error_already_set();
      }
      reasons.add("name", "input '" + inputSlots[i].name().cast<std::string>() + "' is missing");
      continue;
    }
    // Reads also an array in place: its owner must live until the run ends, also if another
    // thread removes it from the dictionary.
    buffers.inputs[i] =
        inputSlots[i].read(py::reinterpret_borrow<py::object>(value), buffers.owners, reasons);
  }
  if (PyDict_Size(feed.ptr()) != static_cast<py::ssize_t>(inputSlots.size()) ||
      !reasons.isEmpty()) {
    for (auto entry : py::reinterpret_borrow<py::dict>(feed)) {
      bool isKnown = false;
      for (const Slot &slot : inputSlots) {
        isKnown |= slot.name().equal(entry.first);
      }
      if (!isKnown) {
        reasons.add("name", "the model has no input " + std::string(py::repr(entry.first)) +
                                "; its inputs are " + namesOf(inputSlots));
      }
    }
  }
  return reasons.isEmpty();
}

void ModelRunner::makeOutputs(py::handle out, Buffers &buffers, Reasons &reasons) const {
  buffers.outputs.resize(outputSlots.size());
  buffers.extents.resize(model->extent_count);
  size_t found = 0;
  for (size_t i = 0; i < outputSlots.size(); ++i) {
    const Slot &slot = outputSlots[i];
    if (!out.is_none()) {
      PyObject *value = PyDict_GetItemWithError(out.ptr(), slot.name().ptr());
      if (value) {
        ++found;
        buffers.outputs[i] = slot.write(value, reasons);
        buffers.outputArrays.push_back(py::reinterpret_borrow<py::object>(value));
        continue;
      }
    }
    py::array array = slot.allocate();
    buffers.outputs[i] = array.mutable_data();
    buffers.outputArrays.push_back(std::move(array));
  }
  if (out.is_none()) {
    return;
  }
  if (found != static_cast<size_t>(PyDict_Size(out.ptr()))) {
    reasons.add("name", "out: " + std::to_string(PyDict_Size(out.ptr()) - found) +
                            " names are no outputs; the outputs are " + namesOf(outputSlots));
  }
  checkOverlap(buffers, reasons);
}

void ModelRunner::checkOverlap(const Buffers &buffers, Reasons &reasons) const {
  auto overlaps = [](const void *a, size_t aBytes, const void *b, size_t bBytes) {
    const char *first = static_cast<const char *>(a), *second = static_cast<const char *>(b);
    return a && b && first < second + bBytes && second < first + aBytes;
  };
  for (size_t i = 0; i < outputSlots.size(); ++i) {
    for (size_t j = 0; j < inputSlots.size(); ++j) {
      if (model->outputs[i].alias != static_cast<int32_t>(j) &&
          overlaps(buffers.outputs[i], outputSlots[i].bytes(), buffers.inputs[j],
                   inputSlots[j].bytes())) {
        reasons.add("value", "out: the array of output '" +
                                 outputSlots[i].name().cast<std::string>() +
                                 "' overlaps the array of input '" +
                                 inputSlots[j].name().cast<std::string>() + "'");
      }
    }
    for (size_t j = 0; j < i; ++j) {
      if (overlaps(buffers.outputs[i], outputSlots[i].bytes(), buffers.outputs[j],
                   outputSlots[j].bytes())) {
        reasons.add("value", "out: the arrays of the outputs '" +
                                 outputSlots[j].name().cast<std::string>() + "' and '" +
                                 outputSlots[i].name().cast<std::string>() + "' overlap");
      }
    }
  }
}

py::object ModelRunner::result(const Buffers &buffers, size_t index) const {
  const convoy_tensor &tensor = model->outputs[index];
  const py::object &array = buffers.outputArrays[index];
  if (!tensor.dims) {
    return array;
  }
  py::tuple shape(tensor.rank);
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.rank; ++i) {
    int64_t size = tensor.dims[i] < 0 ? tensor.shape[i] : buffers.extents[tensor.dims[i]];
    shape[i] = py::int_(size);
    count *= size;
  }
  // The elements are dense at the start of the buffer.
  return array.attr("reshape")(-1)[py::slice(0, count, 1)].attr("reshape")(shape);
}

int32_t ModelRunner::call(Buffers &buffers, void *workspace) {
  using Clock = std::chrono::steady_clock;
  std::unique_lock<std::mutex> lock(deviceMutex, std::defer_lock);
  if (model->programs > 0) {
    lock.lock();
  }
  // The vectors of an interruptible run are copies, so only here the address is final.
  if (!buffers.extents.empty()) {
    buffers.outputs.resize(outputSlots.size());
    buffers.outputs.push_back(buffers.extents.data());
  }
  Clock::time_point start = Clock::now();
  int32_t code = model->run(buffers.inputs.data(), buffers.outputs.data(), workspace);
  lastSeconds.store(std::chrono::duration<double>(Clock::now() - start).count(),
                    std::memory_order_relaxed);
  return code;
}

int32_t ModelRunner::callInterruptibly(const py::object &self, Buffers &buffers, void *workspace) {
  // The run may outlive this function.
  struct Job {
    Buffers buffers;
    KeptObjects kept;
    int32_t code = 0;
  };
  auto job = std::make_shared<Job>();
  job->buffers.inputs = buffers.inputs;
  job->buffers.outputs = buffers.outputs;
  job->buffers.extents = buffers.extents;
  job->kept.add(self);
  for (const std::vector<py::object> *objects : {&buffers.owners, &buffers.outputArrays}) {
    for (const py::object &object : *objects) {
      job->kept.add(object);
    }
  }
  runInterruptibly([this, job, workspace] {
    job->code = call(job->buffers, workspace);
    workspaces.giveBack(workspace);
  });
  buffers.extents = job->buffers.extents;
  return job->code;
}

py::dict ModelRunner::run(const py::object &self, py::handle feed, py::handle out) {
  table();
  Reasons reasons;
  Buffers buffers;
  py::object feedDict = asDict(feed, "feed"),
             outDict = out.is_none() ? py::none() : asDict(out, "out");
  if (!readInputs(feedDict, buffers, reasons)) {
    reasons.raise();
  }
  makeOutputs(outDict, buffers, reasons);
  if (!reasons.isEmpty()) {
    reasons.raise();
  }
  void *workspace = workspaces.take();
  int32_t code = 0;
  double expected = lastSeconds.load(std::memory_order_relaxed);
  if ((expected < 0 || expected > kInterruptibleSeconds) && isMainThread()) {
    code = callInterruptibly(self, buffers, workspace);
  } else {
    py::gil_scoped_release release;
    code = call(buffers, workspace);
    workspaces.giveBack(workspace);
  }
  if (code != CONVOY_OK) {
    raiseError(model->error_text(code));
  }
  py::dict results;
  for (size_t i = 0; i < outputSlots.size(); ++i) {
    PyDict_SetItem(results.ptr(), outputSlots[i].name().ptr(), result(buffers, i).ptr());
  }
  return results;
}

} // namespace convoy::python
