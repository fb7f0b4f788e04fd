// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs as text, JSON and files.

#include "tools/convoy/output/Results.h"
#include "Support/OutputFile.h"
#include "Support/TextTable.h"
#include "Support/TypedError.h"
#include "io/Files.h"
#include "io/Npy.h"
#include "io/OnnxData.h"
#include "io/TensorText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace convoy::tool {
namespace {

// An output of at most this many elements is printed whole.
constexpr int64_t kMaxPrinted = 16;
// JSON carries at most this many elements; --output carries any number.
constexpr int64_t kMaxJsonElems = 1 << 16;

bool hasClasses(const Datum &value) {
  const Tensor &tensor = value.tensor;
  return value.isTensor() && tensor.rank() > 0 && tensor.dim(tensor.rank() - 1) > 1 &&
         tensor.size() > 0 && (isFloat(tensor.type()) || isInteger(tensor.type()));
}

std::string typeText(const Datum &value) {
  return value.isTensor()
             ? (name(value.tensor.type()) + " " + shapeText(value.tensor.shape())).str()
         : value.isSequence()
             ? "sequence of " + std::to_string(value.elements.size())
             : "optional, " + std::string(value.elements.empty() ? "empty" : "set");
}

llvm::StringRef labelOf(llvm::ArrayRef<std::string> labels, int64_t index) {
  return index < static_cast<int64_t>(labels.size()) ? llvm::StringRef(labels[index]) : "";
}

void printTop(llvm::raw_ostream &os, const Tensor &tensor, int64_t top,
              llvm::ArrayRef<std::string> labels) {
  TextTable table({{"", ColumnKind::Number}, {""}, {""}});
  for (int64_t index : topIndices(tensor, top)) {
    std::string value;
    llvm::raw_string_ostream(value) << llvm::format("%.6g", tensor.asDouble(index));
    table.add({std::to_string(index), value, labelOf(labels, index).str()});
  }
  table.print(os, "  ");
}

void printElements(llvm::raw_ostream &os, const Tensor &tensor) {
  int64_t shown = std::min(tensor.size(), kMaxPrinted);
  os << "  ";
  for (int64_t i = 0; i < shown; ++i) {
    os << (i ? " " : "") << io::elementText(tensor, i);
  }
  os << (shown < tensor.size() ? " ...\n" : "\n");
}

void printRange(llvm::raw_ostream &os, const Tensor &tensor) {
  double low = tensor.asDouble(0), high = low, sum = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    low = std::min(low, tensor.asDouble(i));
    high = std::max(high, tensor.asDouble(i));
    sum += tensor.asDouble(i);
  }
  os << llvm::format("  min %.6g, max %.6g, mean %.6g\n", low, high,
                     sum / static_cast<double>(tensor.size()));
}

void printValue(llvm::raw_ostream &os, const Datum &value, int64_t top,
                llvm::ArrayRef<std::string> labels) {
  if (!value.isTensor()) {
    for (const Datum &element : value.elements) {
      os << " " << typeText(element) << "\n";
      printValue(os, element, 0, {});
    }
    return;
  }
  const Tensor &tensor = value.tensor;
  if (top > 0 && hasClasses(value)) {
    printTop(os, tensor, top, labels);
    return;
  }
  bool isNumber = isFloat(tensor.type()) || isInteger(tensor.type());
  if (isNumber && tensor.size() > kMaxPrinted) {
    printRange(os, tensor);
  }
  printElements(os, tensor);
}

/// JSON has no infinities and no NaN: they are strings.
llvm::json::Value elementToJson(const Tensor &tensor, int64_t i) {
  ElementType type = tensor.type();
  if (isFloat(type) && std::isfinite(tensor.asDouble(i))) {
    return tensor.asDouble(i);
  }
  if (type == ElementType::Bool) {
    return tensor.asInt(i) != 0;
  }
  if (type == ElementType::String) {
    return llvm::json::fixUTF8(tensor.strings()[i]);
  }
  return isInteger(type) && type != ElementType::U64
             ? llvm::json::Value(tensor.asInt(i))
             : llvm::json::Value(io::elementText(tensor, i));
}

