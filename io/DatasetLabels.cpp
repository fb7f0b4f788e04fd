// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the labels of a data set: a .npy or .u8 file of integers, or text.

#include "io/DatasetParts.h"
#include "io/Files.h"
#include "io/Npy.h"
#include "io/TensorText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <map>

namespace convoy::io {
namespace {

namespace path = llvm::sys::path;

llvm::Error labelError(llvm::StringRef file, const llvm::Twine &text) {
  return fileError("labels '" + file + "': " + text);
}

llvm::Expected<std::vector<int64_t>> readNpyLabels(llvm::StringRef file) {
  llvm::Expected<Tensor> tensor = readNpy(file);
  if (!tensor) {
    return labelError(file, llvm::toString(tensor.takeError()));
  }
  if (!isInteger(tensor->type()) || tensor->rank() == 0 || tensor->size() != tensor->dim(0)) {
    return labelError(file, "expected one integer per sample, got " + name(tensor->type()) + " " +
                                shapeText(tensor->shape()));
  }
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < tensor->size(); ++i) {
    labels.push_back(tensor->asInt(i));
  }
  return labels;
}

llvm::Expected<std::vector<int64_t>> readByteLabels(llvm::StringRef file) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(file);
  if (!buffer) {
    return labelError(file, llvm::toString(buffer.takeError()));
  }
  llvm::ArrayRef<uint8_t> bytes = llvm::arrayRefFromStringRef((*buffer)->getBuffer());
  return std::vector<int64_t>(bytes.begin(), bytes.end());
}

/// The lines of a text file: "LABEL" or "NAME LABEL", separated by spaces, tabs or a comma.
struct TextLabels {
  std::vector<int64_t> labels;          // of lines without a name
  std::map<std::string, int64_t> named; // by file name
};

llvm::Expected<TextLabels> readTextLabels(llvm::StringRef file) {
  llvm::Expected<std::vector<std::string>> lines = readLines(file);
  if (!lines) {
    return labelError(file, llvm::toString(lines.takeError()));
  }
  TextLabels result;
  for (auto [number, text] : llvm::enumerate(*lines)) {
    llvm::StringRef line = llvm::StringRef(text).trim();
    if (line.empty() || line.starts_with("#")) {
      continue;
    }
    size_t cut = line.find_last_of(" \t,");
    bool hasName = cut != llvm::StringRef::npos;
    int64_t label = 0;
    if ((hasName ? line.drop_front(cut + 1) : line).getAsInteger(10, label)) {
      return labelError(file, "line " + llvm::Twine(number + 1) + " is '" + line +
                                  "', expected LABEL or NAME LABEL with an integer label");
    }
    if (hasName) {
      result.named[line.take_front(cut).rtrim(" \t,").str()] = label;
    } else {
      result.labels.push_back(label);
    }
  }
  if (!result.labels.empty() && !result.named.empty()) {
    return labelError(file, "some lines have a name and others do not; expected NAME LABEL on "
                            "every line or LABEL on every line");
  }
  return result;
}

/// Returns the labels by the names of the samples.
llvm::Expected<std::vector<int64_t>> byName(llvm::StringRef file, const TextLabels &text,
                                            const SampleStore &store) {
  if (!store.hasFileNames()) {
    return labelError(file, "the lines have names, and the samples of a .npy file have no names; "
                            "write one LABEL per line in the order of the samples");
  }
  std::vector<int64_t> labels;
  size_t missing = 0;
  std::string first;
  for (size_t i = 0; i < store.size(); ++i) {
    std::string sample = store.nameOf(i);
    auto found = text.named.find(path::filename(sample).str());
    if (found == text.named.end()) {
      first = missing++ == 0 ? sample : first;
    } else {
      labels.push_back(found->second);
    }
  }
  if (missing > 0) {
    return labelError(file, "no label for " + llvm::Twine(missing) + " of " +
                                llvm::Twine(store.size()) + " samples, the first is '" + first +
                                "'; add a line '" + path::filename(first) + " LABEL'");
  }
  return labels;
}

llvm::Expected<std::vector<int64_t>> readAny(const std::string &file, const SampleStore &store) {
  llvm::StringRef extension = path::extension(file);
  if (extension.equals_insensitive(".npy")) {
    return readNpyLabels(file);
  }
  if (extension.equals_insensitive(".u8")) {
    return readByteLabels(file);
  }
  llvm::Expected<TextLabels> text = readTextLabels(file);
  if (!text) {
    return text.takeError();
  }
  return text->named.empty() ? llvm::Expected<std::vector<int64_t>>(std::move(text->labels))
                             : byName(file, *text, store);
}

/// Returns the number of elements of the model's first output for one sample; 0: unknown.
int64_t classesOf(const Model &model) {
  std::vector<TensorInfo> outputs = model.outputs();
  if (outputs.empty() || !outputs[0].hasRank) {
    return 0;
  }
  std::vector<int64_t> shape = outputs[0].shape;
  if (!shape.empty() && shape[0] < 0) {
    shape[0] = 1; // an open batch
  }
  return elementCount(shape).value_or(0);
}

} // namespace

llvm::Expected<std::vector<int64_t>> readLabels(const std::string &file, const SampleStore &store,
                                                const Model &model) {
  llvm::Expected<std::vector<int64_t>> labels = readAny(file, store);
  if (!labels) {
    return labels;
  }
  if (labels->size() != store.size()) {
    return labelError(file, "expected one label for each of the " + llvm::Twine(store.size()) +
                                " samples, got " + llvm::Twine(labels->size()) +
                                "; check that the file belongs to the data");
  }
  int64_t classes = classesOf(model);
  std::string range = classes > 1 ? "0 to " + std::to_string(classes - 1) : "0 or more";
  for (auto [i, label] : llvm::enumerate(*labels)) {
    // An output of one element is no list of classes.
    if (label < 0 || (classes > 1 && label >= classes)) {
      return labelError(file, "label " + llvm::Twine(label) + " of sample '" + store.nameOf(i) +
                                  "' is not a class of the model, expected " + range +
                                  "; if the labels start at 1, subtract 1");
    }
  }
  return labels;
}

} // namespace convoy::io
