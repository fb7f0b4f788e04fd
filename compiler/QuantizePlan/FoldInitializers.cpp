// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces nodes whose inputs are all initializers by initializers: ops between the stored weights
// and a layer, as exporters write them. prepareModel calls it. Other constant nodes stay.
// The reference has the arithmetic, so the results are those of constant folding in the compiler.

#include "QuantizePlan/Initializers.h"
#include "QuantizePlan/PrepareModel.h"
#include "reference/Convert.h"
#include "reference/Dequantize.h"
#include "reference/ElementCopy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <map>

namespace convoy::plan {
namespace {

using Inputs = std::vector<const Tensor *>; // null: the node omits the input

/// Returns the shape that Reshape gives a tensor; nullopt if the sizes do not fit.
std::optional<Shape> reshapedShape(const onnx::NodeProto &node, const Tensor &data,
                                   llvm::ArrayRef<int64_t> asked) {
  bool allowsZero = intAttribute(node, "allowzero", 0) != 0;
  Shape shape(asked.begin(), asked.end());
  int64_t known = 1;
  std::optional<size_t> open;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !allowsZero && static_cast<int64_t>(i) < data.rank()) {
      shape[i] = data.dim(static_cast<int64_t>(i));
    }
    if (shape[i] < 0) {
      open = i;
    } else {
      known *= shape[i];
    }
  }
  if (open) {
    shape[*open] = known > 0 ? data.size() / known : 0;
  }
  return elementCount(shape) == data.size() ? std::optional<Shape>(shape) : std::nullopt;
}

std::optional<Tensor> reshape(const onnx::NodeProto &node, const Inputs &inputs) {
  const onnx::AttributeProto *attribute = findAttribute(node, "shape"); // before opset 5
  Shape asked;
  if (attribute) {
    asked.assign(attribute->ints().begin(), attribute->ints().end());
  } else if (inputs.size() == 2 && inputs[1] && inputs[1]->type() == ElementType::I64) {
    asked = inputs[1]->ints();
  } else {
    return std::nullopt;
  }
  std::optional<Shape> shape = reshapedShape(node, *inputs[0], asked);
  return shape ? std::optional<Tensor>(inputs[0]->reshaped(*shape)) : std::nullopt;
}

std::optional<Tensor> flatten(const onnx::NodeProto &node, const Inputs &inputs) {
  int64_t axis = intAttribute(node, "axis", 1);
  axis += axis < 0 ? inputs[0]->rank() : 0;
  if (axis < 0 || axis > inputs[0]->rank()) {
    return std::nullopt;
  }
  int64_t rows = 1;
  for (int64_t size : inputs[0]->shape().take_front(static_cast<size_t>(axis))) {
    rows *= size;
  }
  return rows > 0 ? std::optional<Tensor>(inputs[0]->reshaped({rows, inputs[0]->size() / rows}))
                  : std::nullopt;
}

std::optional<Tensor> transpose(const onnx::NodeProto &node, const Inputs &inputs) {
  const Tensor &from = *inputs[0];
  int64_t rank = from.rank();
  Shape perm;
  if (const onnx::AttributeProto *given = findAttribute(node, "perm")) {
    perm.assign(given->ints().begin(), given->ints().end());
  } else {
    for (int64_t i = rank - 1; i >= 0; --i) {
      perm.push_back(i);
    }
  }
  Shape sorted = perm;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)) || bitWidth(from.type()) < 8) {
    return std::nullopt;
  }
  Shape shape;
  for (int64_t dim : perm) {
    shape.push_back(from.dim(dim));
  }
  Tensor to(from.type(), shape);
  reference::copyTransposed(to, from, perm);
  return to;
}

std::optional<Tensor> cast(const onnx::NodeProto &node, const Inputs &inputs) {
  if (intAttribute(node, "to", 0) != onnx::TensorProto::FLOAT || !isFloat(inputs[0]->type())) {
    return std::nullopt;
  }
  Tensor to(ElementType::F32, inputs[0]->shape());
  reference::convertElements(*inputs[0], to);
  return to;
}

