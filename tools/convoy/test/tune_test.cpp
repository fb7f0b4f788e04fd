// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests `convoy tune --list-tasks`, the records of `convoy compile`, and the errors for an invalid
// --space file and for targets that are emulated.

#include "tools/convoy/test/DriverCase.h"
#include "tuning/records/RecordStore.h"
#include "llvm/Support/JSON.h"

namespace convoy::tool {
namespace {

using convoy::test::unaryModel;

class Tune : public test::DriverCase {
protected:
  std::string relu() { return model(unaryModel("Relu", {"1", "32", "8", "8"})); }
};

TEST_F(Tune, ListsTasks) {
  ASSERT_EQ(convoy({"tune", relu(), "--list-tasks", "--target=x86-64-v4"}), kDone) << err;
  EXPECT_EQ(out, " weight  count  points  tried  task\n"
                 "100.0 %      1       4      4  1x32x8x8, relu -> 1x32x8x8\n"
                 "                               generic loops, #graph.blocked<c = 16> -> "
                 "#graph.blocked<c = 16>\n"
                 "1 tasks, 4 configurations; 0 kernels have none\n");
}

TEST_F(Tune, ListsTasksAsJson) {
  ASSERT_EQ(convoy({"tune", relu(), "--list-tasks", "--json", "--target=x86-64-v4"}), kDone) << err;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
  ASSERT_TRUE(static_cast<bool>(value)) << llvm::toString(value.takeError());
  const llvm::json::Object &task = *value->getAsObject()->getArray("tasks")->front().getAsObject();
  EXPECT_EQ(task.getInteger("count"), 1);
  EXPECT_EQ(task.getInteger("entries"), 4);
  EXPECT_EQ(task.getString("key")->size(), 64u);
  EXPECT_EQ(task.getObject("default")->getString("template"), "loops");
}

TEST_F(Tune, CountsKernelsWithoutATask) {
  std::string path = model(unaryModel("Neg", {"1", "32", "8", "8"}, onnx::TensorProto::INT64));
  ASSERT_EQ(convoy({"tune", path, "--list-tasks"}), kDone) << err;
  EXPECT_NE(out.find("0 tasks, 0 configurations; 1 kernels have none"), std::string::npos) << out;
}

TEST_F(Tune, ConvolutionsHaveManyWays) {
  // x: 1 x 16 x 8 x 8, w: 32 x 16 x 3 x 3, all zeros.
  onnx::ModelProto proto = unaryModel("Conv", {"1", "16", "8", "8"});
  onnx::GraphProto &graph = *proto.mutable_graph();
  onnx::TensorProto *weight = graph.add_initializer();
  weight->set_name("w");
  weight->set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t size : {32, 16, 3, 3}) {
    weight->add_dims(size);
  }
  weight->set_raw_data(std::string(32 * 16 * 9 * 4, '\0'));
  graph.mutable_node(0)->add_input("w");
  graph.mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  ASSERT_EQ(convoy({"tune", model(proto), "--list-tasks", "--target=x86-64-v4"}), kDone) << err;
  EXPECT_NE(out.find("1x16x8x8, conv 32x16x3x3 -> 1x32x6x6"), std::string::npos) << out;
}

TEST_F(Tune, ReadsSpaceFiles) {
  std::string file = folder.write("space.json", R"({"loops": false})");
  ASSERT_EQ(convoy({"tune", relu(), "--list-tasks", "--space", file, "--target=x86-64-v4"}), kDone)
      << err;
  EXPECT_NE(out.find("1 tasks, 0 configurations"), std::string::npos) << out;
  file = folder.write("space.json", R"({"loop": false})");
  EXPECT_EQ(convoy({"tune", relu(), "--list-tasks", "--space", file}), kUserError);
  EXPECT_NE(err.find("unknown template 'loop'; expected one of loops, conv_bytes"),
            std::string::npos)
      << err;
  EXPECT_EQ(convoy({"tune", relu(), "--list-tasks", "--space", "none.json"}), kUserError);
  EXPECT_NE(err.find("none.json"), std::string::npos) << err;
}

TEST_F(Tune, CountsHaveNoLatencyAndOneThread) {
  std::string records = folder.file("counts.db");
  EXPECT_EQ(
      convoy({"tune", relu(), "--target=cortex-m55", "--records", records, "--target-latency=2ms"}),
      kUserError);
  EXPECT_EQ(err, "error: --target cortex-m55 cannot be measured here: --target-latency expects a "
                 "time, and the emulator of this target counts instructions; use --trials or "
                 "--time\n");
  EXPECT_EQ(convoy({"tune", relu(), "--target=rv64gcv-1024", "--records", records, "--threads=2"}),
            kUserError);
  EXPECT_EQ(err, "error: --target rv64gcv-1024 cannot be measured here: the emulator of this "
                 "target counts the instructions of one thread; use --threads=1\n");
  EXPECT_EQ(convoy({"tune", relu(), "--target=cortex-m85", "--records", records}), kUserError);
  EXPECT_EQ(err, "error: --target cortex-m85 cannot be measured here: cannot count instructions "
                 "for target 'cortex-m85': its description names no emulator\n");
}

TEST_F(Tune, CompileSaysWhyRecordsDoNotApply) {
  std::string records = folder.file("empty.db");
  llvm::cantFail(
      tuning::RecordStore::open(records, tuning::RecordStore::Access::Write).takeError());
  EXPECT_EQ(convoy({"compile", relu(), "--records", records, "--target=x86-64-v4", "-o",
                    folder.file("out")}),
            kDone)
      << err;
  EXPECT_NE(out.find("\nrecords    0 of 1 kernels have measurements; the records have no "
                     "measurement for target x86-64-v4 with 1 thread; records "),
            std::string::npos)
      << out;
}

TEST_F(Tune, NeedsAFileForRecords) {
  EXPECT_EQ(convoy({"tune", relu()}), kUserError);
  EXPECT_EQ(err, "error: `convoy tune` expects a file for its measurements; add --records FILE, "
                 "--service URL to measure elsewhere, or --list-tasks to list the tasks\n");
}

} // namespace
} // namespace convoy::tool
