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

TEST_F(ReadCustomOps, ReportsTheFile) {
  std::string missing = folder.file("none.json");
  EXPECT_EQ(llvm::toString(readCustomOps({missing}).takeError()),
            "cannot read the custom ops '" + missing + "': No such file or directory");
  EXPECT_EQ(errorOf("[]"), "expects an object with the field 'ops'");
  EXPECT_EQ(errorOf("{").substr(0, 13), "is not JSON: ");
  EXPECT_EQ(errorOf(std::string(1 << 21, ' ')), "has more than 1 MiB, the limit of a declaration");
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

TEST_F(ReadCustomOps, ReportsNamesAndTypes) {
  EXPECT_EQ(errorAfter("\"name\": \"x\"", "\"name\": \"x y\""),
            "the file.ops[0].inputs[0].name expects letters, digits and '_', got \"x y\"");
  EXPECT_EQ(errorAfter("\"name\": \"k\"", "\"name\": \"x\""),
            "the file.ops[0].attributes[0].name expects a name that no other input or attribute of "
            "the op has, got \"x\"");
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

} // namespace
} // namespace convoy::import
