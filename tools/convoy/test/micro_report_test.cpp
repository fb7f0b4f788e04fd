// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the reports of builds for microcontrollers: of `convoy compile` and `convoy bench`, and
// their comparison. None of these tests needs an emulator.

#include "report/MicroCompare.h"
#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace convoy;
using namespace convoy::tool;

namespace {

struct MicroReportTest : tool::test::DriverCase {
  /// Compiles a quantized convolution and returns the JSON file.
  std::string compiled(const std::string &name, const std::string &target = "cortex-m4") {
    std::string json = folder.file(name);
    EXPECT_EQ(convoy({"compile", quantizedConv(), "--target=" + target, "-o", folder.file("out"),
                      "--report", folder.file("page.html"), "--json=" + json}),
              kDone)
        << err;
    return json;
  }

  static std::string textOf(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

  report::MicroBuild buildIn(const std::string &path) {
    auto builds = report::parseMicroBuilds(textOf(path), path);
    EXPECT_TRUE(builds && *builds);
    return builds && *builds ? (*builds)->front() : report::MicroBuild();
  }
};

TEST_F(MicroReportTest, CompileDescribesLayersAndMemory) {
  report::MicroBuild build = buildIn(compiled("a.json"));
  EXPECT_EQ(build.target, "cortex-m4");
  EXPECT_FALSE(build.isCounted);
  EXPECT_FALSE(build.isLinked());
  EXPECT_GT(build.inputBytes, 0);
  EXPECT_GT(build.outputBytes, 0);
  ASSERT_FALSE(build.layers.empty());
  int64_t weights = 0, instructions = 0;
  for (const report::MicroLayer &layer : build.layers) {
    weights += layer.weightsBytes;
    instructions += layer.instructions;
  }
  EXPECT_GT(weights, 0);
  EXPECT_LE(weights, build.weightsBytes);
  EXPECT_GT(build.multiplyAdds(), 0);
  EXPECT_EQ(instructions, build.instructions);
  EXPECT_GT(instructions, build.multiplyAdds() / 2);
  for (const report::MicroTensor &tensor : build.tensors) {
    EXPECT_LE(tensor.offset + tensor.bytes, build.arenaBytes);
    EXPECT_LE(tensor.first, tensor.last);
  }
}

TEST_F(MicroReportTest, CompilePrintsTotalsAndDrawsAPage) {
  compiled("a.json");
  EXPECT_NE(out.find("\nflash  weights "), std::string::npos) << out;
  EXPECT_NE(out.find("\nRAM    arena "), std::string::npos) << out;
  std::string page = textOf(folder.file("page.html"));
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("estimated from the kernels"), std::string::npos);
}

TEST_F(MicroReportTest, TellsThatAPageCannotBeWritten) {
  EXPECT_EQ(convoy({"compile", quantizedConv(), "--target=cortex-m4", "-o", folder.file("out"),
                    "--report", folder.write("file", "") + "/page.html"}),
            kUserError);
  EXPECT_EQ(err.rfind("error: --report: ", 0), 0u) << err;
}

TEST_F(MicroReportTest, BenchNeedsAMicrocontrollerForItsPage) {
  EXPECT_EQ(convoy({"bench", quantizedConv(), "--report", folder.file("page.html")}), kUserError);
  EXPECT_EQ(err, "error: --report expects a microcontroller as --target, got 'host'; `convoy "
                 "targets` lists the targets\n");
  EXPECT_EQ(convoy({"bench", "a.onnx", "b.onnx", "--target=cortex-m4", "--report", "page.html"}),
            kUserError);
  EXPECT_EQ(err, "error: --input and --report need one model, got 2 models\n");
}

TEST_F(MicroReportTest, ComparesTwoBuilds) {
  std::string a = compiled("a.json");
  EXPECT_EQ(convoy({"bench", "--compare", a, a}), kDone) << err;
  EXPECT_NE(out.find("no layer differs\n"), std::string::npos) << out;
  // The second build has one more instruction in its first layer.
  report::MicroBuild build = buildIn(a);
  ++build.layers.front().instructions;
  ++build.instructions;
  std::string b = folder.write("b.json", report::toJson(llvm::ArrayRef(build)));
  EXPECT_EQ(convoy({"bench", "--compare", a, b}), kUserError);
  EXPECT_NE(out.find("+1 ("), std::string::npos) << out;
  EXPECT_EQ(convoy({"bench", "--compare", b, a, "--json"}), kDone);
  EXPECT_NE(out.find("\"grown\": false"), std::string::npos) << out;
}

TEST_F(MicroReportTest, TellsWhyFilesCannotBeCompared) {
  std::string a = compiled("a.json"), other = compiled("b.json", "cortex-m3");
  EXPECT_EQ(convoy({"bench", "--compare", a, other}), kUserError);
  EXPECT_EQ(err, "error: --compare: '" + a + "' and '" + other +
                     "' have no model with the same target in common, both with counted or both "
                     "with estimated instructions; write both files with `convoy bench` or both "
                     "with `convoy compile`\n");
  std::string times = folder.write("c.json", "[{\"model\": \"net\", \"samples_ms\": [1]}]");
  EXPECT_EQ(convoy({"bench", "--compare", a, times}), kUserError);
  EXPECT_EQ(err, "error: --compare: '" + times +
                     "': expects builds for a microcontroller as in the other file, found times; "
                     "compare two files of the same kind of target\n");
}

} // namespace