llvm::json::Object valueToJson(const Datum &value, int64_t top,
                               llvm::ArrayRef<std::string> labels) {
  llvm::json::Object object;
  if (!value.isTensor()) {
    llvm::json::Array elements;
    for (const Datum &element : value.elements) {
      elements.push_back(valueToJson(element, 0, {}));
    }
    object["elements"] = std::move(elements);
    return object;
  }
  const Tensor &tensor = value.tensor;
  object["type"] = name(tensor.type());
  object["shape"] = llvm::json::Array(tensor.shape());
  if (top > 0 && hasClasses(value)) {
    llvm::json::Array best;
    for (int64_t index : topIndices(tensor, top)) {
      best.push_back(llvm::json::Object{{"index", index},
                                        {"value", elementToJson(tensor, index)},
                                        {"label", llvm::json::fixUTF8(labelOf(labels, index))}});
    }
    object["top"] = std::move(best);
  } else if (tensor.size() <= kMaxJsonElems) {
    llvm::json::Array elements;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      elements.push_back(elementToJson(tensor, i));
    }
    object["elements"] = std::move(elements);
  }
  return object;
}

/// A file name for an output: names of values hold slashes and colons.
std::string fileName(llvm::StringRef output, size_t index) {
  std::string result;
  for (char c : output) {
    result += llvm::isAlnum(c) || c == '-' || c == '_' || c == '.' ? c : '_';
  }
  return result.empty() || result[0] == '.' ? "output_" + std::to_string(index) : result;
}

/// Returns a file name for each output, without extension. Names that become equal, for example
/// those of "out/0" and "out:0", or differ only in case, get the index of the output.
std::vector<std::string> fileNames(llvm::ArrayRef<NamedOutput> outputs) {
  std::vector<std::string> names;
  std::multiset<std::string> taken;
  for (auto [i, output] : llvm::enumerate(outputs)) {
    names.push_back(fileName(output.name, i));
    taken.insert(llvm::StringRef(names.back()).lower());
  }
  for (auto [i, name] : llvm::enumerate(names)) {
    std::string unique = name;
    while (taken.count(llvm::StringRef(unique).lower()) > (unique == name ? 1 : 0)) {
      unique += "_" + std::to_string(i);
    }
    if (unique != name) {
      taken.insert(llvm::StringRef(unique).lower());
      name = unique;
    }
  }
  return names;
}

} // namespace

int64_t classCount(const Datum &value) {
  return hasClasses(value) ? value.tensor.dim(value.tensor.rank() - 1) : 0;
}

std::vector<int64_t> topIndices(const Tensor &tensor, int64_t count) {
  std::vector<int64_t> indices(tensor.rank() == 0 ? 1 : tensor.dim(tensor.rank() - 1));
  std::iota(indices.begin(), indices.end(), 0);
  // NaN compares with nothing; as the smallest it keeps the order strict.
  auto key = [&](int64_t i) {
    double value = tensor.asDouble(i);
    return std::isnan(value) ? -INFINITY : value;
  };
  llvm::sort(indices,
             [&](int64_t a, int64_t b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
  indices.resize(std::min<size_t>(indices.size(), count));
  return indices;
}

void printOutputs(llvm::raw_ostream &os, llvm::ArrayRef<NamedOutput> outputs, int64_t top,
                  llvm::ArrayRef<std::string> labels) {
  for (const NamedOutput &output : outputs) {
    os << output.name << ": " << typeText(output.value) << "\n";
    printValue(os, output.value, top, labels);
  }
}

llvm::json::Array outputsToJson(llvm::ArrayRef<NamedOutput> outputs, int64_t top,
                                llvm::ArrayRef<std::string> labels) {
  llvm::json::Array result;
  for (const NamedOutput &output : outputs) {
    llvm::json::Object object = valueToJson(output.value, top, labels);
    object["name"] = llvm::json::fixUTF8(output.name);
    result.push_back(std::move(object));
  }
  return result;
}

llvm::Expected<std::vector<std::string>> writeOutputs(llvm::StringRef folder, TensorFormat format,
                                                      llvm::ArrayRef<NamedOutput> outputs) {
  if (llvm::Error error = createFolder(folder)) {
    return error;
  }
  std::vector<std::string> files, names = fileNames(outputs);
  for (auto [i, output] : llvm::enumerate(outputs)) {
    if (!output.value.isTensor()) {
      return createUnsupported("not supported: output '" + output.name +
                               "' is not a tensor; --output "
                               "writes tensors only");
    }
    const Tensor &tensor = output.value.tensor;
    bool isNpy = format == TensorFormat::Npy && io::isNpyType(tensor.type());
    llvm::SmallString<256> file(folder);
    llvm::sys::path::append(file, names[i] + (isNpy ? ".npy" : ".pb"));
    files.push_back(std::string(file));
    if (llvm::Error error =
            isNpy ? io::writeNpy(file, tensor) : io::writeOnnxTensor(file, output.name, tensor)) {
      return error;
    }
  }
  return files;
}

} // namespace convoy::tool
