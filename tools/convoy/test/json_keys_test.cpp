// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of JSON are snake_case in every verb, except where a key is a name of the model or a
// value. `targets --json` prints target descriptions, whose syntax is fixed.

#include "tools/convoy/test/DriverCase.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace convoy;
using namespace convoy::tool;

namespace {

/// Objects whose keys are data: kinds of kernels, op types, reasons, opset domains.
const llvm::StringSet<> kMaps = {"fused", "graph_ops", "nodes_by_op", "opsets", "rejected"};

bool isSnakeCase(llvm::StringRef key) {
  return !key.empty() && llvm::all_of(key, [](char c) {
    return llvm::isDigit(c) || c == '_' || (c >= 'a' && c <= 'z');
  });
}

void collectWrong(const llvm::json::Value &value, std::vector<std::string> &wrong) {
  if (const llvm::json::Array *array = value.getAsArray()) {
    for (const llvm::json::Value &element : *array) {
      collectWrong(element, wrong);
    }
  }
  if (const llvm::json::Object *object = value.getAsObject()) {
    for (const auto &[key, member] : *object) {
      if (!isSnakeCase(key)) {
        wrong.push_back(key.str());
      }
      if (!kMaps.contains(key)) {
        collectWrong(member, wrong);
      }
    }
  }
}

struct JsonKeysTest : tool::test::DriverCase {
  std::string conv(bool isQuantized) { return op("ConvWithBias", isQuantized); }

  void expectSnakeCase(const std::vector<std::string> &arguments, std::string json) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
    ASSERT_TRUE(bool(value)) << llvm::join(arguments, " ") << "\n" << json;
    std::vector<std::string> wrong;
    collectWrong(*value, wrong);
    EXPECT_TRUE(wrong.empty()) << llvm::join(arguments, " ") << ": " << llvm::join(wrong, ", ");
  }
};

TEST_F(JsonKeysTest, AreSnakeCaseInEveryVerb) {
  std::string quantized = conv(true), output = folder.file("out");
  const std::vector<std::vector<std::string>> commands = {
      {"compile", quantized, "--threads=2", "-o", output},
      {"compile", quantized, "--emit=c", "-o", output},
      {"compile", quantized, "--emit=program", "--target=nvdla-small", "-o", output},
      {"run", quantized, "--input=random"},
      {"check", quantized},
      {"explain", quantized},
      {"explain", quantized, "--target=nvdla-small"},
      {"sweep", quantized, "--target=abstract", "--pes=4,8"},
      {"inspect", quantized},
      {"ops"},
      {"tune", quantized, "--list-tasks"},
  };
  for (std::vector<std::string> arguments : commands) {
    arguments.push_back("--json");
    ASSERT_EQ(convoy(arguments), kDone) << llvm::join(arguments, " ") << "\n" << err;
    expectSnakeCase(arguments, out);
  }
  // An NVDLA loadable has its own JSON.
  std::vector<std::string> inspect = {"inspect", output + "/model.nvdla", "--json"};
  ASSERT_EQ(convoy(inspect), kDone) << err;
  expectSnakeCase(inspect, out);
}

TEST_F(JsonKeysTest, AreSnakeCaseInFilesOfBench) {
  std::string file = folder.file("bench.json");
  for (const char *flag : {"--threads=1", "--layers", "--target=abstract"}) {
    std::vector<std::string> arguments = {"bench", conv(true), flag, "--json", file};
    ASSERT_EQ(convoy(arguments), kDone) << flag << "\n" << err;
    auto text = llvm::MemoryBuffer::getFile(file);
    ASSERT_TRUE(bool(text)) << flag;
    expectSnakeCase(arguments, (*text)->getBuffer().str());
  }
}

} // namespace
