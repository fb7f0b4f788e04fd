// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy ops NAME`: supported ops, ops with a remedy, unknown names; and the table of remedies.

#include "Import/OpTable.h"
#include "Import/UnsupportedOps.h"
#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/JSON.h"

using namespace convoy;
using namespace convoy::tool;

namespace {

struct OpsTest : tool::test::DriverCase {
  /// Returns whether the output has a line with these cells.
  bool hasRow(std::vector<std::string> cells) {
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(out).split(lines, '\n');
    return llvm::any_of(lines, [&](llvm::StringRef line) {
      for (const std::string &cell : cells) {
        if (!line.consume_front(cell)) {
          return false;
        }
        line = line.ltrim();
      }
      return line.empty();
    });
  }
};

TEST_F(OpsTest, DescribesAnOpOnEveryKindOfTarget) {
  ASSERT_EQ(convoy({"ops", "Conv"}), kDone) << err;
  std::string types = "bool, integers and floats; no strings, complex numbers, sequences and "
                      "optionals";
  EXPECT_TRUE(hasRow({"op", "ai.onnx.Conv"})) << out;
  EXPECT_TRUE(hasRow({"supported", "yes"})) << out;
  EXPECT_TRUE(hasRow({"opsets", "1, 11, 22"})) << out;
  EXPECT_TRUE(hasRow({"limits", "auto_pad and output_shape require static spatial sizes"})) << out;
  EXPECT_TRUE(hasRow({"reference", "yes", "all element types that ONNX allows"})) << out;
  EXPECT_TRUE(hasRow({"host", "yes", types})) << out;
  EXPECT_TRUE(hasRow({"C", "yes", "as host"})) << out;
  EXPECT_TRUE(hasRow({"microcontrollers", "yes", "as host"})) << out;
  EXPECT_TRUE(hasRow({"bm1880", "yes", "int8; limits: `convoy targets --markdown`"})) << out;
}

TEST_F(OpsTest, SaysWhyADeviceLeavesAnOpToTheCpu) {
  ASSERT_EQ(convoy({"ops", "LRN"}), kDone) << err;
  EXPECT_TRUE(hasRow(
      {"abstract", "no", "the CPU beside the device runs it: the device does not support lrn"}))
      << out;
  ASSERT_EQ(convoy({"ops", "Einsum"}), kDone) << err;
  EXPECT_TRUE(
      hasRow({"abstract", "depends", "`convoy explain MODEL --target=abstract` places the op"}))
      << out;
}

TEST_F(OpsTest, SaysThatOnlyTheReferenceRunsAnOp) {
  ASSERT_EQ(convoy({"ops", "StringConcat"}), kDone) << err;
  for (const char *target : {"host", "C", "microcontrollers"}) {
    EXPECT_TRUE(
        hasRow({target, "no", "only the reference interpreter runs it: use --target=reference"}))
        << target << out;
  }
  ASSERT_EQ(convoy({"ops", "Compress"}), kDone) << err;
  EXPECT_TRUE(hasRow({"C", "partly", "as host"})) << out;
}

TEST_F(OpsTest, DescribesANameInAllDomains) {
  ASSERT_EQ(convoy({"ops", "gelu"}), kDone) << err;
  EXPECT_TRUE(hasRow({"op", "ai.onnx.Gelu"})) << out;
  EXPECT_TRUE(hasRow({"op", "com.microsoft.Gelu"})) << out;
  ASSERT_EQ(convoy({"ops", "com.microsoft.Gelu"}), kDone) << err;
  EXPECT_FALSE(hasRow({"op", "ai.onnx.Gelu"})) << out;
  EXPECT_TRUE(hasRow({"op", "com.microsoft.Gelu"})) << out;
}

TEST_F(OpsTest, GivesTheRemedyForAnUnsupportedOp) {
  ASSERT_EQ(convoy({"ops", "GroupNorm"}), kDone) << err;
  EXPECT_EQ(out, "op          com.microsoft.GroupNorm\n"
                 "supported   no\n"
                 "nearest op  ai.onnx.GroupNormalization\n"
                 "remedy      run the transformer optimizer of ONNX Runtime with "
                 "--disable_group_norm\n");
}

TEST_F(OpsTest, PrintsJson) {
  ASSERT_EQ(convoy({"ops", "RotaryEmbedding", "--json"}), kDone) << err;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
  ASSERT_TRUE(bool(value)) << out;
  const llvm::json::Array &list = *value->getAsArray();
  ASSERT_EQ(list.size(), 2U) << out;
  const llvm::json::Object &contrib = *list[1].getAsObject();
  EXPECT_EQ(*contrib.getString("domain"), "com.microsoft");
  EXPECT_EQ(*contrib.getBoolean("supported"), true);
  EXPECT_EQ(*contrib.getString("limits"),
            "requires a static head size; no 'is_packed_batching' and no 'scale'");
  const llvm::json::Object &host = *(*contrib.getArray("targets"))[1].getAsObject();
  EXPECT_EQ(*host.getString("target"), "host");
  EXPECT_EQ(*host.getString("runs"), "yes");

  ASSERT_EQ(convoy({"ops", "com.microsoft.GreedySearch", "--json"}), kDone) << err;
  llvm::Expected<llvm::json::Value> unsupported = llvm::json::parse(out);
  ASSERT_TRUE(bool(unsupported)) << out;
  const llvm::json::Object &search = *(*unsupported->getAsArray())[0].getAsObject();
  EXPECT_EQ(*search.getBoolean("supported"), false);
  EXPECT_EQ(*search.getString("nearest"), "");
  EXPECT_EQ(*search.getString("remedy"), "export the network alone, and write the search in the "
                                         "program that calls it");
}

TEST_F(OpsTest, SuggestsOpsForAnUnknownName) {
  EXPECT_EQ(convoy({"ops", "Convv"}), kUserError);
  EXPECT_EQ(err, "error: unknown op 'Convv'; did you mean ai.onnx.Conv?\n");
  EXPECT_EQ(convoy({"ops", "Rotary"}), kUserError);
  EXPECT_EQ(err, "error: unknown op 'Rotary'; did you mean ai.onnx.RotaryEmbedding, "
                 "com.microsoft.RotaryEmbedding?\n");
  EXPECT_EQ(convoy({"ops", "Frobnicate"}), kUserError);
  EXPECT_EQ(err, "error: unknown op 'Frobnicate'; `convoy ops` lists the supported ops\n");
}

/// Returns whether "ai.onnx.Conv" is the full name of a supported op.
bool isSupported(llvm::StringRef name) {
  auto [domain, op] = name.rsplit('.');
  return import::findOp(domain == "ai.onnx" ? "" : domain, op);
}

TEST(UnsupportedOps, RowsAreSortedAndNameSupportedOps) {
  const import::UnsupportedOp *before = nullptr;
  for (const import::UnsupportedOp &row : import::unsupportedOps()) {
    std::string name = import::qualifiedName(row.domain, row.name);
    EXPECT_FALSE(isSupported(name)) << name << " has an import row; remove its remedy";
    EXPECT_TRUE(row.nearest.empty() || isSupported(row.nearest))
        << name << ": " << row.nearest.str();
    EXPECT_FALSE(row.remedy.contains("; "))
        << "the remedy is the last clause of an error: " << name;
    EXPECT_TRUE(!before ||
                std::pair(before->domain, before->name) < std::pair(row.domain, row.name))
        << name;
    before = &row;
  }
}

} // namespace
