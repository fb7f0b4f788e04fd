// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the table of compiled models: the table of a library equals the table of the model in
// memory, names have any bytes, scales are exact, and convoy_load opens the weights file.

#include "Codegen/LLVM/Library.h"
#include "Codegen/LLVM/LoadedModel.h"
#include "Codegen/LLVM/test/TinyModel.h"
#include "Support/test/TestFolder.h"
#include "convoy/load.h"
#include "llvm/Support/FileSystem.h"
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace convoy;
using codegen::LoadedModel;
using test::hostOptions;
using test::oneKernel;
using test::TinyModel;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A library that is loaded with convoy_load.
class Loaded {
public:
  explicit Loaded(const std::string &path) {
    char text[1024] = "";
    loaded = convoy_load(path.c_str(), text, sizeof(text));
    problem = text;
  }
  ~Loaded() { convoy_unload(loaded); }
  Loaded(const Loaded &) = delete;
  Loaded &operator=(const Loaded &) = delete;

  explicit operator bool() const { return loaded != nullptr; }
  const convoy_model &model() const { return *convoy_loaded_model(loaded); }

  std::string problem;

private:
  convoy_loaded *loaded;
};

std::string writeLibrary(TinyModel &tiny, const codegen::CodegenOptions &options,
                         const test::TemporaryFolder &folder) {
  auto files = codegen::writeLibrary(tiny.module(), options, folder.path());
  EXPECT_TRUE(bool(files)) << llvm::toString(files.takeError()) << tiny.diagnostics();
  return files ? files->library : "";
}

/// Returns everything in a table except functions and addresses.
std::string textOf(const convoy_model &model) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << model.abi_version << " " << model.struct_bytes << " " << model.name << " " << model.target
     << " " << model.features << " " << model.hash << " " << model.weights_hash << " '"
     << model.records << "' " << model.compiler << " " << model.workspace_bytes << " "
     << model.workspace_alignment << " " << model.weights_bytes << " " << model.threads << " "
     << model.programs << " " << model.symbol_count << " " << model.extent_count << "\n";
  auto print = [&](const convoy_tensor &tensor) {
    os << tensor.name << " " << tensor.element_type << " [";
    llvm::interleaveComma(llvm::ArrayRef(tensor.shape, tensor.rank), os);
    os << "] ";
    if (tensor.dims) {
      os << "(";
      llvm::interleaveComma(llvm::ArrayRef(tensor.dims, tensor.rank), os);
      os << ") ";
    }
    os << tensor.bytes << " {";
    llvm::interleaveComma(llvm::ArrayRef(tensor.scales, tensor.scale_count), os);
    os << "} {";
    llvm::interleaveComma(llvm::ArrayRef(tensor.zero_points, tensor.scale_count), os);
    os << "} " << tensor.scale_axis << " " << tensor.alias << " " << tensor.reserved << "\n";
  };
  llvm::for_each(llvm::ArrayRef(model.inputs, model.input_count), print);
  llvm::for_each(llvm::ArrayRef(model.outputs, model.output_count), print);
  return text;
}

/// Returns the table of the library of a model, after a comparison with the model in memory.
std::string tableOf(llvm::StringRef ir) {
  test::TemporaryFolder folder;
  TinyModel forLibrary(ir);
  Loaded loaded(writeLibrary(forLibrary, hostOptions(), folder));
  TinyModel forMemory(ir);
  auto model = LoadedModel::load(forMemory.module(), hostOptions());
  EXPECT_TRUE(bool(loaded)) << loaded.problem;
  EXPECT_TRUE(bool(model)) << llvm::toString(model.takeError()) << forMemory.diagnostics();
  if (!loaded || !model) {
    return "";
  }
  EXPECT_EQ(textOf(loaded.model()), textOf((*model)->table()));
  EXPECT_EQ((*model)->table().open, nullptr);
  EXPECT_EQ(loaded.model().open, nullptr);
  EXPECT_EQ(loaded.model().init, nullptr);
  return textOf(loaded.model());
}

std::string replaced(std::string text, llvm::StringRef from, llvm::StringRef to) {
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to.str());
}

TEST(Table, DescribesEveryTensor) {
  std::string text = tableOf(oneKernel(""));
  EXPECT_THAT(text, HasSubstr("2 176 tiny host "));
  EXPECT_THAT(text, HasSubstr("'' convoy "));
  EXPECT_THAT(text, HasSubstr(" 0 64 0 1 0 0 0\nx 1 [16] 64 {} {} -1 -1 0\ny 1 [16] 64 {}"));
}

