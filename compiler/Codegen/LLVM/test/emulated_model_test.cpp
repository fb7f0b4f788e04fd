// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs models for another machine under its emulator. The results must equal the host's, and errors
// must name what is missing or what failed in the emulator.

#include "Codegen/LLVM/EmulatedModel.h"
#include "Codegen/LLVM/test/TinyModel.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace convoy;
using codegen::EmulatedModel;
using test::hostOptions;
using test::TinyModel;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

codegen::CodegenOptions foreignOptions() {
  codegen::CodegenOptions options = hostOptions();
  options.target = llvm::cantFail(targets::findTarget("aarch64"));
  return options;
}

/// Returns why models for 64-bit Arm cannot run here; empty if they can.
std::string whyNot() {
  auto emulator = codegen::findEmulator(foreignOptions().target);
  return emulator ? "" : llvm::toString(emulator.takeError());
}

std::string buildError(const codegen::CodegenOptions &options) {
  TinyModel tiny;
  auto model = EmulatedModel::build(tiny.module(), options);
  return model ? "built" : llvm::toString(model.takeError());
}

Tensor counting() {
  Tensor x(ElementType::F32, {2, 5});
  for (int64_t i = 0; i < 10; ++i) {
    x.setDouble(i, static_cast<double>(i));
  }
  return x;
}

TEST(EmulatedModel, ComputesOnTensors) {
  if (std::string reason = whyNot(); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  TinyModel tiny;
  auto model = EmulatedModel::build(tiny.module(), foreignOptions());
  ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError()) << tiny.diagnostics();
  // Runs twice: the first run must leave no state.
  for (int i = 0; i < 2; ++i) {
    auto results = (*model)->run({counting()});
    ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
    const float *y = (*results)[0].data<float>();
    EXPECT_THAT(std::vector<float>(y, y + 10), ElementsAre(0.5f, 0, 4, 0, 12, 0, 38, 0, 136, 0));
    EXPECT_EQ((*results)[0].shape(), llvm::ArrayRef<int64_t>({2, 5}));
  }
  auto wrong = (*model)->run({Tensor(ElementType::F32, {3})});
  EXPECT_EQ(llvm::toString(wrong.takeError()), "input 'x' expects float 2x5, got float 3");
}

TEST(EmulatedModel, ReportsWhatTheLibrarySays) {
  if (std::string reason = whyNot(); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  TinyModel tiny;
  codegen::CodegenOptions options = foreignOptions();
  // QEMU emulates only the baseline features of this CPU model.
  options.target.emulator.insert(options.target.emulator.end(), {"-cpu", "cortex-a53"});
  options.target.features.push_back("sve");
  auto model = EmulatedModel::build(tiny.module(), options);
  ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError()) << tiny.diagnostics();
  auto results = (*model)->run({counting()});
  EXPECT_THAT(llvm::toString(results.takeError()), HasSubstr("this CPU lacks sve"));
}

TEST(EmulatedModel, SaysWhatIsMissing) {
  codegen::CodegenOptions options = foreignOptions();
  options.target.triple = "riscv64-unknown-linux-gnu";
  options.target.emulator = {"no-such-emulator"};
  EXPECT_THAT(buildError(options), HasSubstr("not riscv64, and its emulator 'no-such-emulator' is "
                                             "not installed"));
  options.target.emulator.clear();
  EXPECT_THAT(buildError(options), HasSubstr("and its description names no emulator"));
  options.target.emulator = {"sh"};
  EXPECT_THAT(buildError(options), HasSubstr("this build of convoy has no program that runs models "
                                             "for riscv64"));
}

} // namespace
