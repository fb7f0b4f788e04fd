// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a loadable's lists, operations and estimates to JSON. Blobs appear with name and size
// only.

#include "Accelerators/NVDLA/Inspect/InspectLoadable.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::nvdla {
namespace {

using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;

template <typename List, typename Convert>
Array toArray(const List &list, Convert convert) {
  Array array;
  for (const auto &entry : list) {
    array.push_back(convert(entry));
  }
  return array;
}

Object memoryToJson(const LoadableMemory &memory) {
  Array contents;
  for (auto [name, offset] : llvm::zip(memory.contents, memory.offsets)) {
    contents.push_back(Object{{"blob", fixUTF8(name)}, {"offset", int64_t(offset)}});
  }
  return Object{{"id", memory.id},
                {"domain", memory.domain == 1 ? "SRAM" : "DRAM"},
                {"bytes", int64_t(memory.size)},
                {"is_filled", bool(memory.flags & LoadableMemory::Set)},
                {"is_input", bool(memory.flags & LoadableMemory::Input)},
                {"is_output", bool(memory.flags & LoadableMemory::Output)},
                {"contents", std::move(contents)}};
}

Object tensorToJson(const LoadableTensor &tensor) {
  return Object{{"name", fixUTF8(tensor.name)},
                {"memory", tensor.memoryId},
                {"shape", Array{tensor.n, tensor.c, tensor.h, tensor.w}},
                {"line_stride", int64_t(tensor.strides[1])},
                {"surface_stride", int64_t(tensor.strides[2])}};
}

Object edgeToJson(const Consumer &consumer) {
  return Object{{"op", consumer.index}, {"when", eventName(consumer.event)}};
}

Object opToJson(const HardwareOp &op) {
  Array consumers;
  for (const Consumer &consumer : op.dependency.consumers) {
    if (consumer.index >= 0) {
      consumers.push_back(edgeToJson(consumer));
    }
  }
  Object object{{"engine", engineName(op.engine())},
                {"dependencies", op.dependency.dependencies},
                {"consumers", std::move(consumers)},
                {"what", describeOp(op)}};
  if (op.dependency.fusedParent.index >= 0) {
    object["fused_parent"] = edgeToJson(op.dependency.fusedParent);
  }
  return object;
}

Object layerToJson(const InspectedLayer &layer) {
  const LayerCycles &cycles = layer.cycles;
  return Object{{"ops", toArray(layer.ops, [](size_t op) { return int64_t(op); })},
                {"units", cycles.units},
                {"begin", int64_t(layer.begin)},
                {"end", int64_t(layer.end)},
                {"cycles", int64_t(cycles.totalCycles)},
                {"mac_cycles", int64_t(cycles.macCycles)},
                {"stall_cycles", int64_t(cycles.stallCycles)},
                {"macs", int64_t(cycles.macs)},
                {"mac_utilization", layer.utilization},
                {"data_bytes", int64_t(cycles.dataBytes)},
                {"weight_bytes", int64_t(cycles.weightBytes)},
                {"operand_bytes", int64_t(cycles.operandBytes)},
                {"written_bytes", int64_t(cycles.writtenBytes)},
                {"pace", cycles.bound}};
}

Object taskToJson(const InspectedTask &task) {
  if (task.interface == Interface::Emulator) {
    return Object{{"id", task.id},
                  {"runs_on", "host"},
                  {"ops", toArray(task.emulator.ops, [](const EmulatorOp &op) {
                     return op.type == EmulatorOp::Type::Softmax ? "softmax" : "power";
                   })}};
  }
  return Object{{"id", task.id},
                {"runs_on", "accelerator"},
                {"cube_bytes", task.dla.layout == CubeLayout::WithOffset ? 32 : 28},
                {"tables", int64_t(task.dla.luts.size())},
                {"ops", toArray(task.dla.ops, opToJson)},
                {"estimate", toArray(task.layers, layerToJson)}};
}

} // namespace

llvm::json::Value loadableToJson(const InspectedLoadable &inspected) {
  const Loadable &loadable = inspected.loadable;
  return Object{
      {"loadable", fixUTF8(inspected.name)},
      {"file_bytes", int64_t(inspected.fileBytes)},
      {"version", Array{loadable.version.major, loadable.version.minor, loadable.version.subMinor}},
      {"tensors", toArray(loadable.tensors, tensorToJson)},
      {"memories", toArray(loadable.memories, memoryToJson)},
      {"addresses", toArray(loadable.addresses,
                            [](const LoadableAddress &address) {
                              return Object{{"id", address.id},
                                            {"memory", address.memoryId},
                                            {"offset", int64_t(address.offset)}};
                            })},
      {"blobs", toArray(loadable.blobs,
                        [](const LoadableBlob &blob) {
                          return Object{{"name", fixUTF8(blob.name)},
                                        {"bytes", int64_t(blob.data.size())}};
                        })},
      {"tasks", toArray(inspected.tasks, taskToJson)}};
}

} // namespace convoy::nvdla
