// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the words of the errors in declarations of custom ops. The lit tests custom_ops*.onnxtxt
// import nodes.

#include "Import/CustomOps.h"
#include "Support/TemporaryFolder.h"
#include <gtest/gtest.h>

namespace convoy::import {
namespace {

/// A folder with the C file f.c.
class ReadCustomOps : public testing::Test {
protected:
  void SetUp() override {
    llvm::cantFail(folder.createInSystem());
    llvm::cantFail(writeFile(folder.file("f.c"), "int f;\n"));
  }

  /// Returns the error of a file without its name; empty if there is none.
  std::string errorOf(llvm::StringRef text) {
    std::string path = folder.file("ops.json");
    llvm::cantFail(writeFile(path, text));
    std::string error = llvm::toString(readCustomOps({path}).takeError());
    llvm::StringRef rest = error;
    rest.consume_front("custom ops '" + path + "': ");
    return rest.str();
  }

  /// Returns the error of a correct op after `from` is replaced by `to`.
  std::string errorAfter(llvm::StringRef from, llvm::StringRef to) {
    std::string text = R"({"ops": [{"domain": "d", "name": "N", "source": "f.c", "function": "f",
      "inputs": [{"name": "x", "types": ["float"]}],
      "attributes": [{"name": "k", "type": "int", "default": 1}],
      "outputs": [{"type": "x", "shape": ["x[0]", "k"]}], "operations": "k"}]})";
    size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from.str();
    return errorOf(text.replace(place, from.size(), to.str()));
  }

  TemporaryFolder folder;
};

TEST_F(ReadCustomOps, AcceptsACorrectDeclaration) {
  EXPECT_EQ(errorAfter("", ""), "");
  auto ops = readCustomOps({folder.file("ops.json")});
  ASSERT_TRUE(bool(ops));
  const CustomOp *op = ops->find("d", "N");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->source, folder.file("f.c"));
  EXPECT_EQ(op->attributes[0].initial->i, 1);
  EXPECT_EQ(ops->find("", "N"), nullptr);
}

TEST_F(ReadCustomOps, TheEmptyDomainOfANodeIsAiOnnx) {
  EXPECT_EQ(errorAfter("\"domain\": \"d\"", "\"domain\": \"ai.onnx\""), "");
  auto ops = readCustomOps({folder.file("ops.json")});
  ASSERT_TRUE(bool(ops));
  EXPECT_NE(ops->find("", "N"), nullptr);
  EXPECT_NE(ops->find("ai.onnx", "N"), nullptr);
  EXPECT_EQ(ops->find("d", "N"), nullptr);
}

TEST_F(ReadCustomOps, ReportsTheFile) {
  std::string missing = folder.file("none.json");
  EXPECT_EQ(llvm::toString(readCustomOps({missing}).takeError()),
            "cannot read the custom ops '" + missing + "': No such file or directory");
  EXPECT_EQ(errorOf("[]"), "expects an object with the field 'ops'");
  EXPECT_EQ(errorOf("{").substr(0, 13), "is not JSON: ");
  EXPECT_EQ(errorOf(std::string(1 << 21, ' ')), "has more than 1 MiB, the limit of a declaration");
  EXPECT_EQ(errorOf(std::string(1000000, '[')),
            "has more than 64 nested lists and objects, the limit of a declaration");
  // Brackets in texts are not nested.
  std::string text = "\"\\\"" + std::string(1000, '[') + "\"";
  EXPECT_EQ(
      errorAfter("\"type\": \"int\", \"default\": 1", "\"type\": \"string\", \"default\": " + text)
          .substr(0, 34),
      "the file.ops[0].outputs[0].shape e");
}

