// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests `convoy explain` with a CPU as target: the table, the reasons, the JSON and the errors.
// compiler/Layout/test/refusals_test.cpp checks the words of each reason.

#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/JSON.h"
#include <gmock/gmock.h>

using namespace convoy;
using namespace convoy::tool;
using ::testing::HasSubstr;

namespace {

struct ExplainTest : tool::test::DriverCase {
  /// Returns a product of two f64 inputs, which no template supports.
  std::string product() {
    onnx::ModelProto proto =
        convoy::test::unaryModel("MatMul", {"8", "8"}, onnx::TensorProto::DOUBLE);
    onnx::GraphProto &graph = *proto.mutable_graph();
    graph.mutable_node(0)->add_input("x2");
    convoy::test::setType(*graph.add_input(), "x2", onnx::TensorProto::DOUBLE, {"8", "8"});
    return model(proto, "product.onnx");
  }

  /// Returns two products with a softmax between them. The model may also return the weights.
  std::string attention(bool returnsWeights) {
    onnx::ModelProto proto = convoy::test::unaryModel("MatMul", {"1", "3", "20", "8"});
    onnx::GraphProto &graph = *proto.mutable_graph();
    auto addInput = [&](const char *name, const std::vector<std::string> &shape) {
      convoy::test::setType(*graph.add_input(), name, onnx::TensorProto::FLOAT, shape);
    };
    addInput("k", {"1", "3", "8", "24"});
    addInput("v", {"1", "3", "24", "16"});
    std::string result = graph.node(0).output(0);
    graph.mutable_node(0)->add_input("k");
    graph.mutable_node(0)->set_output(0, "scores");
    onnx::NodeProto &softmax = *graph.add_node();
    softmax.set_op_type("Softmax");
    softmax.add_input("scores");
    softmax.add_output("weights");
    onnx::AttributeProto &axis = *softmax.add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    axis.set_i(3);
    onnx::NodeProto &product = *graph.add_node();
    product.set_op_type("MatMul");
    product.add_input("weights");
    product.add_input("v");
    product.add_output(result);
    convoy::test::setType(*graph.mutable_output(0), result, onnx::TensorProto::FLOAT,
                          {"1", "3", "20", "16"});
    if (returnsWeights) {
      convoy::test::setType(*graph.add_output(), "weights", onnx::TensorProto::FLOAT,
                            {"1", "3", "20", "24"});
    }
    return model(proto, "attention.onnx");
  }

