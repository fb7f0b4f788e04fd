// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what an ONNX file says about itself, for convoy.InferenceSession.

#include "Metadata.h"
#include "Driver/ModelInputs.h"
#include "Import/OnnxProto.h"
#include <cstdint>
#include <limits>

namespace convoy::python {
namespace {

/// Returns a text of the file, which need not be UTF-8.
py::object textOf(const std::string &text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace"));
}

/// Adds the names of the dimensions of tensors; "" for a dimension without a name.
void addDims(const std::vector<const onnx::ValueInfoProto *> &values, py::dict &dims) {
  for (const onnx::ValueInfoProto *value : values) {
    py::list names;
    for (const auto &dim : value->type().tensor_type().shape().dim()) {
      names.append(textOf(dim.dim_param()));
    }
    dims[textOf(value->name())] = names;
  }
}

} // namespace

py::tuple metadata(const BuildRequest &request) {
  if (!request.model()) {
    raiseProblems(request.model().problems());
  }
  const onnx::ModelProto &file = *request.model()->file().proto;
  py::dict custom, facts, dims;
  for (const onnx::StringStringEntryProto &entry : file.metadata_props()) {
    custom[textOf(entry.key())] = textOf(entry.value());
  }
  facts["producer_name"] = textOf(file.producer_name());
  facts["graph_name"] = textOf(file.graph().name());
  facts["domain"] = textOf(file.domain());
  facts["description"] = textOf(file.doc_string());
  facts["graph_description"] = textOf(file.graph().doc_string());
  facts["version"] = file.has_model_version() ? static_cast<int64_t>(file.model_version())
                                              : std::numeric_limits<int64_t>::max();
  facts["custom_metadata_map"] = custom;
  addDims(driver::freeInputs(request.model()->file()), dims);
  addDims(driver::outputsOf(request.model()->file()), dims);
  return py::make_tuple(facts, dims);
}

} // namespace convoy::python
