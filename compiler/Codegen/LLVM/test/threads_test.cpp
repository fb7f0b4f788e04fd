// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one model from several threads at once, each with its own workspace, all with the same code
// and weights. ThreadSanitizer instruments the loader and the wrapper. The model's own code shares
// only read-only data.

#include "Codegen/LLVM/LoadedModel.h"
#include "Codegen/LLVM/test/TinyModel.h"
#include <gtest/gtest.h>
#include <thread>

using namespace convoy;

namespace {

constexpr int kThreads = 4;
constexpr int kRuns = 2000;

/// Checks the outputs of TinyModel: relu(x + w), and a copy of x.
bool isRight(const float *x, const float *y, const float *copy) {
  constexpr float kWeights[] = {0.5, -1, 2, -4, 8, -16, 32, -64, 128, -256};
  for (int i = 0; i < 10; ++i) {
    if (y[i] != std::max(x[i] + kWeights[i], 0.0f) || copy[i] != x[i]) {
      return false;
    }
  }
  return true;
}

TEST(Threads, RunOneModelOnTheirOwnWorkspaces) {
  test::TinyModel tiny;
  auto model = codegen::LoadedModel::load(tiny.module(), test::hostOptions());
  ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError());
  ASSERT_LE((*model)->workspaceBytes(), 256);
  std::array<int, kThreads> wrong = {};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      alignas(64) char workspace[256];
      float x[10];
      float y[10];
      float copy[10];
      for (int run = 0; run < kRuns; ++run) {
        for (int i = 0; i < 10; ++i) {
          x[i] = static_cast<float>(thread * 1000 + run + i);
        }
        llvm::Error error = (*model)->run({x}, {y, copy}, workspace);
        wrong[thread] += error || !isRight(x, y, copy);
        llvm::consumeError(std::move(error));
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (int count : wrong) {
    EXPECT_EQ(count, 0);
  }
}

} // namespace
