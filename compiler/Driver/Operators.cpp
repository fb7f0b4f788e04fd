// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the models of single operators and reads their placement.

#include "Driver/Operators.h"
#include "Driver/AddProblem.h"
#include "Driver/Backends/Device/PreparedModel.h"
#include "Graph/Graph.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "Place/DevicePlan.h"
#include "Support/TypedError.h"

using namespace mlir;

namespace convoy::driver {
namespace {

constexpr llvm::StringLiteral kNames[] = {
    "ConvWithBias",   "Relu",    "LRN",         "Dropout",  "Transpose", "BatchFlatten",
    "FullyConnected", "BiasAdd", "Softmax",     "Multiply", "BatchNorm", "GlobalAvgPool",
    "AvgPool",        "MaxPool", "Concatenate", "Reshape",  "Add",       "Copy"};

// Small sizes, but every dimension is larger than 1.
constexpr int64_t kChannels = 8;
constexpr int64_t kSide = 6;
// The scales differ, so that each model contains a requantization.
constexpr float kInputScale = 0.05F;
constexpr float kOutputScale = 0.125F;
constexpr float kWeightScale = 0.01F;

class ModelMaker {
public:
  explicit ModelMaker(bool isQuantized) : isQuantized(isQuantized) {
    proto->set_ir_version(8);
    proto->add_opset_import()->set_version(13);
    graph().set_name("operator");
  }

  import::Model make(llvm::StringRef name) {
    onnx::NodeProto &node = addOperator(name);
    node.set_name(name.str());
    node.add_output("result");
    std::string output = "result";
    if (isQuantized) {
      addQuantization("QuantizeLinear", "result", "result_q",
                      keepsScale(name) ? kInputScale : kOutputScale);
      output = "result_q";
    }
    addValue(*graph().add_output(), output, {});
    return {proto, "", name.str()};
  }

private:
  onnx::GraphProto &graph() { return *proto->mutable_graph(); }

  /// Returns whether an operator only moves or selects elements, so that its output has the
  /// scale of its input.
  static bool keepsScale(llvm::StringRef name) {
    return llvm::is_contained(
        {"Dropout", "Transpose", "BatchFlatten", "MaxPool", "Reshape", "Copy", "Concatenate"},
        name);
  }

  void addValue(onnx::ValueInfoProto &value, const std::string &name, ArrayRef<int64_t> shape) {
    value.set_name(name);
    auto &tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(isQuantized ? onnx::TensorProto::INT8 : onnx::TensorProto::FLOAT);
    for (int64_t size : shape) {
      tensor.mutable_shape()->add_dim()->set_dim_value(size);
    }
  }

  onnx::TensorProto &addInitializer(const std::string &name, ArrayRef<int64_t> shape,
                                    int32_t type) {
    onnx::TensorProto &tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (int64_t size : shape) {
      tensor.add_dims(size);
    }
    return tensor;
  }

  void addQuantization(const std::string &op, const std::string &from, const std::string &to,
                       float scale) {
    addInitializer(to + "_scale", {}, onnx::TensorProto::FLOAT).add_float_data(scale);
    addInitializer(to + "_zero", {}, onnx::TensorProto::INT8).add_int32_data(0);
    addNode(op, {from, to + "_scale", to + "_zero"}).add_output(to);
  }

  onnx::NodeProto &addNode(const std::string &op, const std::vector<std::string> &inputs) {
    onnx::NodeProto &node = *graph().add_node();
    node.set_op_type(op);
    for (const std::string &input : inputs) {
      node.add_input(input);
    }
    return node;
  }

  static void addInts(onnx::NodeProto &node, const std::string &name, ArrayRef<int64_t> values) {
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (int64_t value : values) {
      attribute.add_ints(value);
    }
  }

  static void addInt(onnx::NodeProto &node, const std::string &name, int64_t value) {
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }

  /// Adds an input of the model and returns it as floats.
  std::string input(const std::string &name, ArrayRef<int64_t> shape) {
    addValue(*graph().add_input(), name, shape);
    if (!isQuantized) {
      return name;
    }
    addQuantization("DequantizeLinear", name, name + "_real", kInputScale);
    return name + "_real";
  }

  std::string image(const std::string &name = "x") {
    return input(name, {1, kChannels, kSide, kSide});
  }

  /// Adds a convolution of an input. A region that only moves elements stays on the CPU, so
  /// such an operator is tested behind a convolution.
  std::string computed() {
    std::string x = image();
    addNode("Conv", {x, weights("w0", {kChannels, kChannels, 1, 1})}).add_output("computed");
    if (!isQuantized) {
      return "computed";
    }
    addQuantization("QuantizeLinear", "computed", "computed_q", kInputScale);
    addQuantization("DequantizeLinear", "computed_q", "computed_real", kInputScale);
    return "computed_real";
  }

  /// Adds a constant of small, different floats.
  std::string weights(const std::string &name, ArrayRef<int64_t> shape) {
    int64_t count = *elementCount(shape);
    if (isQuantized) {
      onnx::TensorProto &bytes = addInitializer(name, shape, onnx::TensorProto::INT8);
      for (int64_t i = 0; i < count; ++i) {
        bytes.add_int32_data(static_cast<int32_t>(i * 7 % 31 - 15));
      }
      addQuantization("DequantizeLinear", name, name + "_real", kWeightScale);
      return name + "_real";
    }
    reals(name, shape);
    return name;
  }

