// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads each sample on demand, so memory use does not depend on the number of samples.

#include "io/Samples.h"
#include "Driver/AddProblem.h"
#include "Driver/TensorConversion.h"
#include "llvm/Support/FileSystem.h"

namespace convoy::io {
namespace {

namespace fs = llvm::sys::fs;

/// Returns the entries of the folder, sorted, so that the result does not depend on the file
/// system.
std::vector<std::string> entriesOf(llvm::StringRef folder, Problems &problems) {
  std::vector<std::string> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(it->path());
  }
  if (error) {
    addError(problems, "--calibrate: cannot read folder '" + folder + "': " + error.message());
  } else if (entries.empty()) {
    addError(problems, "--calibrate: folder '" + folder +
                           "' holds no samples; add inputs of the model, "
                           "one file or one folder of input_N.pb each");
  }
  llvm::sort(entries);
  return entries;
}

class FolderSamples : public SampleSource {
public:
  FolderSamples(std::vector<std::string> entries, Model model, const InputPins &pins,
                ImageFlags image)
      : entries(std::move(entries)), model(std::move(model)), infos(dataInputs(this->model, pins)),
        image(std::move(image)) {}

  size_t size() const override { return entries.size(); }
  std::string nameOf(size_t index) const override { return entries[index]; }

  Result<NamedTensors> read(size_t index) const override {
    Problems problems;
    NamedTensors tensors = toNamedTensors(readData(entries[index], problems), problems);
    return problems.hasErrors() ? Result<NamedTensors>(problems)
                                : Result<NamedTensors>(std::move(tensors), problems);
  }

private:
  NamedData readData(const std::string &path, Problems &problems) const {
    if (!fs::is_directory(path)) {
      return readInputs({{path}, image, "--calibrate"}, infos, /*isRandomByDefault=*/false,
                        problems);
    }
    llvm::Expected<NamedData> inputs = readGoldenInputs(path, model);
    if (!inputs) {
      addError(problems, inputs.takeError());
      return {};
    }
    return std::move(*inputs);
  }

  std::vector<std::string> entries;
  Model model; // owns the data that `infos` points to
  std::vector<InputInfo> infos;
  ImageFlags image;
};

} // namespace

std::shared_ptr<const SampleSource> openSamples(const std::string &folder, const Model &model,
                                                const InputPins &pins, const ImageFlags &image,
                                                Problems &problems) {
  std::vector<std::string> entries = entriesOf(folder, problems);
  return entries.empty() ? nullptr
                         : std::make_shared<FolderSamples>(std::move(entries), model, pins, image);
}

SamplesOpener samplesIn(const std::string &folder, const ImageFlags &image) {
  using Opened = Result<std::shared_ptr<const SampleSource>>;
  return [folder, image](const Model &model, const InputPins &pins) {
    Problems problems;
    std::shared_ptr<const SampleSource> samples = openSamples(folder, model, pins, image, problems);
    return samples ? Opened(std::move(samples), problems) : Opened(problems);
  };
}

NamedTensors toNamedTensors(const NamedData &data, Problems &problems) {
  NamedTensors tensors;
  for (const auto &[name, datum] : data) {
    if (datum.isTensor()) {
      tensors[name] = driver::toTensorData(datum.tensor);
    } else {
      addError(problems, "not supported: input '" + name + "' is not a tensor");
    }
  }
  return tensors;
}

} // namespace convoy::io

namespace convoy {

SamplesOpener samplesIn(const std::string &folder) { return io::samplesIn(folder, {}); }

} // namespace convoy
