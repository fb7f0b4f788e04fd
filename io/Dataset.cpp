// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a data set: chooses the store of the samples, reads the labels and applies the limit of
// samples. DatasetFiles.cpp and DatasetRows.cpp are the stores.

#include "io/Dataset.h"
#include "Driver/AddProblem.h"
#include "io/DatasetParts.h"
#include "io/Files.h"
#include "io/Samples.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <numeric>

namespace convoy::io {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

// The low bits of Dataset::hashOf depend on the label, the other bits on the content only. A split
// uses the other bits, so that a sample and its copy with another label are in one part.
constexpr uint64_t kLabelBits = 0xffff;

/// Returns the numbers of `count` samples, evenly spread over the order of the hashes, in the order
/// of the data set.
std::vector<size_t> spread(const std::vector<uint64_t> &hashes, size_t count) {
  std::vector<size_t> order(hashes.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order,
             [&](size_t a, size_t b) { return std::pair(hashes[a], a) < std::pair(hashes[b], b); });
  std::vector<size_t> chosen;
  for (size_t i = 0; i < count; ++i) {
    chosen.push_back(order[i * order.size() / count]);
  }
  llvm::sort(chosen);
  return chosen;
}

class OpenedDataset : public Dataset {
public:
  OpenedDataset(DatasetFlags given, std::vector<InputInfo> infos,
                std::unique_ptr<SampleStore> store, std::vector<int64_t> labels, std::string flag)
      : given(std::move(given)), infos(std::move(infos)), store(std::move(store)),
        labels(std::move(labels)), flag(std::move(flag)), chosen(this->store->size()) {
    std::iota(chosen.begin(), chosen.end(), 0);
  }

  /// Keeps the number of samples that the flags request.
  llvm::Error limit() {
    auto count = static_cast<size_t>(given.samples);
    if (count == 0 || count >= chosen.size()) {
      return llvm::Error::success();
    }
    std::vector<uint64_t> hashes;
    for (size_t i = 0; i < store->size(); ++i) {
      llvm::Expected<uint64_t> hash = store->contentHash(i);
      if (!hash) {
        return hash.takeError();
      }
      hashes.push_back(*hash);
    }
    chosen = spread(hashes, count);
    return llvm::Error::success();
  }

  size_t size() const override { return chosen.size(); }
  std::string nameOf(size_t index) const override { return store->nameOf(chosen[index]); }
  bool hasLabels() const override { return !labels.empty(); }
  const DatasetFlags &flags() const override { return given; }

  std::optional<int64_t> label(size_t index) const override {
    return labels.empty() ? std::nullopt : std::optional<int64_t>(labels[chosen[index]]);
  }

  uint64_t hashOf(size_t index) const override {
    llvm::Expected<uint64_t> content = store->contentHash(chosen[index]);
    // read() reports a file that cannot be read.
    uint64_t hash = content ? *content : llvm::xxh3_64bits(nameOf(index));
    llvm::consumeError(content.takeError());
    uint64_t parts[2] = {hash, static_cast<uint64_t>(label(index).value_or(-1))};
    uint64_t both =
        llvm::xxh3_64bits(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(parts), sizeof(parts)));
    return (hash & ~kLabelBits) | (both & kLabelBits);
  }

  Result<NamedTensors> read(size_t index) const override {
    Problems problems;
    llvm::Expected<NamedData> data = store->read(chosen[index]);
    if (!data) {
      addError(problems, withPrefix(flag + ": ", data.takeError()));
      return problems;
    }
    for (const InputInfo &info : infos) {
      if (!data->count(info.name)) {
        addError(problems,
                 flag + ": '" + nameOf(index) + "' has no data for input '" + info.name + "'");
      }
    }
    NamedTensors tensors = toNamedTensors(*data, problems);
    return problems.hasErrors() ? Result<NamedTensors>(problems)
                                : Result<NamedTensors>(std::move(tensors), problems);
  }

private:
  DatasetFlags given;
  std::vector<InputInfo> infos;
  std::unique_ptr<SampleStore> store;
  std::vector<int64_t> labels; // empty: none
  std::string flag;            // that errors name
  std::vector<size_t> chosen;  // sample number -> number in the store
};

llvm::Expected<std::unique_ptr<SampleStore>> openStore(const DatasetFlags &flags,
                                                       const StoreInputs &inputs) {
  if (fs::is_directory(flags.data)) {
    return openFolder(flags, inputs);
  }
  fs::file_status status;
  if (std::error_code error = fs::status(flags.data, status)) {
    return llvm::createStringError(
        error, "cannot read '" + flags.data + "': " + error.message() +
                   "; expected a folder of samples, a .npy file or a .json file");
  }
  if (path::extension(flags.data).equals_insensitive(".npy")) {
    return openRows(flags, inputs);
  }
  return fileError("'" + flags.data +
                   "' is not a data set; expected a folder of samples, a .npy file whose first "
                   "dimension counts the samples, or a .json file");
}

/// Opens a data set. `faulty` is the flag that an error is about; it becomes --labels if the user
/// gave the labels by this flag and not in the JSON file.
llvm::Expected<std::shared_ptr<const Dataset>> open(DatasetFlags flags, const Model &model,
                                                    const InputPins &pins, const std::string &flag,
                                                    std::string &faulty) {
  bool hasLabelsFlag = !flags.labels.empty();
  if (path::extension(flags.data).equals_insensitive(".json")) {
    if (llvm::Error error = applyDatasetJson(flags.data, flags)) {
      return error;
    }
  }
  flags.image = withPresetValues(flags.image);
  StoreInputs inputs{model, {}, flags.image};
  inputs.infos = dataInputs(inputs.model, pins);
  llvm::Expected<std::unique_ptr<SampleStore>> store = openStore(flags, inputs);
  if (!store) {
    return store.takeError();
  }
  std::vector<int64_t> labels;
  if (!flags.labels.empty()) {
    llvm::Expected<std::vector<int64_t>> read = readLabels(flags.labels, **store, model);
    if (!read) {
      faulty = hasLabelsFlag ? "--labels" : flag;
      return read.takeError();
    }
    labels = std::move(*read);
  }
  auto data = std::make_shared<OpenedDataset>(std::move(flags), std::move(inputs.infos),
                                              std::move(*store), std::move(labels), flag);
  if (llvm::Error error = data->limit()) {
    return error;
  }
  return data;
}

} // namespace

std::optional<Shape> sampleShape(llvm::ArrayRef<int64_t> shape, const InputInfo &input) {
  auto fits = [](llvm::ArrayRef<int64_t> given, llvm::ArrayRef<int64_t> wanted) {
    return given.size() == wanted.size() &&
           llvm::all_of(llvm::zip(given, wanted), [](const auto &pair) {
             return std::get<1>(pair) < 0 || std::get<0>(pair) == std::get<1>(pair);
           });
  };
  Shape batched{1};
  batched.append(shape.begin(), shape.end());
  if (!input.shape) {
    return batched;
  }
  if (fits(shape, *input.shape)) {
    return Shape(shape);
  }
  return fits(batched, *input.shape) ? std::optional<Shape>(batched) : std::nullopt;
}

std::shared_ptr<const Dataset> openDataset(const DatasetFlags &flags, const Model &model,
                                           const InputPins &pins, const std::string &flag,
                                           Problems &problems) {
  std::string faulty = flag;
  llvm::Expected<std::shared_ptr<const Dataset>> data = open(flags, model, pins, flag, faulty);
  if (!data) {
    addError(problems, withPrefix(faulty + ": ", data.takeError()));
    return nullptr;
  }
  return *data;
}

} // namespace convoy::io