/// Folds weights that a file stores as integers.
std::optional<Tensor> dequantize(const onnx::NodeProto &node, const Inputs &inputs) {
  const Tensor &integers = *inputs[0];
  const Tensor *scales = inputs.size() > 1 ? inputs[1] : nullptr;
  const Tensor *zeros = inputs.size() > 2 ? inputs[2] : nullptr;
  int64_t axis = intAttribute(node, "axis", 1);
  axis += axis < 0 ? integers.rank() : 0;
  bool isPerTensor = scales && scales->size() == 1;
  bool isPerAxis = scales && scales->rank() == 1 && axis >= 0 && axis < integers.rank() &&
                   scales->size() == integers.dim(axis);
  if (!isInteger(integers.type()) || intAttribute(node, "block_size", 0) != 0 ||
      !(isPerTensor || isPerAxis) || scales->type() != ElementType::F32 ||
      (zeros && zeros->size() != scales->size())) {
    return std::nullopt;
  }
  Tensor reals(ElementType::F32, integers.shape());
  reference::dequantize(integers, isPerTensor ? scales->reshaped({}) : *scales, zeros, axis,
                        /*blockSize=*/0, reals);
  return reals;
}

using Fold = std::optional<Tensor> (*)(const onnx::NodeProto &, const Inputs &);

Fold foldOf(const onnx::NodeProto &node) {
  constexpr std::pair<const char *, Fold> kFolds[] = {{"Reshape", reshape},
                                                      {"Flatten", flatten},
                                                      {"Transpose", transpose},
                                                      {"Cast", cast},
                                                      {"DequantizeLinear", dequantize}};
  for (auto [op, fold] : kFolds) {
    if (isOp(node, op)) {
      return fold;
    }
  }
  return nullptr;
}

class Folder {
public:
  explicit Folder(onnx::GraphProto &graph) : view(graph) {
    // Integer weights of a quantized model stay: their layers have a plan already.
    isQuantized = llvm::any_of(graph.node(), [](const onnx::NodeProto &node) {
      return node.op_type() == "QuantizeLinear";
    });
  }

  /// Returns the initializer that replaces a node, or nullopt.
  std::optional<Tensor> visit(const onnx::NodeProto &node) {
    Fold fold = foldOf(node);
    if (!fold || node.input_size() == 0 || node.output_size() != 1 ||
        view.isOutput(node.output(0)) || (isQuantized && isOp(node, "DequantizeLinear"))) {
      return std::nullopt;
    }
    Inputs inputs;
    for (const std::string &name : node.input()) {
      const Tensor *constant = name.empty() ? nullptr : constantOf(name);
      if (!name.empty() && !constant) {
        return std::nullopt;
      }
      inputs.push_back(constant);
    }
    std::optional<Tensor> result = inputs[0] ? fold(node, inputs) : std::nullopt;
    if (result) {
      known[node.output(0)] = *result;
    }
    return result;
  }

private:
  const Tensor *constantOf(const std::string &name) {
    auto found = known.find(name);
    if (found == known.end()) {
      const onnx::TensorProto *proto = view.initializer(name);
      std::optional<Tensor> tensor = proto ? decode(*proto) : std::nullopt;
      if (!tensor) {
        return nullptr;
      }
      found = known.emplace(name, std::move(*tensor)).first;
    }
    return &found->second;
  }

  GraphView view;
  bool isQuantized = false;
  std::map<std::string, Tensor> known; // decoded initializers and results
};

} // namespace

void foldInitializers(onnx::GraphProto &graph) {
  Folder folder(graph);
  std::vector<onnx::TensorProto> added;
  auto &nodes = *graph.mutable_node();
  std::set<const onnx::NodeProto *> folded;
  for (const onnx::NodeProto &node : nodes) {
    if (std::optional<Tensor> result = folder.visit(node)) {
      added.push_back(encode(node.output(0), *result));
      folded.insert(&node);
    }
  }
  removeNodes(graph, folded);
  for (onnx::TensorProto &tensor : added) {
    *graph.add_initializer() = std::move(tensor);
  }
}

} // namespace convoy::plan
