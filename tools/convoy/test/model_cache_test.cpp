// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache of `convoy run`: what hits and what never hits, two processes at once, a full disk, the
// limit of the size, and damaged entries.

#include "io/CacheFolder.h"
#include "io/Npy.h"
#include "tools/convoy/ModelCache.h"
#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/FileSystem.h"
#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace convoy;
using namespace convoy::tool;
using testing::StartsWith;

namespace {

namespace fs = std::filesystem;

struct ModelCacheTest : tool::test::DriverCase {
  std::string cache = folder.file("cache/convoy");

  std::string relu(const std::string &op = "Relu") {
    return model(convoy::test::unaryModel(op, {"1", "3"}));
  }

  ExitCode run(std::vector<std::string> flags = {}) {
    std::vector<std::string> arguments = {"run", folder.file("model.onnx"), "--input", input()};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return convoy(arguments);
  }

  std::string input() {
    Tensor tensor(ElementType::F32, {1, 3});
    tensor.setDouble(0, -1);
    tensor.setDouble(1, 2);
    return folder.write("x.npy", io::encodeNpy(tensor));
  }

  /// Returns the names of the entries, and of entries that are not whole.
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(cache, error)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  size_t count() const { return entries().size(); }

  Request requestFor() {
    BuildFlags flags;
    flags.model.path = folder.file("model.onnx");
    Problems problems;
    std::optional<Request> request = readRequest(flags, Emit::Memory, problems);
    return *request;
  }
};

TEST_F(ModelCacheTest, ASecondRunCompilesNothing) {
  relu();
  EXPECT_EQ(run(), kDone) << err;
  EXPECT_THAT(out, StartsWith("y: float 1x3\n  0 2 0\n"));
  ASSERT_EQ(count(), 1u);
  EXPECT_EQ(run(), kDone) << err;
  EXPECT_THAT(out, StartsWith("y: float 1x3\n  0 2 0\n"));
  EXPECT_EQ(count(), 1u);
  for (bool isHit : {false, true}) { // a request without the shape of an input is another entry
    Problems problems;
    std::optional<CachedModel> model = compileByCache(requestFor(), {}, problems);
    ASSERT_TRUE(model);
    EXPECT_EQ(model->isHit, isHit);
    EXPECT_EQ(count(), 2u);
  }
}

TEST_F(ModelCacheTest, AChangedModelOrFlagNeverHits) {
  relu();
  EXPECT_EQ(run(), kDone) << err;
  relu("Neg");
  EXPECT_EQ(run(), kDone) << err;
  EXPECT_THAT(out, StartsWith("y: float 1x3\n  1 -2 "));
  EXPECT_EQ(count(), 2u);
  size_t expected = 2;
  for (const char *flag : {"--math=strict", "--threads=2", "--grain=5us", "--bands=always",
                           "--integer=off", "--weight-limit=50", "--target=x86-64-v2"}) {
    EXPECT_EQ(run({flag}), kDone) << err;
    EXPECT_EQ(count(), ++expected) << flag;
  }
}

TEST_F(ModelCacheTest, EveryMemberOfTheRequestIsInTheKey) {
  relu();
  const Request base = requestFor();
  std::set<std::string> keys = {cacheKey(base)};
  auto differs = [&](const std::function<void(CompileRequest &)> &change) {
    Request other = base;
    change(other.compile);
    return keys.insert(cacheKey(other)).second;
  };
  EXPECT_FALSE(differs([](CompileRequest &) {}));
  EXPECT_TRUE(differs([](CompileRequest &r) { r.inputs.shapes["x"] = {1, 3}; }));
  EXPECT_TRUE(differs([](CompileRequest &r) { r.inputs.shapes["x"] = {1, 4}; }));
  EXPECT_TRUE(differs([](CompileRequest &r) { r.inputs.dims["n"] = 1; }));
  EXPECT_TRUE(differs([](CompileRequest &r) { r.numerics.math = Math::Strict; }));
  EXPECT_TRUE(differs([](CompileRequest &r) { r.schedule.kernelNs["k"] = 1; }));
  EXPECT_TRUE(differs([](CompileRequest &r) { r.schedule.kernelNs["k"] = 2; }));
  EXPECT_TRUE(differs([](CompileRequest &r) { r.target.name = "x86-64-v3"; }));
  auto bytes = std::make_shared<float>(1.0F);
  EXPECT_TRUE(differs(
      [&](CompileRequest &r) { r.inputs.constants["x"] = {ElementType::F32, {1}, bytes, {}}; }));
  auto others = std::make_shared<float>(2.0F);
  EXPECT_TRUE(differs(
      [&](CompileRequest &r) { r.inputs.constants["x"] = {ElementType::F32, {1}, others, {}}; }));
}

TEST_F(ModelCacheTest, OffKeepsNothing) {
  relu();
  EXPECT_EQ(run({"--cache=off"}), kDone) << err;
  EXPECT_EQ(run({"--target=reference"}), kDone) << err;
  EXPECT_EQ(count(), 0u);
  EXPECT_EQ(run({"--cache", folder.file("here")}), kDone) << err;
  EXPECT_EQ(count(), 0u);
  EXPECT_TRUE(llvm::sys::fs::exists(folder.file("here")));
}

// The table of a library has indices in place of the strings.
TEST_F(ModelCacheTest, AModelThatReturnsStringsIsNotKept) {
  model(convoy::test::unaryModel("Identity", {"1", "3"}, onnx::TensorProto::STRING));
  EXPECT_EQ(cacheKey(requestFor()), "");
  relu();
  EXPECT_NE(cacheKey(requestFor()), "");
}

TEST_F(ModelCacheTest, ADamagedEntryIsReplaced) {
  relu();
  EXPECT_EQ(run(), kDone) << err;
  std::string entry = cache + "/" + entries().at(0);
  fs::resize_file(entry + "/model.so", 100);
  EXPECT_EQ(run(), kDone) << err;
  EXPECT_THAT(out, StartsWith("y: float 1x3\n  0 2 0\n"));
  EXPECT_GT(fs::file_size(entry + "/model.so"), 100u);
  fs::remove(entry + "/entry.json");
  EXPECT_EQ(run(), kDone) << err;
  EXPECT_TRUE(fs::exists(entry + "/entry.json"));
}

TEST_F(ModelCacheTest, TwoProcessesAtOnceShareAnEntry) {
  relu();
  std::string data = input();
  pid_t children[2];
  for (pid_t &child : children) {
    child = fork();
    if (child == 0) {
      _exit(convoy({"run", folder.file("model.onnx"), "--input", data}) == kDone &&
                    llvm::StringRef(out).starts_with("y: float 1x3\n  0 2 0\n")
                ? 0
                : 1);
    }
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(count(), 1u); // and nothing aside
}

// A limit of the file size fails as a full disk does: the write returns an error.
TEST_F(ModelCacheTest, AFullDiskDoesNotMatter) {
  relu();
  std::string data = input();
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit{1024, 1024};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(convoy({"run", folder.file("model.onnx"), "--input", data}) == kDone &&
                  llvm::StringRef(out).starts_with("y: float 1x3\n  0 2 0\n")
              ? 0
              : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(count(), 0u);
}

TEST_F(ModelCacheTest, AFolderThatCannotBeWrittenIsAWarning) {
  relu();
  EXPECT_EQ(run({"--cache=/proc/none"}), kDone);
  EXPECT_THAT(err, StartsWith("warning: --cache: cannot write '/proc/none'"));
  EXPECT_THAT(out, StartsWith("y: float 1x3\n  0 2 0\n"));
}

TEST(CacheFolderTest, RemovesWhatWasNotUsedForTheLongestTime) {
  convoy::test::TemporaryFolder folder;
  std::string path = folder.file("cache");
  io::CacheFolder cache(path, /*limitBytes=*/250);
  auto add = [&](const std::string &key) {
    std::string aside = llvm::cantFail(cache.begin());
    std::string text(100, 'x');
    folder.write("cache/" + fs::path(aside).filename().string() + "/file", text);
    llvm::cantFail(cache.commit(aside, key).takeError());
  };
  auto age = [&](const std::string &key, int minutes) {
    fs::last_write_time(path + "/" + key,
                        fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  };
  add("a");
  add("b");
  age("a", 30);
  age("b", 20);
  EXPECT_TRUE(cache.find("a")); // used now
  add("c");
  EXPECT_TRUE(cache.find("a"));
  EXPECT_FALSE(cache.find("b"));
  EXPECT_TRUE(cache.find("c"));
}

} // namespace
