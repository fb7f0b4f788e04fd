// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests models loaded into this process: results are correct, and invalid use gives errors, not
// crashes.

#include "Codegen/LLVM/LoadedModel.h"
#include "Codegen/LLVM/Object.h"
#include "Codegen/LLVM/Passes.h"
#include "Codegen/LLVM/test/TinyModel.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace convoy;
using codegen::LoadedModel;
using test::hostOptions;
using test::oneKernel;
using test::TinyModel;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::unique_ptr<LoadedModel> load(TinyModel &tiny, const codegen::CodegenOptions &options) {
  auto model = LoadedModel::load(tiny.module(), options);
  EXPECT_TRUE(bool(model)) << llvm::toString(model.takeError()) << tiny.diagnostics();
  return model ? std::move(*model) : nullptr;
}

std::string loadError(TinyModel &tiny, const codegen::CodegenOptions &options) {
  auto model = LoadedModel::load(tiny.module(), options);
  return model ? "loaded" : llvm::toString(model.takeError());
}

Tensor counting() {
  Tensor x(ElementType::F32, {2, 5});
  for (int64_t i = 0; i < 10; ++i) {
    x.setDouble(i, static_cast<double>(i));
  }
  return x;
}

std::vector<float> values(const Tensor &tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.size()};
}

TEST(LoadedModel, ComputesOnTensors) {
  TinyModel tiny;
  auto model = load(tiny, hostOptions());
  ASSERT_TRUE(model);
  ASSERT_EQ(model->inputs().size(), 1u);
  EXPECT_EQ(model->inputs()[0].name, "x");
  EXPECT_EQ(model->outputs()[1].name, "copy:0");
  EXPECT_EQ(model->outputs()[0].bytes, 40);
  EXPECT_EQ(model->workspaceBytes(), 128);
  auto results = model->run({counting()});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_THAT(values((*results)[0]), ElementsAre(0.5f, 0, 4, 0, 12, 0, 38, 0, 136, 0));
  EXPECT_EQ((*results)[0].shape(), llvm::ArrayRef<int64_t>({2, 5}));
  EXPECT_EQ(values((*results)[1]), values(counting()));
}

TEST(LoadedModel, EveryLevelGivesTheSame) {
  for (int level = 0; level <= 3; ++level) {
    TinyModel tiny;
    codegen::CodegenOptions options = hostOptions();
    options.optLevel = level;
    auto model = load(tiny, options);
    ASSERT_TRUE(model);
    auto results = model->run({counting()});
    ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
    EXPECT_EQ((*results)[0].data<float>()[8], 136.0f) << "level " << level;
  }
}

TEST(LoadedModel, NamesTheWrongInput) {
  TinyModel tiny;
  auto model = load(tiny, hostOptions());
  ASSERT_TRUE(model);
  auto wrongShape = model->run({Tensor(ElementType::F32, {5, 2})});
  EXPECT_EQ(llvm::toString(wrongShape.takeError()), "input 'x' expects float 2x5, got float 5x2");
  auto wrongCount = model->run(llvm::ArrayRef<Tensor>());
  EXPECT_EQ(llvm::toString(wrongCount.takeError()), "the model has 1 inputs, got 0");
}

TEST(LoadedModel, RefusesNullAndMisalignedPointers) {
  TinyModel tiny;
  auto model = load(tiny, hostOptions());
  ASSERT_TRUE(model);
  alignas(64) char workspace[256];
  float x[10] = {};
  float y[10];
  float copy[10];
  EXPECT_EQ(llvm::toString(model->run({x}, {y, copy}, nullptr)),
            "a pointer in inputs or outputs, or the workspace, is null");
  EXPECT_EQ(llvm::toString(model->run({nullptr}, {y, copy}, workspace)),
            "a pointer in inputs or outputs, or the workspace, is null");
  EXPECT_EQ(llvm::toString(model->run({x}, {y, nullptr}, workspace)),
            "a pointer in inputs or outputs, or the workspace, is null");
  EXPECT_EQ(llvm::toString(model->run({x}, {y, copy}, workspace + 4)),
            "the workspace is not aligned to 64 bytes");
  EXPECT_EQ(llvm::toString(model->run({x}, {y, copy}, workspace)), "");
}

TEST(LoadedModel, TensorsNeedOnlyTheAlignmentOfAnElement) {
  TinyModel tiny;
  auto model = load(tiny, hostOptions());
  ASSERT_TRUE(model);
  alignas(64) char workspace[128];
  alignas(64) float buffers[3][16] = {};
  EXPECT_EQ(
      llvm::toString(model->run({buffers[0] + 1}, {buffers[1] + 3, buffers[2] + 5}, workspace)),
      "");
  EXPECT_EQ(buffers[1][3 + 8], 128.0f);
}

