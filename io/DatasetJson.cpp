// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON file that describes a data set. Example:
//
//     {"data": "images.npy", "labels": "labels.npy", "mean": [0.485, 0.456, 0.406],
//      "std": [0.229, 0.224, 0.225]}
//
// A path is relative to the folder of the file. The other keys have the values of the flags with
// the same name; `layout` is --image-layout.

#include "Support/Json.h"
#include "Support/TypedError.h"
#include "io/DatasetParts.h"
#include "io/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <filesystem>

namespace convoy::io {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
namespace json = llvm::json;

template <typename Value>
struct Word {
  llvm::StringLiteral text;
  Value value;
};

constexpr Word<Crop> kCrops[] = {{"center", Crop::Center}, {"none", Crop::None}};
constexpr Word<Color> kColors[] = {{"rgb", Color::Rgb}, {"bgr", Color::Bgr}, {"gray", Color::Gray}};
constexpr Word<DimOrder> kLayouts[] = {{"nchw", DimOrder::Nchw}, {"nhwc", DimOrder::Nhwc}};
constexpr Word<Preprocess> kPreprocesses[] = {{"imagenet", Preprocess::Imagenet},
                                              {"symmetric", Preprocess::Symmetric},
                                              {"unit", Preprocess::Unit},
                                              {"bytes", Preprocess::Bytes}};
constexpr llvm::StringLiteral kKeys[] = {"data", "labels", "preprocess", "resize",
                                         "crop", "color",  "layout",     "mean",
                                         "std",  "scale",  "samples"};

/// Reads the members of the file into flags.
class DatasetReader {
public:
  DatasetReader(llvm::StringRef file, const json::Object &object) : file(file), object(object) {}

  llvm::Error read(DatasetFlags &flags) {
    for (const auto &[key, value] : object) {
      if (!llvm::is_contained(kKeys, llvm::StringRef(key))) {
        return fileError("'" + file + "' has an unknown key '" + llvm::StringRef(key) +
                         "'; known keys are " + llvm::join(llvm::ArrayRef(kKeys), ", "));
      }
    }
    readPath("data", flags.data);
    readPath("labels", flags.labels);
    readWord("preprocess", llvm::ArrayRef(kPreprocesses), flags.image.preprocess);
    readResize(flags.image.resize);
    readWord("crop", llvm::ArrayRef(kCrops), flags.image.crop);
    readWord("color", llvm::ArrayRef(kColors), flags.image.color);
    readWord("layout", llvm::ArrayRef(kLayouts), flags.image.layout);
    readNumbers("mean", flags.image.mean);
    readNumbers("std", flags.image.std);
    readNumbers("scale", flags.image.scale);
    readSamples(flags.samples);
    if (problem.empty() && flags.data.empty()) {
      problem = "the key 'data' is missing; add the folder or .npy file of the samples";
    }
    return problem.empty() ? llvm::Error::success() : fileError("'" + file + "': " + problem);
  }

private:
  void refuse(llvm::StringRef key, const llvm::Twine &expected) {
    if (problem.empty()) {
      problem =
          llvm::formatv("key '{0}': expected {1}, got {2}", key, expected.str(), *object.get(key));
    }
  }

  void readPath(llvm::StringRef key, std::string &value) {
    const json::Value *given = object.get(key);
    if (!given) {
      return;
    }
    std::optional<llvm::StringRef> text = given->getAsString();
    if (!text || text->empty()) {
      return refuse(key, "a path");
    }
    llvm::SmallString<256> full(*text);
    if (path::is_relative(full)) {
      full = path::parent_path(file);
      path::append(full, *text);
    }
    value = std::string(full);
  }

  void readResize(Resize &value) {
    const json::Value *given = object.get("resize");
    if (!given) {
      return;
    }
    std::optional<llvm::StringRef> text = given->getAsString();
    std::optional<int64_t> side = given->getAsInteger();
    std::optional<Resize> read = text   ? parseResize(text->str())
                                 : side ? parseResize(std::to_string(*side))
                                        : std::nullopt;
    read ? void(value = *read)
         : refuse("resize", "a short side such as 256, a size such as \"320x240\", \"none\" or "
                            "\"auto\"");
  }

  template <typename Value>
  void readWord(llvm::StringRef key, llvm::ArrayRef<Word<Value>> words, Value &value) {
    const json::Value *given = object.get(key);
    if (!given) {
      return;
    }
    std::vector<std::string> known;
    for (const Word<Value> &word : words) {
      if (given->getAsString() == word.text) {
        value = word.value;
        return;
      }
      known.push_back("\"" + word.text.str() + "\"");
    }
    refuse(key, llvm::join(known, " or "));
  }

