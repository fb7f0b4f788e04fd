// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts --input to tensors. The first bytes of a file identify an image; the extension
// identifies the other formats.

#include "io/InputData.h"
#include "Driver/AddProblem.h"
#include "Import/ElementName.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "Import/ShapeHint.h"
#include "io/Files.h"
#include "io/ImageInput.h"
#include "io/Npy.h"
#include "io/OnnxData.h"
#include "io/TensorText.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstring>

namespace convoy::io {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// The flag that gives the input a shape, with what its letters stand for.
std::string shapeFlag(const InputInfo &input) {
  return input.shape
             ? import::shapeFlag(input.name, *input.shape) + import::lettersNote(*input.shape)
             : import::unrankedShapeFlag(input.name);
}

/// Reads a tensor whose file holds only its elements, in the type and shape of the input.
llvm::Expected<Datum> readRaw(llvm::StringRef file, llvm::StringRef bytes, const InputInfo &input) {
  if (!input.isStatic()) {
    return fileError("a raw file has no shape, and the shape of the input is not static; add " +
                     shapeFlag(input));
  }
  std::optional<int64_t> count = elementCount(*input.shape);
  int64_t width = storageBytes(input.type);
  if (width == 0) {
    return fileError("a raw file cannot hold an input of type " + name(input.type));
  }
  if (!count || *count > INT64_MAX / width || *count * width != int64_t(bytes.size())) {
    return fileError("'" + file + "' has " + llvm::Twine(bytes.size()) + " bytes, the input is " +
                     name(input.type) + " " + shapeText(*input.shape));
  }
  Tensor result(input.type, *input.shape);
  std::memcpy(result.mutableRaw(), bytes.data(), bytes.size());
  return Datum(std::move(result));
}

llvm::Expected<Datum> wrap(llvm::Expected<Tensor> tensor) {
  return tensor ? llvm::Expected<Datum>(Datum(std::move(*tensor))) : tensor.takeError();
}

llvm::Expected<Datum> decodeInputFile(llvm::StringRef file, const InputInfo &input,
                                      const ImageFlags &image) {
  llvm::StringRef extension = path::extension(file);
  if (extension.equals_insensitive(".pb")) {
    return readOnnxData(file, input.value->type());
  }
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(file);
  if (!buffer) {
    return buffer.takeError();
  }
  llvm::StringRef bytes = (*buffer)->getBuffer();
  if (extension.equals_insensitive(".npy")) {
    return wrap(parseNpy(bytes, file));
  }
  if (extension.equals_insensitive(".raw") || extension.equals_insensitive(".bin")) {
    return readRaw(file, bytes, input);
  }
  if (isImage(bytes)) {
    return wrap(readImageInput(file, input, image));
  }
  return fileError("'" + file +
                   "' has an unknown format; expected .npy, .pb, .raw, .bin, or a "
                   "PNG, JPEG or BMP image");
}

/// Checks the data against the type of the input. The importer checks the shape.
llvm::Error checkType(const Datum &datum, const InputInfo &input, llvm::StringRef file) {
  if (datum.isTensor() && input.type != ElementType::Undefined &&
      datum.tensor.type() != input.type) {
    return fileError("'" + file + "' contains " + name(datum.tensor.type()) + ", input '" +
                     input.name + "' expects " + name(input.type));
  }
  return llvm::Error::success();
}

llvm::Expected<Datum> makeRandom(InputInfo input, uint64_t seed) {
  if (input.type == ElementType::Undefined || input.type == ElementType::String) {
    return fileError("input '" + input.name +
                     "' is not a tensor of numbers, so random data cannot be "
                     "generated for it; give a file");
  }
  if (input.shape && import::hasOnlyOpenBatch(*input.shape)) {
    (*input.shape)[0] = 1;
  }
  if (!input.isStatic()) {
    return fileError("input '" + input.name + "' has dynamic dimensions; set their sizes with " +
                     shapeFlag(input));
  }
  std::optional<int64_t> count = elementCount(*input.shape);
  if (!count || *count > (int64_t(1) << 32)) {
    return fileError("input '" + input.name + "' of shape " + shapeText(*input.shape) +
                     " is too large for random data");
  }
  return Datum(randomTensor(input.type, *input.shape, seed));
}

/// Parses one --input: the name of the input, and the text after "NAME=".
class InputReader {
public:
  InputReader(const InputFlags &options, const std::vector<InputInfo> &inputs, Problems &log)
      : options(options), inputs(inputs), log(log) {}