TEST(LoadedModel, ReportsCallsThatNothingLinks) {
  // frem has no machine instruction, so LLVM calls fmodf.
  TinyModel tiny(oneKernel(R"(%a = memref.load %x[%c0] : memref<16xf32>
                              %r = arith.remf %a, %a : f32
                              memref.store %r, %y[%c0] : memref<16xf32>)"));
  EXPECT_EQ(
      loadError(tiny, hostOptions()),
      "code generation failed: kernels call fmodf, which compiled models do not link; this is "
      "a bug in convoy");
}

TEST(LoadedModel, MultipliesAndAddsAreNotContracted) {
  TinyModel tiny(oneKernel(R"(%a = memref.load %x[%c0] : memref<16xf32>
                              %p = arith.mulf %a, %a : f32
                              %c1 = arith.constant 1 : index
                              %b = memref.load %x[%c1] : memref<16xf32>
                              %s = arith.addf %p, %b : f32
                              memref.store %s, %y[%c0] : memref<16xf32>
                              %v = vector.broadcast %a : f32 to vector<4xf32>
                              %w = vector.broadcast %b : f32 to vector<4xf32>
                              %f = vector.fma %v, %v, %w : vector<4xf32>
                              %e = vector.extract %f[0] : f32 from vector<4xf32>
                              memref.store %e, %y[%c1] : memref<16xf32>)"));
  auto model = load(tiny, hostOptions());
  ASSERT_TRUE(model);
  Tensor x(ElementType::F32, {16});
  x.setDouble(0, 1.0 + 0x1p-12);
  x.setDouble(1, -(1.0 + 0x1p-11));
  auto results = model->run({x});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  // The square is 1 + 2^-11 + 2^-24: rounding the square first loses the last term.
  EXPECT_EQ((*results)[0].data<float>()[0], 0.0f);
  EXPECT_EQ((*results)[0].data<float>()[1], 0x1p-24f);
}

TEST(LoadedModel, DenormalsAreKept) {
  TinyModel tiny(oneKernel(R"(%a = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
                              %h = arith.constant dense<0.5> : vector<16xf32>
                              %r = arith.mulf %a, %h : vector<16xf32>
                              vector.store %r, %y[%c0] : memref<16xf32>, vector<16xf32>)"));
  auto model = load(tiny, hostOptions());
  ASSERT_TRUE(model);
  Tensor x(ElementType::F32, {16});
  x.setDouble(3, 0x1p-130);
  auto results = model->run({x});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ((*results)[0].data<float>()[3], 0x1p-131f);
}

TEST(LoadedModel, RefusesMemoryItCannotExpress) {
  TinyModel tiny(oneKernel("%s = memref.subview %x[4][8][1] : memref<16xf32> to "
                           "memref<8xf32, strided<[1], offset: 4>>\n"
                           "%a = memref.load %s[%c0] : memref<8xf32, strided<[1], offset: 4>>\n"
                           "memref.store %a, %y[%c0] : memref<16xf32>"));
  EXPECT_EQ(loadError(tiny, hostOptions()), "the codegen stage failed; see the diagnostics");
  EXPECT_THAT(tiny.diagnostics(), HasSubstr("memrefs must be static, one-dimensional and of "
                                            "identity layout"));
}

TEST(LoadedModel, RefusesATargetThatThisCpuLacks) {
  TinyModel tiny;
  codegen::CodegenOptions options = hostOptions();
  options.target.name = "future";
  options.target.features.push_back("quantum");
  EXPECT_EQ(loadError(tiny, options), "cannot run code for target 'future' here: this CPU lacks "
                                      "quantum; compile for --target=host");
}

TEST(LoadedModel, ModelNamesAreIdentifiers) {
  TinyModel tiny;
  codegen::CodegenOptions options = hostOptions();
  options.model = "3-d";
  EXPECT_THAT(loadError(tiny, options), HasSubstr("model name '3-d' cannot prefix C symbols"));
  for (const char *name : {"convoy", "convoy_library"}) {
    options.model = name;
    EXPECT_EQ(loadError(tiny, options),
              "model name '" + std::string(name) +
                  "' is the prefix of the runtime's C symbols; choose another name with --name");
  }
}

/// Returns the error of a model that calls a function of the user.
std::string customError(const std::string &function) {
  TinyModel tiny(oneKernel("%s = memref.alloca() : memref<1xi32>\n"
                           "task.call_custom \"" +
                           function +
                           "\" (%x) to (%y) status %s {elementTypes = array<i32: 1, 1>, "
                           "parameters = [], shapes = [array<i64: 16>, array<i64: 16>]} : "
                           "(memref<16xf32>), (memref<16xf32>), memref<1xi32>"));
  return loadError(tiny, hostOptions());
}

TEST(LoadedModel, FunctionsOfTheUserHaveOtherNamesThanTheModel) {
  EXPECT_EQ(customError("tiny_run"),
            "a custom op has the function 'tiny_run', but names that begin with 'tiny_' belong to "
            "the model; choose another name for the function, or for the model with --name");
  EXPECT_EQ(customError("memcpy"), "a custom op has the function 'memcpy', but models use the "
                                   "function of the C library; choose another name");
  EXPECT_THAT(customError("tinysum"), HasSubstr("'tinysum', which only --custom-ops provides"));
}

TEST(EmitObject, GivesTheSameBytesTwice) {
  TinyModel first;
  TinyModel second;
  for (TinyModel *tiny : {&first, &second}) {
    ASSERT_EQ(llvm::toString(codegen::lowerModule(tiny->module(), hostOptions())), "");
  }
  auto one = codegen::emitObject(first.module(), hostOptions());
  auto two = codegen::emitObject(second.module(), hostOptions());
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(*one == *two);
}

} // namespace
