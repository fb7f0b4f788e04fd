// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the weights that the memory stage placed. The encoding on the type of a weight
// says how it is stored; the elements of the type are those before packing.

#include "Driver/CountWeights.h"
#include "Graph/Graph.h"
#include "Import/OnnxProto.h"
#include "Kernels/Kernel.h"
#include "Memory/Attributes.h"

using namespace mlir;

namespace convoy::driver {
namespace {

int64_t bytesOf(const onnx::TensorProto &tensor) {
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  ElementType type = elementTypeFromOnnx(tensor.data_type()).value_or(ElementType::Undefined);
  return (elementCount(shape).value_or(0) * bitWidth(type) + 7) / 8;
}

int64_t bytesIn(const onnx::GraphProto &graph) {
  int64_t bytes = 0;
  for (const onnx::TensorProto &initializer : graph.initializer()) {
    bytes += bytesOf(initializer);
  }
  for (const onnx::NodeProto &node : graph.node()) {
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      bytes += attribute.has_g() ? bytesIn(attribute.g()) : 0;
      bytes += attribute.has_t() && node.op_type() == "Constant" ? bytesOf(attribute.t()) : 0;
    }
  }
  return bytes;
}

} // namespace

int64_t weightsInFile(const import::Model &model) { return bytesIn(model.proto->graph()); }

WeightsSummary countWeights(ModuleOp module, int64_t modelBytes) {
  WeightsSummary summary;
  summary.modelBytes = modelBytes;
  ArrayAttr weights = memory::weightsOf(module);
  std::optional<int64_t> total = memory::weightsBytesOf(module);
  if (!weights || !total) {
    return summary;
  }
  int64_t plainBytes = 0, storedBytes = 0;
  for (auto elements : weights.getAsRange<ElementsAttr>()) {
    auto type = cast<RankedTensorType>(elements.getType());
    int64_t width = storageBytes(fromMlir(type.getElementType()));
    int64_t plain = type.getNumElements() * width;
    int64_t stored = graph::physicalElements(type) * width;
    bool isWinograd = isa_and_nonnull<kernels::WinogradWeightsAttr>(type.getEncoding());
    (isWinograd ? summary.winogradBytes : summary.paddingBytes) += stored - plain;
    plainBytes += plain;
    storedBytes += stored;
  }
  summary.foldingBytes = plainBytes - modelBytes;
  summary.alignmentBytes = *total - storedBytes;
  return summary;
}

} // namespace convoy::driver
