// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the C++ wrapper with a hand-written model: the arguments it passes to the model, the values
// it returns, and that only the documented function throws.

#include "convoy/convoy.hpp"
#include <cstdint>
#include <gtest/gtest.h>

extern "C" {
typedef struct {
  const float *x;
} net_inputs;
typedef struct {
  float *y;
} net_outputs;

/// Doubles three numbers in the workspace.
static int netRun(const net_inputs *inputs, net_outputs *outputs, void *workspace) {
  if (inputs->x == nullptr || outputs->y == nullptr || workspace == nullptr) {
    return CONVOY_ERROR_NULL_POINTER;
  }
  if (reinterpret_cast<std::uintptr_t>(workspace) % 64 != 0) {
    return CONVOY_ERROR_WORKSPACE;
  }
  float *scratch = static_cast<float *>(workspace);
  for (int i = 0; i < 3; ++i) {
    scratch[i] = 2 * inputs->x[i];
    outputs->y[i] = scratch[i];
  }
  return CONVOY_OK;
}

static const char *netErrorText(int code) { return code == 1 ? "net: null" : "net: other"; }
}

namespace {

using Net = convoy::Model<netRun, 12, netErrorText>;

TEST(Model, RunsInItsWorkspace) {
  Net model;
  convoy::Buffer<float, 3> x;
  convoy::Buffer<float, 3> y;
  x[0] = 1;
  x[2] = 5;
  EXPECT_EQ(model.run({x.data()}, {y.data()}), CONVOY_OK);
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], 10);
}

TEST(Model, DoesNotThrowUnlessAsked) {
  static_assert(noexcept(std::declval<Net &>().run({}, {})));
  Net model;
  float y[3];
  EXPECT_EQ(model.run({nullptr}, {y}), CONVOY_ERROR_NULL_POINTER);
  try {
    model.runOrThrow({nullptr}, {y});
    FAIL() << "did not throw";
  } catch (const convoy::Error &error) {
    EXPECT_EQ(error.code(), CONVOY_ERROR_NULL_POINTER);
    EXPECT_STREQ(error.what(), "net: null");
  }
}

TEST(Model, MovesAndIsEmptyAfterwards) {
  static_assert(!std::is_copy_constructible_v<Net>);
  std::optional<Net> model = Net::make();
  ASSERT_TRUE(model);
  Net moved = std::move(*model);
  float x[3] = {1, 2, 3};
  float y[3];
  EXPECT_EQ(moved.run({x}, {y}), CONVOY_OK);
  EXPECT_EQ(model->run({x}, {y}), CONVOY_ERROR_NULL_POINTER);
}

// The sanitizers' allocators end the process if an allocation fails.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CONVOY_SANITIZED_ALLOCATOR
#endif
#endif

#ifndef CONVOY_SANITIZED_ALLOCATOR
TEST(Model, MakeReportsMissingMemory) {
  // More than the address space.
  using Huge = convoy::Model<netRun, SIZE_MAX / 2, netErrorText>;
  EXPECT_FALSE(Huge::make());
  EXPECT_THROW(Huge(), std::bad_alloc);
}
#endif

TEST(Model, TextsComeFromTheRuntimeByDefault) {
  using Plain = convoy::Model<netRun, 12>;
  EXPECT_STREQ(Plain::errorText(CONVOY_ERROR_WORKSPACE), convoy_error_text(CONVOY_ERROR_WORKSPACE));
}

TEST(Span, KnowsItsSize) {
  std::array<float, 3> array = {1, 2, 3};
  convoy::Span<const float, 3> span(array);
  EXPECT_EQ(span.size(), 3u);
  EXPECT_EQ(span[2], 3);
  EXPECT_EQ(span.end() - span.begin(), 3);
  static_assert(!std::is_constructible_v<convoy::Span<float, 4>, std::array<float, 3> &>);
  static_assert(!std::is_constructible_v<convoy::Span<float, 3>, const std::array<float, 3> &>);
  static_assert(!std::is_constructible_v<convoy::Span<float, 3>, std::array<double, 3> &>);
  float raw[5] = {};
  EXPECT_TRUE((convoy::Span<float, 3>::from(raw, 5)));
  EXPECT_FALSE((convoy::Span<float, 3>::from(raw, 2)));
  EXPECT_FALSE((convoy::Span<float, 3>::from(nullptr, 3)));
}

TEST(Buffer, IsAlignedAndZero) {
  convoy::Buffer<float, 5> buffer;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % convoy::kAlignmentBytes, 0u);
  for (float value : buffer) {
    EXPECT_EQ(value, 0);
  }
  convoy::Span<float, 5> span = buffer;
  span[4] = 7;
  EXPECT_EQ(buffer[4], 7);
}

} // namespace