  /// Adds a float constant that quantization does not change.
  std::string reals(const std::string &name, ArrayRef<int64_t> shape, float least = -0.15F) {
    onnx::TensorProto &floats = addInitializer(name, shape, onnx::TensorProto::FLOAT);
    for (int64_t i = 0; i < *elementCount(shape); ++i) {
      floats.add_float_data(least + 0.01F * static_cast<float>(i * 7 % 31));
    }
    return name;
  }

  onnx::NodeProto &addPool(const std::string &op) {
    onnx::NodeProto &node = addNode(op, {image()});
    addInts(node, "kernel_shape", {2, 2});
    addInts(node, "strides", {2, 2});
    return node;
  }

  /// Adds the node of the operator. The caller adds the node's output.
  onnx::NodeProto &addOperator(llvm::StringRef name) {
    if (name == "AvgPool" || name == "MaxPool") {
      return addPool(name == "MaxPool" ? "MaxPool" : "AveragePool");
    }
    if (name == "FullyConnected") {
      std::string x = input("x", {1, kChannels});
      return addNode("Gemm", {x, weights("w", {kChannels, 4}), reals("b", {4})});
    }
    if (name == "Softmax") {
      onnx::NodeProto &node = addNode("Softmax", {input("x", {1, kChannels})});
      addInt(node, "axis", 1);
      return node;
    }
    std::string x = keepsScale(name) ? computed() : image();
    if (name == "ConvWithBias") {
      onnx::NodeProto &node =
          addNode("Conv", {x, weights("w", {kChannels, kChannels, 3, 3}), reals("b", {kChannels})});
      addInts(node, "pads", {1, 1, 1, 1});
      return node;
    }
    return addElementwise(name, x);
  }

  onnx::NodeProto &addElementwise(llvm::StringRef name, const std::string &x) {
    if (name == "Add" || name == "Multiply") {
      return addNode(name == "Add" ? "Add" : "Mul", {x, image("x2")});
    }
    if (name == "BiasAdd") {
      return addNode("Add", {x, weights("b", {1, kChannels, 1, 1})});
    }
    if (name == "BatchNorm") {
      return addNode("BatchNormalization",
                     {x, reals("scale", {kChannels}), reals("bias", {kChannels}),
                      reals("mean", {kChannels}), reals("variance", {kChannels}, 0.5F)});
    }
    if (name == "Concatenate") {
      onnx::NodeProto &node = addNode("Concat", {x, image("x2")});
      addInt(node, "axis", 1);
      return node;
    }
    if (name == "Reshape") {
      addInitializer("shape", {2}, onnx::TensorProto::INT64).add_int64_data(1);
      graph().mutable_initializer(graph().initializer_size() - 1)->add_int64_data(-1);
      return addNode("Reshape", {x, "shape"});
    }
    if (name == "LRN") {
      onnx::NodeProto &node = addNode("LRN", {x});
      addInt(node, "size", 3);
      return node;
    }
    if (name == "Transpose") {
      onnx::NodeProto &node = addNode("Transpose", {x});
      addInts(node, "perm", {0, 2, 3, 1});
      return node;
    }
    return addNode(name == "BatchFlatten"    ? "Flatten"
                   : name == "GlobalAvgPool" ? "GlobalAveragePool"
                   : name == "Copy"          ? "Identity"
                                             : name.str(),
                   {x});
  }

  bool isQuantized;
  std::shared_ptr<onnx::ModelProto> proto = std::make_shared<onnx::ModelProto>();
};

/// Returns whether an op converts between integers and floats around an operator without
/// an integer form.
bool isConversion(Operation *op) {
  return isa<graph::QuantizeLinearOp, graph::DequantizeLinearOp>(op);
}

OperatorVerdict verdictOf(const place::DevicePlan &plan) {
  const place::Placement *refused = nullptr;
  for (const place::Placement &placement : plan.placements()) {
    if (placement.region < 0 && (!refused || isConversion(refused->op))) {
      refused = &placement;
    }
  }
  if (refused) {
    return {false, refused->refusal.reason};
  }
  return {true, plan.placements().empty() ? "nothing is left to do" : ""};
}

} // namespace

llvm::ArrayRef<llvm::StringLiteral> operatorNames() { return kNames; }

Model operatorModel(llvm::StringRef name, bool isQuantized) {
  return Model(std::make_shared<import::Model>(ModelMaker(isQuantized).make(name)));
}

std::string onnxOpOf(llvm::StringRef name) {
  import::Model model = ModelMaker(/*isQuantized=*/false).make(name);
  const auto &nodes = model.proto->graph().node();
  auto node = llvm::find_if(nodes, [&](const auto &each) { return each.name() == name; });
  return node->op_type();
}

bool isForIntegers(const accelerators::Accelerator &device) {
  return device.floatType() == ElementType::Undefined;
}

llvm::Expected<OperatorVerdict> placeOperator(llvm::StringRef name,
                                              const accelerators::Accelerator &device) {
  Model model = operatorModel(name, isForIntegers(device));
  CompileRequest request;
  request.target.name = device.name().str();
  Problems problems;
  std::unique_ptr<PreparedModel> prepared =
      PreparedModel::prepare(model, request, "targets", problems);
  if (!prepared) {
    return withPrefix(name + " on " + device.name() + ": ", firstErrorOf(problems));
  }
  return verdictOf(place::DevicePlan(mainOf(prepared->module()), device));
}

} // namespace convoy::driver