  NamedData data;

  void read(llvm::StringRef flag) {
    auto [first, rest] = flag.split('=');
    const InputInfo *input = find(first);
    llvm::StringRef what = input && flag.contains('=') ? rest : flag;
    if (what == flag && flag.contains('=') && !fs::exists(flag)) {
      addError(log, "--input: the model has no input '" + first + "'; it has " + names());
      return;
    }
    if (what == flag) {
      input = nextWithoutData();
    }
    if (!input) {
      addError(log,
               "--input '" + flag + "': every input of the model already has data: " + names());
    } else if (!data.try_emplace(input->name).second) {
      addError(log, "--input: input '" + input->name + "' is given twice");
    } else {
      load(what, *input);
    }
  }

  void load(llvm::StringRef what, const InputInfo &input) {
    llvm::Expected<Datum> datum = value(what, input);
    if (datum) {
      data[input.name] = std::move(*datum);
    } else {
      addError(log, withPrefix(options.flag + ": ", datum.takeError()));
    }
  }

private:
  llvm::Expected<Datum> value(llvm::StringRef what, const InputInfo &input) {
    auto [word, seedText] = what.split(':');
    uint64_t seed = 0;
    if (word == "random" && !fs::exists(what)) {
      if (!seedText.empty() && seedText.getAsInteger(10, seed)) {
        return fileError("'" + what + "' is not of the form random:SEED");
      }
      return makeRandom(input, seed);
    }
    return readInputFile(what, input, options.image);
  }

  const InputInfo *find(llvm::StringRef name) const {
    auto it = llvm::find_if(inputs, [&](const InputInfo &input) { return input.name == name; });
    return it == inputs.end() ? nullptr : &*it;
  }

  const InputInfo *nextWithoutData() const {
    auto it =
        llvm::find_if(inputs, [&](const InputInfo &input) { return !data.count(input.name); });
    return it == inputs.end() ? nullptr : &*it;
  }

  std::string names() const {
    std::vector<const onnx::ValueInfoProto *> values;
    for (const InputInfo &input : inputs) {
      values.push_back(input.value);
    }
    return namesOf(values);
  }

  const InputFlags &options;
  const std::vector<InputInfo> &inputs;
  Problems &log;
};

std::string numbered(llvm::StringRef folder, llvm::StringRef prefix, int i) {
  llvm::SmallString<256> result(folder);
  path::append(result, prefix + llvm::Twine(i) + ".pb");
  return std::string(result);
}

/// SplitMix64: one multiply-xorshift round per number. It gives the same numbers on every
/// machine.
uint64_t nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

void pinShape(InputPins &pins, const std::string &name, const Datum &datum) {
  if (datum.isTensor()) {
    pins.shapes.try_emplace(name, datum.tensor.shape().vec());
  } else if (datum.isOptional() && !datum.elements.empty()) {
    pinShape(pins, name, datum.elements.front());
  } else if (datum.isSequence()) {
    for (size_t i = 0; i < datum.elements.size(); ++i) {
      pinShape(pins, import::elementName(name, i), datum.elements[i]);
    }
    if (datum.elements.empty()) {
      pins.shapes.try_emplace(import::emptySequenceName(name), 1, 0);
    }
  }
}

} // namespace

llvm::Expected<Datum> readInputFile(llvm::StringRef file, const InputInfo &input,
                                    const ImageFlags &image) {
  llvm::Expected<Datum> datum = decodeInputFile(file, input, image);
  if (datum) {
    if (llvm::Error error = checkType(*datum, input, file)) {
      return error;
    }
  }
  return datum;
}

