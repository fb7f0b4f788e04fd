// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests convoy_load and convoy::Library with hand-written libraries (loadable.c): what a library
// offers, the sentence for each library that is refused, and that loading and unloading keeps no
// memory.

#include "convoy/convoy.hpp"
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using convoy::Library;

std::string problemOf(const char *path) {
  char text[512] = "";
  convoy_loaded *loaded = convoy_load(path, text, sizeof(text));
  EXPECT_EQ(loaded, nullptr);
  return text;
}

TEST(Load, RefusesOtherInterfacesWithASentence) {
  EXPECT_EQ(problemOf(INTERFACE_1), std::string(INTERFACE_1) +
                                        " has interface 1; this version loads interface 2; "
                                        "compile the model again");
  EXPECT_EQ(problemOf(INTERFACE_9), std::string(INTERFACE_9) +
                                        " has interface 9; this version loads interface 2; use a "
                                        "newer version of Convoy's runtime");
  EXPECT_EQ(problemOf(SHORT_TABLE), std::string(SHORT_TABLE) +
                                        " has a table that is shorter than this version expects; "
                                        "compile the model again");
  EXPECT_EQ(problemOf(NO_MODEL), std::string(NO_MODEL) +
                                     " is not a model of interface 2: it has no function "
                                     "convoy_library_model; compile the model again");
  EXPECT_EQ(problemOf(nullptr), "cannot load the library: its path is null");
  EXPECT_EQ(problemOf("nothing.so").find("cannot load the library: ./nothing.so: "), 0u);
}

TEST(Load, TruncatesTheSentence) {
  char text[8] = "abcdefg";
  EXPECT_EQ(convoy_load("nothing.so", text, sizeof(text)), nullptr);
  EXPECT_STREQ(text, "cannot ");
  EXPECT_EQ(convoy_load("nothing.so", nullptr, 0), nullptr);
}

/// Returns the path of a copy of the library in a new folder.
std::string copyOfLibrary(const std::string &name) {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("load_test." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file(INTERFACE_2, folder / name);
  return folder / name;
}

TEST(Load, ReportsMissingWeights) {
  std::string path = copyOfLibrary("missing.so");
  EXPECT_EQ(problemOf(path.c_str()), path + ": net: other");
  std::filesystem::remove_all(std::filesystem::path(path).parent_path());
}

TEST(Load, ReportsALibraryForAnotherMachine) {
  std::string path = copyOfLibrary("foreign.so");
  constexpr int kMachineOffset = 18; // of e_machine in the ELF header
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(kMachineOffset).put(2);
  EXPECT_NE(problemOf(path.c_str()).find("; the file exists: it is for another machine"),
            std::string::npos);
  std::filesystem::remove_all(std::filesystem::path(path).parent_path());
}

TEST(Library, DescribesAndRunsAModel) {
  std::string problem;
  std::optional<Library> net = Library::load(INTERFACE_2, &problem);
  ASSERT_TRUE(net) << problem;
  ASSERT_EQ(net->inputs().size(), 1u);
  EXPECT_STREQ(net->inputs()[0].name, "x");
  for (const convoy_tensor &output : net->outputs()) {
    EXPECT_STREQ(output.name, "y");
    EXPECT_EQ(output.shape[1], 3);
  }
  float x[] = {1, 2, 3};
  float y[3] = {};
  EXPECT_EQ(net->run({x}, {y}), CONVOY_OK);
  EXPECT_EQ(y[2], 6);
  Library moved = std::move(*net);
  moved.runOrThrow({x}, {y});
  EXPECT_EQ(moved.run({x, x}, {y}), CONVOY_ERROR_NULL_POINTER);
  EXPECT_EQ(moved.run({nullptr}, {y}), CONVOY_ERROR_NULL_POINTER);
  try {
    moved.runOrThrow({nullptr}, {y});
    FAIL() << "did not throw";
  } catch (const convoy::Error &error) {
    EXPECT_EQ(error.code(), CONVOY_ERROR_NULL_POINTER);
    EXPECT_STREQ(error.what(), "net: null");
  }
}

TEST(Library, ReportsAProblemWithoutThrowing) {
  std::string problem;
  EXPECT_FALSE(Library::load(NO_MODEL, &problem));
  EXPECT_NE(problem.find("is not a model of interface 2"), std::string::npos);
  EXPECT_FALSE(Library::load(NO_MODEL));
}

TEST(Library, SharesWeightsUntilTheLastObjectIsGone) {
  std::optional<Library> first = Library::load(INTERFACE_2);
  std::optional<Library> second = Library::load(INTERFACE_2);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(&first->model(), &second->model());
  first.reset();
  float x[] = {1, 2, 3};
  float y[3] = {};
  EXPECT_EQ(second->run({x}, {y}), CONVOY_OK);
}

/// Returns the resident memory of this process in kB.
long residentKb() {
  std::ifstream file("/proc/self/statm");
  long pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

TEST(Library, LoadingAThousandTimesKeepsNoMemory) {
  float x[] = {1, 2, 3};
  float y[3] = {};
  auto cycles = [&](int count) {
    for (int i = 0; i < count; ++i) {
      std::optional<Library> net = Library::load(INTERFACE_2);
      ASSERT_TRUE(net);
      ASSERT_EQ(net->run({x}, {y}), CONVOY_OK);
    }
  };
  cycles(50); // the first cycles fill the allocator's pools
  long before = residentKb();
  cycles(1000);
  EXPECT_LE(residentKb() - before, 256);
}

} // namespace