  void readNumbers(llvm::StringRef key, std::vector<double> &values) {
    const json::Value *given = object.get(key);
    if (!given) {
      return;
    }
    if (std::optional<double> number = given->getAsNumber()) {
      values = {*number};
      return;
    }
    values.clear();
    if (const json::Array *list = given->getAsArray()) {
      for (const json::Value &element : *list) {
        if (std::optional<double> number = element.getAsNumber()) {
          values.push_back(*number);
        }
      }
      if (!list->empty() && values.size() == list->size()) {
        return;
      }
    }
    refuse(key, "a number or a list of numbers, one per channel");
  }

  void readSamples(int64_t &samples) {
    if (const json::Value *given = object.get("samples")) {
      std::optional<int64_t> number = given->getAsInteger();
      number && *number > 0 ? void(samples = *number)
                            : refuse("samples", "a positive number of samples");
    }
  }

  llvm::StringRef file;
  const json::Object &object;
  std::string problem; // the first one; empty: none
};

/// Replaces the members of `base` by the members of `given` that differ from their defaults.
void applyGiven(DatasetFlags &base, const DatasetFlags &given) {
  const ImageFlags plain;
  ImageFlags &image = base.image;
  base.labels = given.labels.empty() ? base.labels : given.labels;
  base.samples = given.samples == 0 ? base.samples : given.samples;
  image.preprocess =
      given.image.preprocess == plain.preprocess ? image.preprocess : given.image.preprocess;
  image.resize = given.image.resize.kind == plain.resize.kind ? image.resize : given.image.resize;
  image.crop = given.image.crop == plain.crop ? image.crop : given.image.crop;
  image.color = given.image.color == plain.color ? image.color : given.image.color;
  image.layout = given.image.layout == plain.layout ? image.layout : given.image.layout;
  image.mean = given.image.mean.empty() ? image.mean : given.image.mean;
  image.std = given.image.std.empty() ? image.std : given.image.std;
  image.scale = given.image.scale.empty() ? image.scale : given.image.scale;
}

/// Returns a path relative to a folder; both may be relative to the working directory.
std::string relativeTo(llvm::StringRef folder, llvm::StringRef given) {
  auto full = [](llvm::StringRef text) {
    llvm::SmallString<256> result(text);
    if (!fs::make_absolute(result)) { // fails if the working directory does not exist
      path::remove_dots(result, /*remove_dot_dot=*/true);
    }
    return std::filesystem::path(result.str().str());
  };
  return full(given).lexically_relative(full(folder)).generic_string();
}

template <typename Value, size_t N>
void addWord(json::Object &object, llvm::StringRef key, const Word<Value> (&words)[N], Value value,
             Value plain) {
  for (const Word<Value> &word : words) {
    if (word.value == value && value != plain) {
      object[key] = word.text;
    }
  }
}

void addNumbers(json::Object &object, llvm::StringRef key, const std::vector<double> &values) {
  if (!values.empty()) {
    object[key] = json::Array(values);
  }
}

} // namespace

llvm::Error applyDatasetJson(const std::string &path, DatasetFlags &flags) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path);
  if (!buffer) {
    return buffer.takeError();
  }
  llvm::Expected<json::Value> value = parseJson((*buffer)->getBuffer());
  if (!value) {
    return withPrefix("'" + path + "' is not JSON: ", value.takeError());
  }
  const json::Object *object = value->getAsObject();
  if (!object) {
    return fileError("'" + path + "' is not a JSON object; expected {\"data\": \"FOLDER\", ...}");
  }
  DatasetFlags read;
  if (llvm::Error error = DatasetReader(path, *object).read(read)) {
    return error;
  }
  applyGiven(read, flags);
  flags = std::move(read);
  return llvm::Error::success();
}

llvm::Error writeDatasetJson(const DatasetFlags &flags, const std::string &path) {
  const ImageFlags plain;
  llvm::StringRef folder = path::parent_path(path);
  json::Object object{{"data", relativeTo(folder, flags.data)}};
  if (!flags.labels.empty()) {
    object["labels"] = relativeTo(folder, flags.labels);
  }
  addWord(object, "preprocess", kPreprocesses, flags.image.preprocess, plain.preprocess);
  if (flags.image.resize.kind != plain.resize.kind) {
    object["resize"] = flags.image.resize.text();
  }
  addWord(object, "crop", kCrops, flags.image.crop, plain.crop);
  addWord(object, "color", kColors, flags.image.color, plain.color);
  addWord(object, "layout", kLayouts, flags.image.layout, plain.layout);
  addNumbers(object, "mean", flags.image.mean);
  addNumbers(object, "std", flags.image.std);
  addNumbers(object, "scale", flags.image.scale);
  if (flags.samples > 0) {
    object["samples"] = flags.samples;
  }
  return writeFile(path, llvm::formatv("{0:2}\n", json::Value(std::move(object))).str());
}

} // namespace convoy::io