void pinShapes(InputPins &pins, const NamedData &data) {
  for (const auto &[name, datum] : data) {
    pinShape(pins, name, datum);
  }
}

NamedData readInputs(const InputFlags &options, const std::vector<InputInfo> &inputs,
                     bool isRandomByDefault, Problems &log) {
  InputReader reader(options, inputs, log);
  // A single "random" without a name applies to all inputs.
  bool isAllRandom =
      options.inputs.size() == 1 && llvm::StringRef(options.inputs[0]).split(':').first == "random";
  if (!isAllRandom) {
    for (const std::string &flag : options.inputs) {
      reader.read(flag);
    }
  }
  for (const InputInfo &input : inputs) {
    if (reader.data.count(input.name)) {
      continue;
    }
    if (isAllRandom || isRandomByDefault) {
      reader.load(isAllRandom ? options.inputs[0] : "random", input);
    } else {
      addError(log, "no data for input '" + input.name + "' (" + name(input.type) + " " +
                        (input.shape ? shapeText(*input.shape) : "of any shape") +
                        "); add --input " + input.name + "=FILE or --input random");
    }
  }
  return std::move(reader.data);
}

llvm::Expected<NamedData> readGoldenInputs(llvm::StringRef folder, const Model &model) {
  NamedData data;
  const onnx::GraphProto &graph = model.file().proto->graph();
  for (int i = 0; i < graph.input_size(); ++i) {
    std::string file = numbered(folder, "input_", i);
    if (!fs::exists(file)) {
      break;
    }
    llvm::Expected<Datum> datum = readOnnxData(file, graph.input(i).type());
    if (!datum) {
      return datum.takeError();
    }
    data[graph.input(i).name()] = std::move(*datum);
  }
  return data;
}

llvm::Expected<std::vector<Datum>> readGoldenOutputs(llvm::StringRef folder, const Model &model) {
  std::vector<Datum> data;
  const onnx::GraphProto &graph = model.file().proto->graph();
  for (int i = 0; i < graph.output_size(); ++i) {
    std::string file = numbered(folder, "output_", i);
    if (!fs::exists(file)) {
      break;
    }
    llvm::Expected<Datum> datum = readOnnxData(file, graph.output(i).type());
    if (!datum) {
      return datum.takeError();
    }
    data.push_back(std::move(*datum));
  }
  if (data.empty()) {
    return fileError("'" + folder +
                     "' contains no output_0.pb; a golden folder has input_N.pb and "
                     "output_N.pb");
  }
  return data;
}

Tensor randomTensor(ElementType type, llvm::ArrayRef<int64_t> shape, uint64_t seed) {
  Tensor result(type, shape);
  uint64_t state = seed;
  int64_t parts = result.size();
  if (type == ElementType::Complex64 || type == ElementType::Complex128) {
    parts *= 2;
  }
  for (int64_t i = 0; i < parts; ++i) {
    uint64_t bits = nextRandom(state);
    double unit = static_cast<double>(bits >> 11) * 0x1p-53;
    if (type == ElementType::Complex64) {
      result.mutableData<float>()[i] = static_cast<float>(unit);
    } else if (type == ElementType::Complex128) {
      result.mutableData<double>()[i] = unit;
    } else if (isFloat(type)) {
      result.setDouble(i, unit);
    } else if (type == ElementType::Bool) {
      result.setInt(i, static_cast<int64_t>(bits & 1));
    } else {
      bool isNarrow = bitWidth(type) <= 8;
      int64_t low = isNarrow && isSignedInteger(type) ? -(int64_t(1) << (bitWidth(type) - 1)) : 0;
      uint64_t range = isNarrow ? uint64_t(1) << bitWidth(type) : 10;
      result.setInt(i, low + static_cast<int64_t>(bits % range));
    }
  }
  return result;
}

} // namespace convoy::io
