// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that candidates from the whole space of a task compute the same values as the
// reference, and that a candidate can be loaded as a library.

#include "Codegen/LLVM/LoadedModel.h"
#include "Codegen/LLVM/Object.h"
#include "Codegen/LLVM/Passes.h"
#include "Pipeline/TargetOptions.h"
#include "Support/test/TestFolder.h"
#include "reference/Reference.h"
#include "tuning/build/BuildCandidate.h"
#include "tuning/space/TaskSpace.h"
#include "tuning/space/test/TestKernels.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

using mlir::MLIRContext;
using test::ConvShape;

/// Returns the largest absolute error against the reference; the results are about 1.
double errorOf(const Task &task, const Configuration &configuration,
               const targets::Target &target) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> planar = readTask(task, &context);
  llvm::Expected<TaskModule> built = readTask(task, &context);
  std::vector<Tensor> inputs = taskInputs(task, *planar);
  std::vector<reference::Datum> data(inputs.begin(), inputs.end());
  auto expected = reference::run(planar->main(), data);
  llvm::cantFail(forceConfiguration(built->kernel(), configuration));
  std::vector<Tensor> packed = packInputs(built->main(), inputs);
  std::vector<Tensor> memory = {Tensor(ElementType::F32, {outputElements(built->main())[0]})};
  llvm::Expected<TaskModule> lowered = readTask(task, &context);
  llvm::cantFail(lowerCandidate(*lowered, configuration, target));
  codegen::CodegenOptions options;
  options.target = target;
  auto model = llvm::cantFail(codegen::LoadedModel::load(*lowered->module, options));
  std::vector<char> workspace(model->workspaceBytes() + 64);
  auto address = reinterpret_cast<uintptr_t>(workspace.data());
  std::vector<const void *> in;
  for (const Tensor &tensor : packed) {
    in.push_back(tensor.data<float>());
  }
  void *out = memory[0].mutableData<float>();
  llvm::cantFail(model->run(in, out, workspace.data() + (64 - address % 64) % 64));
  Tensor actual = unpackOutputs(built->main(), memory)[0];
  double most = 0;
  const Tensor &right = (*expected)[0].tensor;
  for (int64_t i = 0; i < *elementCount(right.shape()); ++i) {
    most = std::max<double>(most, std::abs(actual.data<float>()[i] - right.data<float>()[i]));
  }
  return most;
}

void expectRight(const ConvShape &shape, size_t samples) {
  targets::Target target = targets::detectHost();
  Task task = test::convTask(shape);
  MLIRContext context(MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(task, &context);
  SpaceOptions options;
  options.machine = machineOf(target);
  TaskSpace space = llvm::cantFail(spaceOf(module->kernel(), options));
  ASSERT_GT(space.entries.size(), samples);
  for (size_t i = 0; i < samples; ++i) {
    const Configuration &configuration =
        space.entries[i * (space.entries.size() - 1) / (samples - 1)].configuration;
    EXPECT_LT(errorOf(task, configuration, target), 1e-4)
        << configuration.text << " " << configuration.inputLayout;
  }
}

TEST(BuildCandidate, DirectIsRight) { expectRight({40, 9, 72, 3, 2}, 10); }
TEST(BuildCandidate, PointwiseIsRight) { expectRight({40, 6, 100, 1, 1}, 10); }
TEST(BuildCandidate, WinogradIsRight) { expectRight({32, 10, 96, 3, 1}, 12); }
TEST(BuildCandidate, DepthwiseIsRight) { expectRight({40, 11, 40, 3, 1, 40}, 8); }
TEST(BuildCandidate, PlanarInputIsRight) { expectRight({3, 20, 40, 5, 2}, 10); }

TEST(BuildCandidate, WritesALibrary) {
  Task task = test::convTask({16, 8, 16, 3, 1});
  convoy::test::TemporaryFolder folder;
  BuildOptions options{targets::detectHost(), folder.path()};
  auto built = buildCandidate(task, {"loops", 1, "", "planar", "planar"}, options, "candidate");
  ASSERT_TRUE(static_cast<bool>(built)) << llvm::toString(built.takeError());
  EXPECT_GT(built->times.emitSeconds, 0);
  auto library = llvm::sys::DynamicLibrary::getPermanentLibrary(built->files.library.c_str());
  ASSERT_TRUE(library.isValid());
  EXPECT_NE(library.getAddressOfSymbol("candidate_run"), nullptr);
  EXPECT_EQ(library.getAddressOfSymbol("candidate_hash"), nullptr) << "the library is bare";
  EXPECT_EQ(built->files.header, "");
}

/// Returns the code of a task's object file.
std::string codeOf(const Task &task, bool isCandidate) {
  codegen::CodegenOptions options;
  options.target = targets::detectHost();
  options.verifyPasses = options.hasLineInfo = !isCandidate;
  options.isBare = isCandidate;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  TaskModule module = llvm::cantFail(readTask(task, &context));
  Configuration configuration{"loops", 1, "", "planar", "planar"};
  llvm::cantFail(lowerCandidate(module, configuration, options.target));
  llvm::cantFail(codegen::lowerModule(*module.module, options));
  codegen::ObjectBytes bytes = llvm::cantFail(codegen::emitObject(*module.module, options));
  auto object = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), "object")));
  std::string code;
  for (const llvm::object::SectionRef &section : object->sections()) {
    if (section.isText()) {
      code += llvm::cantFail(section.getContents());
    }
  }
  return code;
}

TEST(BuildCandidate, HasTheCodeOfACompiledModel) {
  Task task = test::convTask({16, 8, 16, 3, 1});
  std::string code = codeOf(task, /*isCandidate=*/true);
  EXPECT_GT(code.size(), 100u);
  EXPECT_TRUE(code == codeOf(task, /*isCandidate=*/false));
}

TEST(BuildCandidate, TellsProblemsApart) {
  BuildOptions options{targets::detectHost(), "never-written"};
  auto problemOf = [&](const Task &task, const Configuration &configuration) {
    std::string kind;
    llvm::handleAllErrors(buildCandidate(task, configuration, options, "c").takeError(),
                          [&](const BuildError &error) { kind = name(error.problem).str(); });
    return kind;
  };
  Task task = test::convTask({16, 8, 16, 3, 1});
  EXPECT_EQ(problemOf({"nonsense", ""}, {}), "task");
  EXPECT_EQ(problemOf(task, {"loops", 1, "nonsense", "planar", "planar"}), "configuration");
  EXPECT_EQ(name(BuildProblem::Compiler), "compiler");
}

} // namespace
} // namespace convoy::tuning
