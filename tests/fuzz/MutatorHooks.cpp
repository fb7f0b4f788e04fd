// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements libFuzzer's custom mutator and crossover with ModelMutator.

#include "tests/fuzz/ModelMutator.h"
#include <algorithm>
#include <google/protobuf/stubs/logging.h>

using namespace convoy::fuzz;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static bool parse(onnx::ModelProto &model, const uint8_t *data, size_t size) {
  google::protobuf::LogSilencer silencer;
  return model.ParseFromArray(data, static_cast<int>(size));
}

/// Returns the number of bytes written, or 0 if the model does not fit.
static size_t write(const onnx::ModelProto &model, uint8_t *data, size_t maxSize) {
  size_t size = model.ByteSizeLong();
  return size <= maxSize && model.SerializeToArray(data, static_cast<int>(size)) ? size : 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  onnx::ModelProto model;
  // One mutation in 16 changes bytes, which tests protobuf's parser and invalid files.
  if (seed % 16 == 0 || !parse(model, data, size)) {
    return LLVMFuzzerMutate(data, size, maxSize);
  }
  ModelMutator mutator(model, seed);
  // Usually one change: few models with many changes can be imported.
  for (unsigned changes = 1 + std::max(seed / 16 % 6, 3u) - 3; changes > 0; --changes) {
    mutator.mutate();
  }
  size_t written = write(model, data, maxSize);
  return written > 0 ? written : LLVMFuzzerMutate(data, size, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  onnx::ModelProto model;
  onnx::ModelProto other;
  if (!parse(model, data1, size1) || !parse(other, data2, size2)) {
    return 0;
  }
  ModelMutator(model, seed).cross(other);
  return write(model, out, maxSize);
}
