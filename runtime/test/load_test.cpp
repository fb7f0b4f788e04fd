// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests convoy_load and convoy::Library with hand-written libraries (loadable.c): what a library
// offers, the sentence for each library that is refused, and that loading and unloading keeps no
// memory.

#include "convoy/convoy.hpp"
#include "load/digest.h"
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

constexpr const char *kHash = "00112233445566778899aabbccddeeff"; // of loadable.c

std::string checkedProblem(const std::string &path, const char *hash, uint32_t flags) {
  char text[1024] = "";
  convoy_loaded *loaded = convoy_load_checked(path.c_str(), hash, flags, text, sizeof(text));
  convoy_unload(loaded);
  return text;
}

TEST(LoadChecked, RefusesALibraryOfAnotherCompilation) {
  EXPECT_EQ(checkedProblem(INTERFACE_2, kHash, 0), "");
  EXPECT_EQ(checkedProblem(INTERFACE_2, nullptr, 0), "");
  EXPECT_EQ(checkedProblem(INTERFACE_2, "ff", 0),
            std::string(INTERFACE_2) + " has hash " + kHash +
                ", and the program was compiled for hash ff; use the library that was written with "
                "the program's header, or compile the program with the header of this library");
}

/// Appends the digest of a file to it.
void addDigest(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  uint8_t digest[CONVOY_DIGEST_BYTES];
  ASSERT_TRUE(convoy_make_digest(bytes.data(), bytes.size(), kHash, digest));
  std::ofstream(path, std::ios::binary | std::ios::app)
      .write(reinterpret_cast<const char *>(digest), sizeof(digest));
}

TEST(LoadChecked, VerifiesTheLibraryAndItsWeights) {
  std::string path = copyOfLibrary("net.so");
  std::string weights = path.substr(0, path.size() - 3) + ".weights";
  EXPECT_EQ(checkedProblem(path, nullptr, CONVOY_LOAD_VERIFY).rfind(path + " has no SHA-256", 0),
            0u);
  addDigest(path);
  EXPECT_EQ(checkedProblem(path, nullptr, CONVOY_LOAD_VERIFY),
            weights + " cannot be read: No such file or directory");
  std::ofstream(weights) << "weights";
  addDigest(weights);
  EXPECT_EQ(checkedProblem(path, nullptr, CONVOY_LOAD_VERIFY), "");
  std::fstream(weights, std::ios::in | std::ios::out | std::ios::binary).put('W');
  EXPECT_EQ(checkedProblem(path, nullptr, CONVOY_LOAD_VERIFY).rfind(weights + " is damaged", 0),
            0u);
  EXPECT_EQ(checkedProblem(path, nullptr, 0), ""); // the weights are not read
  EXPECT_EQ(checkedProblem("./nothing.so", nullptr, CONVOY_LOAD_VERIFY)
                .rfind("cannot load the library: ./nothing.so: ", 0),
            0u);
  std::filesystem::remove_all(std::filesystem::path(path).parent_path());
}

TEST(Library, ChecksTheHash) {
  std::string problem;
  EXPECT_TRUE(Library::load(INTERFACE_2, convoy::LoadChecks{kHash}, &problem)) << problem;
  EXPECT_FALSE(Library::load(INTERFACE_2, convoy::LoadChecks{"ff"}, &problem));
  EXPECT_NE(problem.find("was compiled for hash ff"), std::string::npos) << problem;
  EXPECT_FALSE(Library::load(INTERFACE_2, convoy::LoadChecks{kHash, true}, &problem));
  EXPECT_NE(problem.find("has no SHA-256 at its end"), std::string::npos) << problem;
}

TEST(Library, IsTheModelOfAHeader) {
  std::optional<Library> net = Library::load(INTERFACE_2);
  ASSERT_TRUE(net);
  EXPECT_TRUE(convoy::isModelOf(&net->model(), kHash));
  EXPECT_FALSE(convoy::isModelOf(&net->model(), "ff"));
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