TEST_F(ReadCustomOps, ReportsFields) {
  EXPECT_EQ(errorAfter("\"name\": \"N\", ", ""), "the file.ops[0] lacks the required field 'name'");
  EXPECT_EQ(errorAfter("\"domain\"", "\"extra\": 1, \"domain\""),
            "the file.ops[0] has the unknown field 'extra'; the fields are attributes, domain, "
            "function, inputs, name, operations, outputs, source");
  EXPECT_EQ(errorAfter("\"function\": \"f\"", "\"function\": \"2f\""),
            "the file.ops[0].function expects the name of a C function that does not begin with "
            "'convoy', got \"2f\"");
  EXPECT_EQ(errorAfter("\"function\": \"f\"", "\"function\": \"convoy_run\""),
            "the file.ops[0].function expects the name of a C function that does not begin with "
            "'convoy', got \"convoy_run\"");
  EXPECT_EQ(errorAfter("\"domain\": \"d\", \"name\": \"N\"",
                       "\"domain\": \"ai.onnx\", \"name\": \"Relu\""),
            "the file.ops[0].name expects an op that Convoy does not support; choose another "
            "domain, got \"Relu\"");
  EXPECT_EQ(errorAfter("[{\"type\": \"x\", \"shape\": [\"x[0]\", \"k\"]}]", "[]"),
            "the file.ops[0].outputs expects 1 to 64 outputs, got []");
}

TEST_F(ReadCustomOps, ReportsTooManyEntries) {
  auto entries = [](const std::string &fields) {
    std::string text = "[";
    for (int i = 0; i < 65; ++i) {
      text += (i > 0 ? "," : "") + std::string("{\"name\": \"n") + std::to_string(i) + "\"" +
              fields + "}";
    }
    return text + "]";
  };
  auto isIn = [](llvm::StringRef part, const std::string &error) {
    return llvm::StringRef(error).contains(part);
  };
  EXPECT_PRED2(isIn, "the file.ops[0].inputs expects at most 64 inputs",
               errorAfter(R"([{"name": "x", "types": ["float"]}])",
                          R"([{"name": "x"},)" + entries("").substr(1)));
  EXPECT_PRED2(
      isIn, "the file.ops[0].attributes expects at most 64 attributes",
      errorAfter(R"([{"name": "k", "type": "int", "default": 1}])",
                 R"([{"name": "k", "type": "int"},)" + entries(R"(, "type": "int")").substr(1)));
  std::string ops;
  for (int i = 0; i < 1001; ++i) {
    ops += (i > 0 ? "," : "") + std::string(R"({"domain": "d", "name": "N)") + std::to_string(i) +
           R"(", "source": "f.c", "function": "f", "inputs": [],
           "outputs": [{"type": "float", "shape": []}]})";
  }
  EXPECT_EQ(errorOf("{\"ops\": [" + ops + "]}"), "declares more than 1000 ops");
}

TEST_F(ReadCustomOps, ReportsNamesAndTypes) {
  EXPECT_EQ(errorAfter("\"name\": \"x\"", "\"name\": \"x y\""),
            "the file.ops[0].inputs[0].name expects letters, digits and '_', got \"x y\"");
  EXPECT_EQ(errorAfter("\"name\": \"k\"", "\"name\": \"x\""),
            "the file.ops[0].attributes[0].name expects a name that no other input or attribute of "
            "the op has, got \"x\"");
  EXPECT_EQ(errorAfter("\"name\": \"x\"", "\"name\": \"float\""),
            "the file.ops[0].inputs[0].name expects a name that is not the name of a type, got "
            "\"float\"");
  EXPECT_EQ(
      errorAfter("\"type\": \"int\", \"default\": 1", "\"type\": \"float\", \"default\": 1e40"),
      "the file.ops[0].attributes[0].default expects a value of type float, got 1e+40");
  EXPECT_EQ(errorAfter("\"type\": \"int\", \"default\": 1",
                       "\"type\": \"floats\", \"default\": [1, -1e40]"),
            "the file.ops[0].attributes[0].default expects a value of type floats, got "
            "[1,-1e+40]");
  EXPECT_EQ(errorAfter("[\"float\"]", "[\"string\"]"),
            "the file.ops[0].inputs[0].types expects types such as float, double, int8, uint8, "
            "int64 and bool, got [\"string\"]");
  EXPECT_EQ(errorAfter("\"type\": \"int\"", "\"type\": \"tensor\""),
            "the file.ops[0].attributes[0].type expects one of int, float, string, ints, floats, "
            "got \"tensor\"");
  EXPECT_EQ(errorAfter("\"default\": 1", "\"default\": \"1\""),
            "the file.ops[0].attributes[0].default expects a value of type int, got \"1\"");
  EXPECT_EQ(errorAfter("\"type\": \"x\"", "\"type\": \"z\""),
            "the file.ops[0].outputs[0].type expects the name of an input or a type such as float "
            "or int64, got \"z\"");
}

