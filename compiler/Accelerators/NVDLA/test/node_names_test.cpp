// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The listing of NVDLA's layers spells the nodes of a layer as every other output does.

#include "Driver/Operators.h"
#include "convoy/compiler.h"
#include "io/test/TestModel.h"
#include <gtest/gtest.h>

using namespace convoy;

namespace {

TEST(NvdlaNodeNames, HaveNameAndTypeOfEachNode) {
  test::TemporaryFolder folder;
  CompileRequest request;
  request.output.emit = Emit::Program;
  request.output.folder = folder.file("out");
  request.target.name = "nvdla-small";
  Result<Artifact> artifact =
      compileModel(driver::operatorModel("ConvWithBias", /*isQuantized=*/true), request);
  ASSERT_TRUE(artifact) << artifact.problems().firstError();
  ASSERT_FALSE(artifact->report.deviceLayers.empty());
  std::string name = artifact->report.deviceLayers.front().name;
  EXPECT_EQ(name.find("'ConvWithBias' (Conv) + '"), 0U) << name;
}

} // namespace
