// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the data of inputs: given data, random data, and data that does not fit.

#include "Driver/TensorConversion.h"
#include "timing/MeasuredLibrary.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::timing;

namespace {

TensorInfo input() {
  TensorInfo info;
  info.name = "x";
  info.type = ElementType::F32;
  info.shape = {2, 2};
  info.bytes = 16;
  return info;
}

NamedTensors given(ElementType type, llvm::ArrayRef<int64_t> shape) {
  return {{"x", driver::toTensorData(Tensor(type, shape))}};
}

TEST(MeasuredLibrary, TakesGivenDataAndElseRandomData) {
  llvm::Expected<Tensor> zeros = inputData(input(), 0, given(ElementType::F32, {2, 2}));
  ASSERT_TRUE(bool(zeros)) << llvm::toString(zeros.takeError());
  EXPECT_EQ(zeros->asDouble(3), 0);
  llvm::Expected<Tensor> random = inputData(input(), 0, {});
  ASSERT_TRUE(bool(random));
  EXPECT_GT(random->asDouble(3), 0);
}

TEST(MeasuredLibrary, SaysWhenDataDoesNotFit) {
  llvm::Expected<Tensor> type = inputData(input(), 0, given(ElementType::I32, {2, 2}));
  ASSERT_FALSE(bool(type));
  EXPECT_EQ(llvm::toString(type.takeError()), "input 'x': expects float 2x2, got int32 2x2");
  llvm::Expected<Tensor> shape = inputData(input(), 0, given(ElementType::F32, {4}));
  ASSERT_FALSE(bool(shape));
  EXPECT_EQ(llvm::toString(shape.takeError()), "input 'x': expects float 2x2, got float 4");
}

} // namespace
