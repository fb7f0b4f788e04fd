// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses --input-shape, --dim and --const.

#include "io/ModelFlags.h"
#include "Driver/AddProblem.h"
#include "Driver/ModelInputs.h"
#include "Driver/TensorConversion.h"
#include "Import/ElementName.h"
#include "Import/OnnxProto.h"
#include "io/Files.h"
#include "io/Npy.h"
#include "io/OnnxData.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

namespace convoy::io {
namespace {

// Larger dimensions could overflow the number of elements. No tensor has them.
constexpr int64_t kMaxDim = int64_t(1) << 40;

const onnx::ValueInfoProto *findInput(const Model &model, llvm::StringRef name) {
  for (const onnx::ValueInfoProto *input : driver::freeInputs(model.file())) {
    if (input->name() == name) {
      return input;
    }
  }
  return nullptr;
}

std::string noInput(const Model &model, llvm::StringRef flag, llvm::StringRef name) {
  return (flag + ": the model has no input '" + name + "'; it has " +
          namesOf(driver::freeInputs(model.file())))
      .str();
}

void readShape(llvm::StringRef flag, const Model &model, InputPins &pins, Problems &log) {
  // A name may contain colons; a shape does not.
  auto [name, text] = flag.rsplit(':');
  std::optional<Shape> shape = parseShape(text);
  if (name == flag || !shape) {
    addError(log, "--input-shape '" + flag + "' is not of the form NAME:1x3x224x224");
  } else if (!findInput(model, name) && !findInput(model, import::ownerName(name.str()))) {
    addError(log, noInput(model, "--input-shape", name));
  } else {
    pins.shapes[name.str()] = {shape->begin(), shape->end()};
  }
}

std::set<std::string> dimNames(const Model &model) {
  std::set<std::string> names;
  for (const onnx::ValueInfoProto *input : driver::freeInputs(model.file())) {
    for (const auto &dim : input->type().tensor_type().shape().dim()) {
      if (!dim.dim_param().empty()) {
        names.insert(dim.dim_param());
      }
    }
  }
  return names;
}

void readDim(llvm::StringRef flag, const std::set<std::string> &names, InputPins &pins,
             Problems &log) {
  auto [name, text] = flag.rsplit('=');
  int64_t size = 0;
  if (name == flag || text.getAsInteger(10, size) || size < 0 || size > kMaxDim) {
    addError(log, "--dim '" + flag + "' is not of the form NAME=SIZE");
  } else if (!names.count(name.str())) {
    addError(log, "--dim: no input has a dimension '" + name + "'; named dimensions are " +
                      (names.empty() ? "none" : "'" + llvm::join(names, "', '") + "'"));
  } else {
    pins.dims[name.str()] = size;
  }
}

void readConstant(llvm::StringRef flag, const Model &model, InputPins &pins, Problems &log) {
  auto [name, file] = flag.split('=');
  if (file.empty()) {
    addError(log, "--const '" + flag + "' is not of the form NAME=FILE");
    return;
  }
  if (!findInput(model, name)) {
    addError(log, noInput(model, "--const", name));
    return;
  }
  llvm::Expected<Tensor> tensor = file.ends_with(".npy") ? readNpy(file) : readOnnxTensor(file);
  if (tensor) {
    pins.constants[name.str()] = driver::toTensorData(*tensor);
  } else {
    addError(log, withPrefix("--const: ", tensor.takeError()));
  }
}

/// Returns the declared shape of the input after the flags are applied.
std::optional<Shape> shapeOf(const onnx::ValueInfoProto &value, const InputPins &pins) {
  auto pinned = pins.shapes.find(value.name());
  std::optional<Shape> given;
  if (pinned != pins.shapes.end()) {
    given = Shape(pinned->second.begin(), pinned->second.end());
  }
  if (!value.type().tensor_type().has_shape()) {
    return given;
  }
  Shape shape;
  for (const auto &dim : value.type().tensor_type().shape().dim()) {
    auto named = pins.dims.find(dim.dim_param());
    bool isNamed = !dim.dim_param().empty() && named != pins.dims.end();
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

InputPins readModelFlags(const ModelFlags &flags, const Model &model, Problems &problems) {
  InputPins result;
  std::set<std::string> names = dimNames(model);
  for (const std::string &flag : flags.inputShapes) {
    readShape(flag, model, result, problems);
  }
  for (const std::string &flag : flags.dims) {
    readDim(flag, names, result, problems);
  }
  for (const std::string &flag : flags.constants) {
    readConstant(flag, model, result, problems);
  }
  // The import reads these files and reports their errors.
  result.customOps = flags.customOps;
  return result;
}

bool InputInfo::isStatic() const {
  return shape && llvm::all_of(*shape, [](int64_t dim) { return dim >= 0; });
}

bool hasPlainValues(const Model &model) {
  const onnx::GraphProto &graph = model.file().proto->graph();
  auto isPlain = [](const onnx::ValueInfoProto &value) {
    int type = value.type().tensor_type().elem_type();
    return value.type().has_tensor_type() && type != onnx::TensorProto::UNDEFINED &&
           type != onnx::TensorProto::STRING;
  };
  return llvm::all_of(graph.input(), isPlain) && llvm::all_of(graph.output(), isPlain);
}

std::vector<InputInfo> dataInputs(const Model &model, const InputPins &pins) {
  std::vector<InputInfo> result;
  for (const onnx::ValueInfoProto *value : driver::freeInputs(model.file())) {
    if (pins.constants.count(value->name())) {
      continue;
    }
    InputInfo info{value, value->name(), ElementType::Undefined, std::nullopt};
    if (value->type().has_tensor_type()) {
      info.type = elementTypeFromOnnx(value->type().tensor_type().elem_type())
                      .value_or(ElementType::Undefined);
      info.shape = shapeOf(*value, pins);
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

} // namespace convoy::io