TEST_F(ReadCustomOps, ReportsShapes) {
  EXPECT_EQ(errorAfter("[\"x[0]\", \"k\"]", "\"z\""),
            "the file.ops[0].outputs[0].shape expects the name of an input or a list of at most 16 "
            "dimensions, got \"z\"");
  EXPECT_EQ(errorAfter("[\"x[0]\", \"k\"]", "[-1]"),
            "the file.ops[0].outputs[0].shape expects integers and expressions as dimensions, got "
            "[-1]");
  EXPECT_EQ(errorAfter("\"k\"]", "\"x\"]"),
            "the file.ops[0].outputs[0].shape expects expressions, but the expression 'x' reads "
            "'x', which is no attribute of type int; a dimension is INPUT[INDEX], got "
            "[\"x[0]\",\"x\"]");
  EXPECT_EQ(errorAfter("\"k\"]", "\"k[0]\"]"),
            "the file.ops[0].outputs[0].shape expects expressions, but the expression 'k[0]' reads "
            "'k' with an index, which is neither an input nor an attribute of type ints, got "
            "[\"x[0]\",\"k[0]\"]");
  EXPECT_EQ(errorAfter("\"operations\": \"k\"", "\"operations\": \"k +\""),
            "the file.ops[0].operations expects expressions, but the expression 'k +' ends where a "
            "number, a name or '(' is expected, got \"k +\"");
}

TEST_F(ReadCustomOps, ReportsSources) {
  EXPECT_EQ(errorAfter("f.c", "g.c"), "the source '" + folder.file("g.c") +
                                          "' of d.N is not a file; its path is relative to the "
                                          ".json file");
  EXPECT_EQ(errorAfter("", ""), "");
  std::string path = folder.file("ops.json");
  EXPECT_EQ(llvm::toString(readCustomOps({path, path}).takeError()),
            "custom ops '" + path + "': d.N is declared twice; an op needs one declaration");
}

/// Returns the text of a file that declares the ops d.A and d.B.
std::string twoOps(const std::string &sourceB, const std::string &functionB) {
  auto op = [](const std::string &name, const std::string &source, const std::string &function) {
    return R"({"domain": "d", "name": ")" + name + R"(", "source": ")" + source +
           R"(", "function": ")" + function +
           R"(", "inputs": [], "outputs": [{"type": "float", "shape": []}]})";
  };
  return "{\"ops\": [" + op("A", "f.c", "f") + "," + op("B", sourceB, functionB) + "]}";
}

TEST_F(ReadCustomOps, ComparesSources) {
  EXPECT_EQ(errorOf(twoOps("./f.c", "g")), "") << "the same file";
  auto ops = readCustomOps({folder.file("ops.json")});
  ASSERT_TRUE(bool(ops));
  EXPECT_EQ(ops->ops[0].source, ops->ops[1].source);
  llvm::cantFail(createFolder(folder.file("other")));
  llvm::cantFail(writeFile(folder.file("other/f.c"), "int f;\n"));
  llvm::cantFail(writeFile(folder.file("g.c"), "int f;\n"));
  EXPECT_EQ(errorOf(twoOps("other/f.c", "g")),
            "the sources '" + folder.file("f.c") + "' and '" + folder.file("other/f.c") +
                "' have one file name; emitted C needs different names");
  EXPECT_EQ(errorOf(twoOps("g.c", "f")),
            "two sources define the function 'f'; C needs different names");
}

} // namespace
} // namespace convoy::import