TEST(Table, NamesHaveAnyBytes) {
  std::string ir = replaced(oneKernel(""), "graph.name = \"x\"",
                            "graph.name = \"\xc3\xa9 \\22\\5C*/ \?\?/ \\0A%s\"");
  EXPECT_THAT(tableOf(ir), HasSubstr("\n\xc3\xa9 \"\\*/ \?\?/ \n%s 1 [16]"));
}

TEST(Table, ScalesAreExact) {
  std::string ir = replaced(oneKernel(""), "graph.name = \"x\"",
                            "graph.name = \"x\", graph.quantization = {axis = 0 : i64, scales = "
                            "array<f32: 0.1, 3.0e-39>, zero_points = array<i32: -128, 7>}");
  test::TemporaryFolder folder;
  TinyModel tiny(ir);
  Loaded loaded(writeLibrary(tiny, hostOptions(), folder));
  ASSERT_TRUE(loaded) << loaded.problem;
  const convoy_tensor &x = loaded.model().inputs[0];
  ASSERT_EQ(x.scale_count, 2);
  EXPECT_THAT(std::vector<float>(x.scales, x.scales + 2), ElementsAre(0.1F, 3.0e-39F));
  EXPECT_THAT(std::vector<int32_t>(x.zero_points, x.zero_points + 2), ElementsAre(-128, 7));
  EXPECT_EQ(x.scale_axis, 0);
  EXPECT_THAT(tableOf(ir), HasSubstr("{-128, 7} 0 -1 0\n"));
}

TEST(Table, ExtentsAreNoOutput) {
  std::string ir = replaced(oneKernel(""), "graph.name = \"y\"",
                            "graph.dims = array<i32: 0>, graph.name = \"y\"");
  ir = replaced(ir, "%arena:",
                "%n: memref<1xi64> {graph.extents, graph.name = \"extents\", "
                "graph.type = tensor<1xi64>, memory.role = \"output\"}, %arena:");
  EXPECT_THAT(tableOf(ir), HasSubstr(" 0 1\nx 1 [16] 64 {} {} -1 -1 0\ny 1 [16] (0) 64 {}"));
}

int32_t run(const convoy_model &model, float *y) {
  alignas(64) char workspace[128];
  float x[10] = {};
  float copy[10];
  const void *inputs[] = {x};
  void *outputs[] = {y, copy};
  return model.run(inputs, outputs, workspace);
}

std::string writeWithWeightsFile(const test::TemporaryFolder &folder) {
  codegen::CodegenOptions options = hostOptions();
  options.weights = WeightsPlace::File;
  TinyModel tiny;
  return writeLibrary(tiny, options, folder);
}

TEST(Table, LoadingOpensTheWeights) {
  test::TemporaryFolder folder;
  std::string path = writeWithWeightsFile(folder);
  float y[10];
  {
    Loaded first(path);
    auto second = std::make_unique<Loaded>(path);
    ASSERT_TRUE(first) << first.problem;
    ASSERT_TRUE(*second) << second->problem;
    EXPECT_TRUE(first.model().open && first.model().close);
    EXPECT_EQ(run(first.model(), y), CONVOY_OK);
    EXPECT_EQ(y[0], 0.5F);
    second = nullptr;
    EXPECT_EQ(run(first.model(), y), CONVOY_OK);
  }
  ASSERT_FALSE(llvm::sys::fs::remove(folder.file("tiny.weights")));
  Loaded missing(path);
  EXPECT_FALSE(missing);
  EXPECT_EQ(missing.problem, path + ": model 'tiny': weights file '" + folder.file("tiny.weights") +
                                 "' cannot be mapped: No such file or directory");
}

long residentPages() {
  std::ifstream file("/proc/self/statm");
  long pages = 0, resident = 0;
  file >> pages >> resident;
  return resident;
}

TEST(Table, LoadingAThousandTimesKeepsNoMemory) {
  test::TemporaryFolder folder;
  std::string path = writeWithWeightsFile(folder);
  float y[10];
  auto cycles = [&](int count) {
    for (int i = 0; i < count; ++i) {
      Loaded loaded(path);
      ASSERT_TRUE(loaded) << loaded.problem;
      ASSERT_EQ(run(loaded.model(), y), CONVOY_OK);
    }
  };
  cycles(50); // the first cycles fill the allocator's pools
  long before = residentPages();
  cycles(1000);
  EXPECT_LE((residentPages() - before) * sysconf(_SC_PAGESIZE), 512 * 1024);
}

} // namespace