  llvm::json::Object json() {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
    EXPECT_TRUE(bool(value)) << out;
    return value ? *value->getAsObject() : llvm::json::Object();
  }
};

TEST_F(ExplainTest, PrintsWhyAKernelIsGenericLoops) {
  ASSERT_EQ(convoy({"explain", product(), "--target=x86-64-v3"}), kDone) << err;
  EXPECT_EQ(err, "");
  EXPECT_EQ(out.rfind("product on x86-64-v3, predicted times on one core\n#", 0), 0U) << out;
  EXPECT_THAT(out, HasSubstr("  100.0 %  loops [1]  'the_node' (MatMul)\n"));
  EXPECT_THAT(out, HasSubstr("  100.0 %             all kernels\n\n[1] 1 kernel, 100.0 %\n"));
  // The nearest template, one remedy, and no other template.
  EXPECT_THAT(out, HasSubstr("\n\n[1] 1 kernel, 100.0 %\n    nearest template product: the product "
                             "does not multiply f32, f16 or bf16\n    remedy: convert the model to "
                             "f32, f16 or bf16\n\n"));
  EXPECT_TRUE(llvm::StringRef(out).ends_with(
      "1 of 1 kernels and reorders are generic loops, 100.0 % of the predicted time\n"))
      << out;
}

TEST_F(ExplainTest, VerbosePrintsTheReasonsOfAllTemplates) {
  ASSERT_EQ(convoy({"explain", product(), "--target=x86-64-v3", "--verbose"}), kDone) << err;
  EXPECT_THAT(out,
              HasSubstr("[1] 1 kernel, 100.0 %\n    product: the product does not multiply f32, "
                        "f16 or bf16\n"));
  EXPECT_THAT(out, HasSubstr("\n    pool_pixels: the kernel is not a single max pool of f32 "
                             "images\n"));
  EXPECT_THAT(out, HasSubstr(": the second operand of the product is computed at run time\n"));
  EXPECT_THAT(out, HasSubstr("\n    remedy: convert the model to f32, f16 or bf16\n"));
  ASSERT_EQ(convoy({"explain", product(), "--target=x86-64-v3", "--json"}), kDone) << err;
  llvm::json::Object object = json();
  const llvm::json::Object &kernel = *(*object.getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(kernel.getString("remedy"), llvm::StringRef("convert the model to f32, f16 or bf16"));
  EXPECT_EQ((*kernel.getArray("refusals"))[0].getAsObject()->getString("template"),
            llvm::StringRef("product"));
}

TEST_F(ExplainTest, SaysThatNoTemplateComputesAnOp) {
  std::string path = model(convoy::test::unaryModel("Abs", {"8", "8"}, onnx::TensorProto::INT32));
  ASSERT_EQ(convoy({"explain", path, "--target=x86-64-v3"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("[1] 1 kernel, 100.0 %\n    remedy: none; no template computes these "
                             "ops, so the generic loops are the only implementation\n\n"));
}

TEST_F(ExplainTest, PrintsTheAttentionOfAKernel) {
  ASSERT_EQ(convoy({"explain", attention(/*returnsWeights=*/false), "--target=x86-64-v3"}), kDone)
      << err;
  EXPECT_THAT(out, HasSubstr("\n\nattention: 3 heads, 20 queries, 24 keys, head size 8, value size "
                             "16\n    #1\n\n"));
  EXPECT_TRUE(llvm::StringRef(out).ends_with(
      "0 of 1 kernels and reorders are generic loops, 0.0 % of the predicted time\n"))
      << out;
}

TEST_F(ExplainTest, PrintsWhyProductsAreNotAnAttention) {
  std::string path = attention(/*returnsWeights=*/true);
  ASSERT_EQ(convoy({"explain", path, "--target=x86-64-v3"}), kDone) << err;
  EXPECT_THAT(out,
              HasSubstr("\na softmax between two products is not one kernel: an op outside the "
                        "attention reads the result of graph.binary\n    #"));
  ASSERT_EQ(convoy({"explain", path, "--target=x86-64-v3", "--json"}), kDone) << err;
  int64_t remarks = 0;
  llvm::json::Object object = json();
  for (const llvm::json::Value &kernel : *object.getArray("kernels")) {
    remarks += kernel.getAsObject()->getString("remark")->empty() ? 0 : 1;
  }
  EXPECT_EQ(remarks, 1) << out;
}

TEST_F(ExplainTest, PrintsTheTemplateOfEachKernel) {
  std::string path = op("ConvWithBias", /*isQuantized=*/false);
  ASSERT_EQ(convoy({"explain", path, "--target=x86-64-v3", "--json"}), kDone) << err;
  llvm::json::Object object = json();
  EXPECT_EQ(*object.getString("target"), "x86-64-v3");
  double shares = 0;
  bool hasTemplate = false;
  for (const llvm::json::Value &value : *object.getArray("kernels")) {
    const llvm::json::Object &kernel = *value.getAsObject();
    shares += *kernel.getNumber("share");
    EXPECT_GT(*kernel.getNumber("predicted_ns"), 0);
    if (kernel.getString("nodes")->contains("(Conv)") && !kernel.getString("config")->empty()) {
      hasTemplate = true;
      EXPECT_EQ(kernel.getString("config")->str().rfind(
                    "#kernel." + kernel.getString("template")->str() + "<", 0),
                0U);
      EXPECT_FALSE(kernel.getArray("operand_layouts")->empty());
      EXPECT_EQ(kernel.getArray("result_layouts")->size(), 1U);
      EXPECT_TRUE(kernel.getArray("refusals")->empty());
    }
  }
  EXPECT_TRUE(hasTemplate) << out;
  EXPECT_NEAR(shares, 1, 1e-9);
  ASSERT_EQ(convoy({"explain", path, "--target=x86-64-v3", "--verbose"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("\n    config    #kernel."));
  EXPECT_THAT(out, HasSubstr("\n    operands  "));
}

TEST_F(ExplainTest, PredictsTheTimeThatCompilePrints) {
  std::string path = op("ConvWithBias", /*isQuantized=*/false);
  ASSERT_EQ(convoy({"explain", path, "--target=x86-64-v3", "--json"}), kDone) << err;
  llvm::json::Value explained(std::move(*json().getObject("generic_loops")));
  ASSERT_EQ(convoy({"compile", path, "--target=x86-64-v3", "-o", folder.file("out"), "--json"}),
            kDone)
      << err;
  EXPECT_EQ(llvm::json::Value(std::move(*json().getObject("generic_loops"))), explained) << out;
}

TEST_F(ExplainTest, CompileCountsGenericLoops) {
  ASSERT_EQ(convoy({"compile", product(), "-o", folder.file("out")}), kDone) << err;
  EXPECT_THAT(
      out, HasSubstr("\nloops      1 of 1 kernels and reorders are generic loops, 100.0 % of the "
                     "predicted time; `convoy explain` prints the reasons\n"));
}

TEST_F(ExplainTest, AcceptsEveryCpu) {
  for (const char *target : {"aarch64", "rv64gcv-1024", "ve", "c", "c-plain"}) {
    ASSERT_EQ(convoy({"explain", product(), std::string("--target=") + target}), kDone) << err;
    EXPECT_EQ(out.rfind(std::string("product on ") + target + ",", 0), 0U) << out;
  }
}

TEST_F(ExplainTest, SaysWhatIsWrong) {
  EXPECT_EQ(convoy({"explain", product(), "--target=reference"}), kUserError);
  EXPECT_EQ(err, "error: --target: `convoy explain` expects a CPU or a device, got 'reference', "
                 "which compiles no kernels\n");
  EXPECT_EQ(convoy({"explain", product(), "--require-device"}), kUserError);
  EXPECT_EQ(err, "error: --require-device expects a device as --target, got 'host'; `convoy "
                 "targets` lists the devices\n");
  EXPECT_EQ(convoy({"explain", product(), "--target=abstract", "--verbose"}), kUserError);
  EXPECT_EQ(err, "error: --verbose has no effect on `convoy explain` with a device as --target\n");
}

} // namespace
