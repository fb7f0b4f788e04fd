// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills a Workflow with the arguments of Python.

#include "BuildRequest.h"
#include "DatumConversion.h"
#include "Driver/AddProblem.h"
#include "Driver/ModelInputs.h"
#include "GivenValues.h"
#include "Import/OnnxProto.h"
#include "Support/GroupProblems.h"
#include "io/ModelFlags.h"
#include "io/Samples.h"
#include "io/UserConfig.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <pybind11/stl.h>
#include <set>

namespace convoy::python {
namespace {

/// Calibration samples that Python passed as arrays.
class ArraySamples : public SampleSource {
public:
  explicit ArraySamples(std::vector<NamedTensors> samples) : samples(std::move(samples)) {}

  size_t size() const override { return samples.size(); }
  std::string nameOf(size_t index) const override { return "sample " + std::to_string(index); }
  Result<NamedTensors> read(size_t index) const override { return samples[index]; }

private:
  std::vector<NamedTensors> samples;
};

Result<Model> readModel(const std::string &path, std::optional<std::string_view> data,
                        const std::string &name) {
  py::gil_scoped_release release;
  return data ? Model::parse(*data, name.empty() ? "model" : name) : Model::read(path);
}

std::optional<std::string_view> bytesOf(const py::object &data) {
  if (data.is_none()) {
    return std::nullopt;
  }
  return std::string_view(PyBytes_AS_STRING(data.ptr()),
                          static_cast<size_t>(PyBytes_GET_SIZE(data.ptr())));
}

/// Returns a text of the compiler. File names in it need not be UTF-8.
py::object textOf(const std::string &text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace"));
}

py::list textsOf(const std::vector<std::string> &texts) {
  py::list list;
  for (const std::string &text : texts) {
    list.append(textOf(text));
  }
  return list;
}

py::list toPython(const Problems &problems, bool isOnlyWarnings) {
  py::list list;
  for (const ProblemGroup &group : groupProblems(problems)) {
    const Problem &problem = group.problem;
    if (isOnlyWarnings && problem.isError()) {
      continue;
    }
    list.append(py::make_tuple(nameOf(problem.kind), textOf(problem.text), textOf(problem.node),
                               textOf(problem.op), textsOf(problem.notes), textsOf(group.nodes)));
  }
  return list;
}

void setImage(const py::dict &values, io::ImageFlags &image) {
#include "python/compiler/ImageValues.inc"
}

/// Adds an error for each size of a dimension that no input has.
void checkDims(const Model &model, const std::map<std::string, int64_t> &dims, Problems &problems) {
  std::set<std::string> known;
  for (const onnx::ValueInfoProto *input : driver::freeInputs(model.file())) {
    for (const auto &dim : input->type().tensor_type().shape().dim()) {
      if (!dim.dim_param().empty()) {
        known.insert("'" + dim.dim_param() + "'");
      }
    }
  }
  for (const auto &[name, size] : dims) {
    if (!known.count("'" + name + "'")) {
      addError(problems, "dim: no input has a dimension '" + name + "'; named dimensions are " +
                             (known.empty() ? "none" : llvm::join(known, ", ")));
    }
  }
}

} // namespace

void raiseProblems(const Problems &problems) {
  py::object error = py::module_::import("convoy._keywords")
                         .attr("compile_error")(toPython(problems, /*isOnlyWarnings=*/false));
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

py::list warningsOf(const Problems &problems) { return toPython(problems, true); }

BuildRequest::BuildRequest(const std::string &path, const py::object &data, const std::string &name)
    : file(path), read(readModel(path, bytesOf(data), name)), steps(read) {
  uint64_t size = 0;
  if (!data.is_none()) {
    bytes = static_cast<int64_t>(PyBytes_GET_SIZE(data.ptr()));
  } else if (!llvm::sys::fs::file_size(path, size)) {
    bytes = static_cast<int64_t>(size);
  }
  steps = steps.with([&](CompileRequest &request) { request.output.name = name; });
}

void BuildRequest::set(const py::dict &values, const py::object &samples,
                       const py::dict &constants) {
  bool allowsToolchain = values["allow_toolchain"].cast<bool>();
  auto goal = values["optimize"].cast<std::string>();
  std::string target = io::permittedTarget(values["target"].cast<std::string>(), allowsToolchain);
  steps = steps
              .with([&](CompileRequest &request) {
#include "python/compiler/RequestValues.inc"
                request.target.cpu = io::permittedTarget(request.target.cpu, allowsToolchain);
              })
              .target(goal.empty() ? target : target + ":optimize=" + goal);
  setPins(values, constants);
  setImage(values, imageFlags);
  if (std::string records = values["records"].cast<std::string>(); !records.empty()) {
    recordsOpener = recordsIn(records);
    steps = steps.records(recordsOpener);
  }
  if (py::isinstance<py::list>(samples)) {
    std::vector<NamedTensors> list;
    for (py::handle sample : samples) {
      list.push_back(toNamedTensors(py::reinterpret_borrow<py::dict>(sample)));
    }
    steps = steps.calibrate(std::make_shared<ArraySamples>(std::move(list)));
  } else if (std::string folder = samples.cast<std::string>(); !folder.empty()) {
    steps = steps.calibrate(io::samplesIn(folder, imageFlags));
  }
}

void BuildRequest::setPins(const py::dict &values, const py::dict &constants) {
  auto dims = values["dim"].cast<std::map<std::string, int64_t>>();
  for (const auto &[name, shape] :
       values["input_shape"].cast<std::map<std::string, std::vector<int64_t>>>()) {
    steps = steps.shape(name, shape);
  }
  Problems problems;
  if (read) {
    checkDims(*read, dims, problems);
  }
  if (problems.hasErrors()) {
    raiseProblems(problems);
  }
  steps = steps.with([&](CompileRequest &request) {
    request.inputs.dims = dims;
    request.inputs.customOps = values["custom_ops"].cast<std::vector<std::string>>();
    request.inputs.constants = toNamedTensors(constants);
    request.inputs.allowsOpenDims = values["allow_open_dims"].cast<bool>();
  });
}

py::object BuildRequest::kinds() const {
  if (!read) {
    return py::none();
  }
  py::dict result;
  for (const onnx::ValueInfoProto *input : driver::freeInputs(read->file())) {
    result[py::str(input->name())] = kindOf(input->type());
  }
  return result;
}

py::tuple BuildRequest::signature() const {
  Problems problems;
  ModelRequest wanted = complete(Emit::Memory, problems);
  py::list inputs, outputs;
  for (const io::InputInfo &input : io::dataInputs(wanted.model, wanted.request.inputs)) {
    TensorInfo info{input.name, input.type, {}, input.shape.has_value(), 0};
    if (input.shape) {
      info.shape.assign(input.shape->begin(), input.shape->end());
    }
    inputs.append(describeTensor(info));
  }
  for (const TensorInfo &info : wanted.model.outputs()) {
    outputs.append(describeTensor(info));
  }
  return py::make_tuple(py::tuple(inputs), py::tuple(outputs));
}

ModelRequest BuildRequest::complete(Emit emit, Problems &problems) const {
  Result<ModelRequest> wanted = [&] {
    py::gil_scoped_release release; // reads the records
    return steps.request(emit);
  }();
  problems.append(wanted.problems());
  if (!wanted) {
    raiseProblems(problems);
  }
  return std::move(*wanted);
}

} // namespace convoy::python
