// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy --version`, for people and programs.

#include "convoy/version.h"
#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/JSON.h"

using namespace convoy;
using namespace convoy::tool;

namespace {

struct VersionTest : tool::test::DriverCase {};

TEST_F(VersionTest, IsOneLine) {
  EXPECT_EQ(convoy({"--version"}), kDone);
  EXPECT_EQ(out.rfind(std::string("convoy ") + versionText() + " (LLVM ", 0), 0U) << out;
  EXPECT_EQ(out.find('\n'), out.size() - 1) << out;
  EXPECT_EQ(err, "");
}

TEST_F(VersionTest, IsTheVersionOfTheProject) { EXPECT_STREQ(versionText(), PROJECT_VERSION); }

TEST_F(VersionTest, HasSnakeCaseKeysInJson) {
  EXPECT_EQ(convoy({"--version", "--json"}), kDone);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  const llvm::json::Object &object = *value->getAsObject();
  EXPECT_EQ(object.getString("name"), "convoy");
  EXPECT_EQ(object.getString("version"), versionText());
  EXPECT_TRUE(object.getString("llvm_version").has_value());
  EXPECT_GE(object.getInteger("onnx_opset").value_or(0), 26);
  EXPECT_GE(object.getInteger("runtime_interface_version").value_or(0), 1);
}

} // namespace
