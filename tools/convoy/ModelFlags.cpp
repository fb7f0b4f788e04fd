// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --input-shape, --dim and --const against a model.

#include "ModelFlags.h"
#include "DiagnosticLog.h"
#include "Import/OnnxProto.h"
#include "Npy.h"
#include "OnnxData.h"
#include "Session.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

namespace convoy::driver {
namespace {

// Larger dimensions overflow shapes sooner or later; no tensor has them.
constexpr int64_t kMaxDim = int64_t(1) << 40;

const onnx::ValueInfoProto *findInput(const import::Model &model, llvm::StringRef name) {
  for (const onnx::ValueInfoProto *input : freeInputs(model)) {
    if (input->name() == name) {
      return input;
    }
  }
  return nullptr;
}

std::string noInput(const import::Model &model, llvm::StringRef flag, llvm::StringRef name) {
  return (flag + ": the model has no input '" + name + "'; it has " + namesOf(freeInputs(model)))
      .str();
}

void readShape(llvm::StringRef flag, const import::Model &model, import::ImportOptions &options,
               DiagnosticLog &log) {
  // Names may hold colons; shapes do not.
  auto [name, text] = flag.rsplit(':');
  std::optional<Shape> shape = parseShape(text);
  if (name == flag || !shape) {
    log.addError("--input-shape '" + flag + "' is not of the form NAME:1x3x224x224");
  } else if (!findInput(model, name)) {
    log.addError(noInput(model, "--input-shape", name));
  } else {
    options.inputShapes[name.str()] = *shape;
  }
}

std::set<std::string> dimNames(const import::Model &model) {
  std::set<std::string> names;
  for (const onnx::ValueInfoProto *input : freeInputs(model)) {
    for (const auto &dim : input->type().tensor_type().shape().dim()) {
      if (!dim.dim_param().empty()) {
        names.insert(dim.dim_param());
      }
    }
  }
  return names;
}

void readDim(llvm::StringRef flag, const std::set<std::string> &names,
             import::ImportOptions &options, DiagnosticLog &log) {
  auto [name, text] = flag.rsplit('=');
  int64_t size = 0;
  if (name == flag || text.getAsInteger(10, size) || size < 0 || size > kMaxDim) {
    log.addError("--dim '" + flag + "' is not of the form NAME=SIZE");
  } else if (!names.count(name.str())) {
    log.addError("--dim: no input has a dimension '" + name + "'; named dimensions are " +
                 (names.empty() ? "none" : "'" + llvm::join(names, "', '") + "'"));
  } else {
    options.dims[name.str()] = size;
  }
}

void readConstant(llvm::StringRef flag, const import::Model &model, import::ImportOptions &options,
                  DiagnosticLog &log) {
  auto [name, file] = flag.split('=');
  if (file.empty()) {
    log.addError("--const '" + flag + "' is not of the form NAME=FILE");
    return;
  }
  if (!findInput(model, name)) {
    log.addError(noInput(model, "--const", name));
    return;
  }
  llvm::Expected<Tensor> tensor = file.ends_with(".npy") ? readNpy(file) : readOnnxTensor(file);
  if (tensor) {
    options.constants[name.str()] = std::move(*tensor);
  } else {
    log.addError("--const: " + llvm::toString(tensor.takeError()));
  }
}

/// The shape that the model declares, with the flags applied.
std::optional<Shape> shapeOf(const onnx::ValueInfoProto &value,
                             const import::ImportOptions &options) {
  auto pinned = options.inputShapes.find(value.name());
  std::optional<Shape> given;
  if (pinned != options.inputShapes.end()) {
    given = pinned->second;
  }
  if (!value.type().tensor_type().has_shape()) {
    return given;
  }
  Shape shape;
  for (const auto &dim : value.type().tensor_type().shape().dim()) {
    auto named = options.dims.find(dim.dim_param());
    bool isNamed = !dim.dim_param().empty() && named != options.dims.end();
    shape.push_back(dim.has_dim_value() ? dim.dim_value() : isNamed ? named->second : -1);
  }
  for (size_t i = 0; given && given->size() == shape.size() && i < shape.size(); ++i) {
    shape[i] = (*given)[i] >= 0 ? (*given)[i] : shape[i];
  }
  return shape;
}

} // namespace

std::optional<Shape> parseShape(llvm::StringRef text) {
  Shape shape;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  for (llvm::StringRef part : parts) {
    int64_t dim = -1;
    if (part != "?" && (part.getAsInteger(10, dim) || dim < 0 || dim > kMaxDim)) {
      return std::nullopt;
    }
    shape.push_back(dim);
  }
  return shape;
}

import::ImportOptions readModelFlags(const ModelOptions &options, const import::Model &model,
                                     DiagnosticLog &log) {
  import::ImportOptions result;
  std::set<std::string> names = dimNames(model);
  for (const std::string &flag : options.inputShapes) {
    readShape(flag, model, result, log);
  }
  for (const std::string &flag : options.dims) {
    readDim(flag, names, result, log);
  }
  for (const std::string &flag : options.constants) {
    readConstant(flag, model, result, log);
  }
  return result;
}

bool InputInfo::isStatic() const {
  return shape && llvm::all_of(*shape, [](int64_t dim) { return dim >= 0; });
}

std::vector<InputInfo> dataInputs(const import::Model &model,
                                  const import::ImportOptions &options) {
  std::vector<InputInfo> result;
  for (const onnx::ValueInfoProto *value : freeInputs(model)) {
    if (options.constants.count(value->name())) {
      continue;
    }
    InputInfo info{value, value->name(), ElementType::Undefined, std::nullopt};
    if (value->type().has_tensor_type()) {
      info.type = elementTypeFromOnnx(value->type().tensor_type().elem_type())
                      .value_or(ElementType::Undefined);
      info.shape = shapeOf(*value, options);
    }
    result.push_back(std::move(info));
  }
  return result;
}

std::string namesOf(llvm::ArrayRef<const onnx::ValueInfoProto *> values) {
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto *value : values) {
    names.push_back("'" + value->name() + "'");
  }
  return names.empty() ? "none" : llvm::join(names, ", ");
}

} // namespace convoy::driver
