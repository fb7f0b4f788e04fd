// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the data sets of check, bench, quantize and run.

#include "DataSets.h"
#include "DatumConversion.h"
#include "llvm/Support/xxhash.h"
#include <pybind11/stl.h>

namespace convoy::python {
namespace {

// As in io/Dataset.cpp, the low bits of a hash depend on the label, the other bits on the content
// only. A split uses the other bits, so that a sample and its copy with another label are in one
// part.
constexpr uint64_t kLabelBits = 0xffff;
constexpr uint64_t kOddFactor = 0x9e3779b97f4a7c15;

int64_t byteCountOf(const TensorData &tensor) {
  return elementCountOf(tensor.shape) * elementBytes(tensor.type);
}

/// Samples that Python passed as arrays.
class ArrayDataset : public io::Dataset {
public:
  ArrayDataset(std::vector<NamedTensors> samples, std::vector<int64_t> classes)
      : samples(std::move(samples)), classes(std::move(classes)) {}

  size_t size() const override { return samples.size(); }
  std::string nameOf(size_t index) const override { return "sample " + std::to_string(index); }
  Result<NamedTensors> read(size_t index) const override { return samples[index]; }
  std::optional<int64_t> label(size_t index) const override {
    return hasLabels() ? std::optional(classes[index]) : std::nullopt;
  }
  bool hasLabels() const override { return !classes.empty(); }
  uint64_t hashOf(size_t index) const override {
    std::vector<uint64_t> hashes;
    for (const auto &[name, tensor] : samples[index]) {
      auto bytes = static_cast<size_t>(byteCountOf(tensor));
      hashes.push_back(llvm::xxh3_64bits(
          llvm::ArrayRef(static_cast<const uint8_t *>(tensor.bytes.get()), bytes)));
    }
    uint64_t content = llvm::xxh3_64bits(llvm::ArrayRef(
        reinterpret_cast<const uint8_t *>(hashes.data()), hashes.size() * sizeof(uint64_t)));
    uint64_t ofLabel = static_cast<uint64_t>(label(index).value_or(-1)) * kOddFactor;
    return (content & ~kLabelBits) | (ofLabel & kLabelBits);
  }
  const io::DatasetFlags &flags() const override { return noFlags; }

private:
  std::vector<NamedTensors> samples;
  std::vector<int64_t> classes;
  io::DatasetFlags noFlags;
};

class CancelableDataset : public io::Dataset {
public:
  CancelableDataset(std::shared_ptr<const io::Dataset> data,
                    std::shared_ptr<const std::atomic<bool>> isCanceled)
      : data(std::move(data)), isCanceled(std::move(isCanceled)) {}

  size_t size() const override { return data->size(); }
  std::string nameOf(size_t index) const override { return data->nameOf(index); }
  Result<NamedTensors> read(size_t index) const override {
    if (*isCanceled) {
      Problems problems;
      problems.addError("interrupted");
      return problems;
    }
    return data->read(index);
  }
  std::optional<int64_t> label(size_t index) const override { return data->label(index); }
  bool hasLabels() const override { return data->hasLabels(); }
  uint64_t hashOf(size_t index) const override { return data->hashOf(index); }
  const io::DatasetFlags &flags() const override { return data->flags(); }

private:
  std::shared_ptr<const io::Dataset> data;
  std::shared_ptr<const std::atomic<bool>> isCanceled;
};

std::shared_ptr<const io::Dataset> inMemory(const py::dict &source) {
  std::vector<NamedTensors> samples;
  for (py::handle sample : source["arrays"]) {
    samples.push_back(toNamedTensors(py::reinterpret_borrow<py::dict>(sample)));
  }
  return std::make_shared<ArrayDataset>(std::move(samples),
                                        source["classes"].cast<std::vector<int64_t>>());
}

} // namespace

std::shared_ptr<const io::Dataset> openData(const py::dict &source, const ModelRequest &wanted,
                                            const BuildRequest &request, const std::string &flag,
                                            Problems &problems) {
  if (source.contains("arrays")) {
    return inMemory(source);
  }
  io::DatasetFlags flags;
  flags.data = source["data"].cast<std::string>();
  flags.labels = source["labels"].cast<std::string>();
  flags.samples = source["samples"].cast<int64_t>();
  flags.image = request.image();
  py::gil_scoped_release release;
  return io::openDataset(flags, wanted.model, wanted.request.inputs, flag, problems);
}

std::shared_ptr<const io::Dataset> cancelable(std::shared_ptr<const io::Dataset> data,
                                              std::shared_ptr<const std::atomic<bool>> isCanceled) {
  return data ? std::make_shared<CancelableDataset>(std::move(data), std::move(isCanceled))
              : nullptr;
}

} // namespace convoy::python
