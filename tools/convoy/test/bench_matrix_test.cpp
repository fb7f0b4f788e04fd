// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests `convoy bench --matrix`: the valid content of the file, the table, and failed cells.

#include "timing/BenchMatrix.h"
#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/MemoryBuffer.h"

namespace convoy::timing {
namespace {

using tool::kUserError;
using tool::test::DriverCase;

std::string problemOf(llvm::StringRef text) {
  llvm::Expected<Matrix> matrix = Matrix::parse(text, "m.json");
  return matrix ? "" : llvm::toString(matrix.takeError());
}

TEST(MatrixTest, ReadsAllParts) {
  Matrix matrix = llvm::cantFail(Matrix::parse(
      R"({"models": ["a.onnx", {"path": "b.onnx", "flags": ["--dim", "n=1"]}], "threads": [1, 2],
          "targets": ["host", "x86-64-v3"], "options": ["plain", {"name": "s", "flags": ["--math", "strict"]}],
          "flags": ["--repetitions", "5"], "timeout_seconds": 7})",
      "m.json"));
  EXPECT_EQ(matrix.cellCount(), 16u);
  EXPECT_EQ(matrix.models[1].flags, (std::vector<std::string>{"--dim", "n=1"}));
  EXPECT_EQ(matrix.options[1].name, "s");
  EXPECT_EQ(matrix.timeoutSeconds, 7);
  EXPECT_EQ(llvm::cantFail(Matrix::parse(R"({"models": ["a"]})", "m.json")).cellCount(), 1u);
}

TEST(MatrixTest, SaysWhatIsWrong) {
  EXPECT_EQ(problemOf("{}"), "'m.json': 'models' is missing or empty");
  EXPECT_EQ(problemOf("[]"), "'m.json': expects an object with 'models'");
  EXPECT_EQ(problemOf(R"({"models": ["a"], "thread": [1]})"),
            "'m.json': unknown key 'thread'; expected one of models, targets, threads, options, "
            "flags, timeout_seconds");
  EXPECT_EQ(llvm::cantFail(Matrix::parse(R"({"models": ["a"], "timeoutSeconds": 7})", "m.json"))
                .timeoutSeconds,
            7);
  EXPECT_EQ(problemOf(R"({"models": ["a"], "threads": [0]})"),
            "'m.json': 'threads' must be a list of numbers above 0");
  EXPECT_EQ(problemOf(R"({"models": [{"name": "a"}]})"),
            "'m.json': 'models' must be a list of names or of objects with 'path' and 'flags'");
  EXPECT_EQ(problemOf(R"({"models": ["a"], "flags": [3]})"),
            "'m.json': 'flags' must be a list of strings");
  EXPECT_NE(problemOf("{").find("'m.json': "), std::string::npos);
}

TEST(MatrixTest, TableHasFailedCellsWithTheirReasons) {
  MatrixCell good, bad;
  good.model = "a";
  good.target = bad.target = "host";
  good.option = "default";
  good.facts = llvm::json::Object{{"convoy_ms", 1.5}, {"gflops", 20.0}, {"peak_share", 0.25}};
  bad.model = "b";
  bad.option = "x|y";
  bad.threads = 2;
  bad.problem = "ended by signal 11";
  EXPECT_EQ(toMarkdown({good, bad}),
            "| model | target | threads | options | ms | GFLOP/s | of peak | remark |\n"
            "|---|---|--:|---|--:|--:|--:|---|\n"
            "| a | host | 1 | default | 1.500 | 20.0 | 25% |  |\n"
            "| b | host | 2 | x\\|y |  |  |  | ended by signal 11 |\n");
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(toJson({good, bad})));
  const llvm::json::Object &second = *(*json.getAsArray())[1].getAsObject();
  EXPECT_EQ(second.getString("problem"), "ended by signal 11");
  EXPECT_EQ((*json.getAsArray())[0].getAsObject()->getNumber("convoy_ms"), 1.5);
}

struct MatrixSweep : DriverCase {};

TEST_F(MatrixSweep, GoesOnAfterACellThatFails) {
  std::string good = model(convoy::test::unaryModel("Relu", {"1", "8", "8", "8"}));
  std::string bad = folder.write("bad.onnx", "no model");
  std::string file = folder.write(
      "m.json", R"({"models": [")" + bad + R"(", ")" + good +
                    R"("], "options": ["default", {"name": "odd", "flags": ["--math", "odd"]}],
                       "flags": ["--repetitions", "2"]})");
  std::string table = folder.file("table.md"), json = folder.file("cells.json");
  EXPECT_EQ(convoy({"bench", "--matrix", file, "--table", table, "--json=" + json}), kUserError);
  EXPECT_NE(err.find("[4/4] model, host, 1 thread, odd: "), std::string::npos) << err;
  EXPECT_NE(err.find("error: 3 of 4 cells failed; the table has the reasons"), std::string::npos);
  EXPECT_NE(out.find("| bad | host | 1 | default |"), std::string::npos) << out;
  EXPECT_EQ((*llvm::MemoryBuffer::getFile(table))->getBuffer(), out);
  auto cells = llvm::cantFail(llvm::json::parse((*llvm::MemoryBuffer::getFile(json))->getBuffer()));
  ASSERT_EQ(cells.getAsArray()->size(), 4u);
  const llvm::json::Object &measured = *(*cells.getAsArray())[2].getAsObject();
  EXPECT_GT(measured.getNumber("convoy_ms").value_or(0), 0) << out << err;
  EXPECT_EQ(measured.get("problem")->getAsNull().has_value(), true);
}

TEST_F(MatrixSweep, ModelsOrAMatrixNotBoth) {
  EXPECT_EQ(convoy({"bench"}), kUserError);
  EXPECT_EQ(err, "error: `convoy bench` expects one of models, --matrix FILE and --compare A.json "
                 "B.json, got none\n");
  EXPECT_EQ(convoy({"bench", "a.onnx", "--matrix", "m.json"}), kUserError);
  EXPECT_EQ(convoy({"bench", "--matrix", folder.file("none.json")}), kUserError);
  EXPECT_NE(err.find("none.json"), std::string::npos) << err;
}

struct ReportVerb : DriverCase {};

TEST_F(ReportVerb, NeedsRecords) {
  EXPECT_EQ(convoy({"records", "report", folder.file("none.db")}), kUserError);
  EXPECT_NE(err.find("the file does not exist"), std::string::npos) << err;
  EXPECT_EQ(convoy({"records", "report"}), kUserError);
  EXPECT_NE(err.find("FILE is required"), std::string::npos) << err;
}

} // namespace
} // namespace convoy::timing
