// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of samples. Reads each sample on demand, so memory use does not depend on the number of
// samples. `--calibrate` and `--data` use it.

#include "io/DatasetParts.h"
#include "io/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

namespace convoy::io {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Returns the entries of the folder that are samples, sorted, so that the result does not depend
/// on the file system.
llvm::Expected<std::vector<std::string>> samplesOf(const DatasetFlags &flags) {
  std::vector<std::string> entries;
  std::error_code error;
  for (fs::directory_iterator it(flags.data, error), end; !error && it != end;
       it.increment(error)) {
    llvm::StringRef name = path::filename(it->path());
    bool isLabels = !flags.labels.empty() && fs::equivalent(it->path(), flags.labels);
    if (!name.starts_with(".") && !name.ends_with_insensitive(".json") && !isLabels) {
      entries.push_back(it->path());
    }
  }
  if (error) {
    return llvm::createStringError(error,
                                   "cannot read folder '" + flags.data + "': " + error.message());
  }
  if (entries.empty()) {
    return fileError("folder '" + flags.data +
                     "' contains no samples; add inputs of the model, one file or one folder of "
                     "input_N.pb each");
  }
  llvm::sort(entries);
  return entries;
}

/// Returns the files of a sample.
std::vector<std::string> filesOf(const std::string &entry) {
  if (!fs::is_directory(entry)) {
    return {entry};
  }
  std::vector<std::string> files;
  for (int i = 0;; ++i) {
    llvm::SmallString<256> file(entry);
    path::append(file, "input_" + llvm::Twine(i) + ".pb");
    if (!fs::exists(file)) {
      return files;
    }
    files.emplace_back(file.str());
  }
}

class FolderStore : public SampleStore {
public:
  FolderStore(std::vector<std::string> entries, StoreInputs inputs)
      : entries(std::move(entries)), inputs(std::move(inputs)) {}

  size_t size() const override { return entries.size(); }
  std::string nameOf(size_t index) const override { return entries[index]; }
  bool hasFileNames() const override { return true; }

  llvm::Expected<NamedData> read(size_t index) const override {
    const std::string &entry = entries[index];
    if (fs::is_directory(entry)) {
      return readGoldenInputs(entry, inputs.model);
    }
    const InputInfo &input = inputs.infos.front();
    llvm::Expected<Datum> datum = readInputFile(entry, input, inputs.image);
    if (!datum) {
      return datum.takeError();
    }
    if (datum->isTensor()) {
      if (std::optional<Shape> shape = sampleShape(datum->tensor.shape(), input)) {
        datum->tensor = datum->tensor.reshaped(*shape);
      }
    }
    return NamedData{{input.name, std::move(*datum)}};
  }

  llvm::Expected<uint64_t> contentHash(size_t index) const override {
    std::vector<uint64_t> hashes;
    for (const std::string &file : filesOf(entries[index])) {
      llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(file);
      if (!buffer) {
        return buffer.takeError();
      }
      hashes.push_back(llvm::xxh3_64bits((*buffer)->getBuffer()));
    }
    if (hashes.size() == 1) {
      return hashes[0];
    }
    return llvm::xxh3_64bits(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(hashes.data()),
                                            hashes.size() * sizeof(uint64_t)));
  }

private:
  std::vector<std::string> entries;
  StoreInputs inputs;
};

/// Checks that a file can be a sample of the model.
llvm::Error checkInputCount(const std::vector<std::string> &entries, const StoreInputs &inputs) {
  auto file =
      llvm::find_if(entries, [](const std::string &entry) { return !fs::is_directory(entry); });
  if (file == entries.end() || inputs.infos.size() == 1) {
    return llvm::Error::success();
  }
  std::vector<const onnx::ValueInfoProto *> values;
  for (const InputInfo &info : inputs.infos) {
    values.push_back(info.value);
  }
  return fileError("'" + *file + "' is one file, and the model has " + llvm::Twine(values.size()) +
                   " inputs: " + namesOf(values) + "; make one folder of input_N.pb per sample");
}

} // namespace

llvm::Expected<std::unique_ptr<SampleStore>> openFolder(const DatasetFlags &flags,
                                                        StoreInputs inputs) {
  llvm::Expected<std::vector<std::string>> entries = samplesOf(flags);
  if (!entries) {
    return entries.takeError();
  }
  if (llvm::Error error = checkInputCount(*entries, inputs)) {
    return error;
  }
  return std::make_unique<FolderStore>(std::move(*entries), std::move(inputs));
}

} // namespace convoy::io
