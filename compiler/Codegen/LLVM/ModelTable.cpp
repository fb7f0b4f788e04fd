// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the table of a loaded model. The pointers of the table refer to the description, which the
// object owns.

#include "Codegen/LLVM/ModelTable.h"
#include "convoy/convoy.h"

namespace convoy::codegen {
namespace {

template <typename T>
const T *dataOrNull(const std::vector<T> &values) {
  return values.empty() ? nullptr : values.data();
}

std::vector<convoy_tensor> tensorsOf(const std::vector<TensorDescriptor> &descriptors) {
  std::vector<convoy_tensor> tensors;
  for (const TensorDescriptor &descriptor : descriptors) {
    convoy_tensor tensor = {};
    tensor.name = descriptor.name.c_str();
    tensor.element_type = static_cast<int32_t>(descriptor.type);
    tensor.rank = static_cast<int32_t>(descriptor.shape.size());
    tensor.shape = descriptor.shape.empty() ? nullptr : descriptor.shape.data();
    tensor.dims = dataOrNull(descriptor.dims);
    tensor.bytes = static_cast<uint64_t>(descriptor.bytes);
    tensor.scales = dataOrNull(descriptor.scales);
    tensor.zero_points = dataOrNull(descriptor.zeroPoints);
    tensor.scale_count = static_cast<int32_t>(descriptor.scales.size());
    tensor.scale_axis = descriptor.scaleAxis;
    tensor.alias = -1;
    tensors.push_back(tensor);
  }
  return tensors;
}

} // namespace

ModelTable::ModelTable(ModelInterface described)
    : interface(std::move(described)), inputs(tensorsOf(interface.inputs)),
      outputs(tensorsOf(interface.outputs)) {
  table.abi_version = CONVOY_ABI_VERSION;
  table.struct_bytes = sizeof(convoy_model);
  table.name = interface.model.c_str();
  table.target = interface.target.c_str();
  table.features = interface.features.c_str();
  table.hash = interface.hash.c_str();
  table.weights_hash = interface.weightsHash.c_str();
  table.records = interface.records.c_str();
  table.compiler = compilerVersion().data();
  table.inputs = dataOrNull(inputs);
  table.outputs = dataOrNull(outputs);
  table.input_count = static_cast<uint32_t>(inputs.size());
  table.output_count = static_cast<uint32_t>(outputs.size());
  table.extent_count = static_cast<uint32_t>(interface.extents);
  table.workspace_bytes = static_cast<uint64_t>(interface.workspaceBytes);
  table.workspace_alignment = kWorkspaceAlignmentBytes;
  table.weights_bytes = static_cast<uint64_t>(interface.weightsBytes);
  table.threads = static_cast<uint32_t>(interface.threads);
  table.programs = static_cast<uint32_t>(interface.programs);
}

} // namespace convoy::codegen
