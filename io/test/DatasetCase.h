// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens data sets in tests: a temporary folder, a small model and arrays in NumPy's format.

#pragma once

#include "Driver/TensorConversion.h"
#include "io/Dataset.h"
#include "io/Npy.h"
#include "io/test/TestModel.h"
#include <gtest/gtest.h>

namespace convoy::test {

struct DatasetCase : ::testing::Test {
  /// Opens a data set for a model y = Relu(x) of this shape. `error` receives the first error.
  std::shared_ptr<const io::Dataset> open(const io::DatasetFlags &flags,
                                          const std::vector<std::string> &dims = {"1", "3"},
                                          int32_t type = onnx::TensorProto::FLOAT) {
    Problems problems;
    auto data =
        io::openDataset(flags, loaded(unaryModel("Relu", dims, type)), {}, "--data", problems);
    error = problems.firstError();
    return data;
  }

  static io::DatasetFlags flagsOf(const std::string &data, const std::string &labels = "") {
    io::DatasetFlags flags;
    flags.data = data;
    flags.labels = labels;
    return flags;
  }

  /// Writes an array with the elements 0, 1, 2, ...
  std::string npy(const std::string &name, ElementType type, llvm::ArrayRef<int64_t> shape) {
    Tensor tensor(type, shape);
    for (int64_t i = 0; i < tensor.size(); ++i) {
      tensor.setInt(i, i);
    }
    return folder.write(name, io::encodeNpy(tensor));
  }

  std::string npyOf(const std::string &name, ElementType type, llvm::ArrayRef<int64_t> values) {
    Tensor tensor(type, {static_cast<int64_t>(values.size())});
    for (auto [i, value] : llvm::enumerate(values)) {
      tensor.setInt(static_cast<int64_t>(i), value);
    }
    return folder.write(name, io::encodeNpy(tensor));
  }

  /// Returns the elements of input x; sets `error` and `shape`.
  std::vector<double> read(const io::Dataset &data, size_t index) {
    Result<NamedTensors> sample = data.read(index);
    error = sample.problems().firstError();
    if (!sample) {
      return {};
    }
    llvm::Expected<Tensor> tensor = driver::toTensor(sample->at("x"));
    std::vector<double> values;
    shape = tensor->shape().vec();
    for (int64_t i = 0; i < tensor->size(); ++i) {
      values.push_back(tensor->asDouble(i));
    }
    return values;
  }

  TemporaryFolder folder;
  std::string error;
  std::vector<int64_t> shape;
};

} // namespace convoy::test
