// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests --trace of compile, run and bench: the file, the line about it, and the text of errors.
// tests/trace checks the events.

#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace convoy;
using namespace convoy::tool;

namespace {

struct TraceTest : tool::test::DriverCase {
  /// Returns the names of the events of a category in a file.
  std::vector<std::string> namesIn(const std::string &path, llvm::StringRef category) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    EXPECT_TRUE(bool(buffer)) << path;
    auto value = llvm::json::parse(buffer ? (*buffer)->getBuffer() : "{}");
    EXPECT_TRUE(bool(value)) << path;
    std::vector<std::string> names;
    for (const llvm::json::Value &event : *value->getAsObject()->getArray("traceEvents")) {
      if (event.getAsObject()->getString("cat") == category) {
        names.push_back(event.getAsObject()->getString("name")->str());
      }
    }
    return names;
  }

  std::string relu = model(convoy::test::unaryModel("Relu", {"1", "64"}));
  std::string file = folder.file("trace.json");
};

TEST_F(TraceTest, CompileWritesStagesAndPasses) {
  ASSERT_EQ(convoy({"compile", relu, "-o", folder.file("out"), "--trace", file}), kDone) << err;
  std::vector<std::string> stages = namesIn(file, "stage");
  ASSERT_GT(stages.size(), 5u);
  EXPECT_EQ(stages[0], "read");
  EXPECT_EQ(stages[1], "import");
  EXPECT_EQ(stages.back(), "library");
  EXPECT_FALSE(namesIn(file, "pass").empty());
}

TEST_F(TraceTest, RunWritesTheMedianInference) {
  ASSERT_EQ(convoy({"run", relu, "--input=random", "--threads=1", "--trace", file}), kDone) << err;
  EXPECT_NE(out.find("wrote " + file + ": model on "), std::string::npos) << out;
  EXPECT_NE(out.find(", 1 thread, inference of "), std::string::npos) << out;
  EXPECT_EQ(namesIn(file, "inference"), (std::vector<std::string>{"inference, median of 31"}));
  EXPECT_EQ(namesIn(file, "kernel"), (std::vector<std::string>{"'the_node' (Relu)"}));
}

TEST_F(TraceTest, BenchWritesAProcessPerRowAndItsCost) {
  ASSERT_EQ(convoy({"bench", relu, relu, "--repetitions=3", "--trace", file}), kDone) << err;
  EXPECT_EQ(namesIn(file, "inference").size(), 2u);
  EXPECT_NE(out.find("the median of 3; tracing costs "), std::string::npos) << out;
}

TEST_F(TraceTest, SaysWhatCannotBeTraced) {
  EXPECT_EQ(convoy({"run", relu, "--input=random", "--target=reference", "--trace", file}),
            kUnsupported);
  EXPECT_EQ(err, "error: not supported: --trace with --target reference: it is no CPU; a trace "
                 "measures code that this CPU runs, for example --target host\n");
  std::string missing = folder.file("none/trace.json");
  std::string problem = "error: --trace: cannot write '" + missing + "': Not a directory\n";
  EXPECT_EQ(convoy({"run", relu, "--input=random", "--trace", missing}), kUserError);
  EXPECT_EQ(err, problem);
  EXPECT_EQ(convoy({"bench", relu, "--trace", missing}), kUserError);
  EXPECT_EQ(err, problem);
  EXPECT_EQ(convoy({"compile", relu, "--trace", missing, "-o", folder.file("out")}), kUserError);
  EXPECT_EQ(err, problem);
}

TEST_F(TraceTest, WithoutTheFlagTheLibraryIsTheSame) {
  auto library = [&](const std::string &name, std::vector<std::string> flags) {
    std::vector<std::string> arguments = {"compile", relu, "-o", folder.file(name)};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    EXPECT_EQ(convoy(arguments), kDone) << err;
    auto buffer = llvm::MemoryBuffer::getFile(folder.file(name + "/model.so"));
    return buffer ? (*buffer)->getBuffer().str() : "";
  };
  std::string plain = library("plain", {});
  EXPECT_FALSE(plain.empty());
  EXPECT_EQ(plain, library("traced", {"--trace", file}));
}

} // namespace
