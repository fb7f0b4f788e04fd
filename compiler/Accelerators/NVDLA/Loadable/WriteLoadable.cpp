// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts plain lists to FlatBuffers.

#include "Accelerators/NVDLA/Loadable/Loadable.h"
#include "Accelerators/NVDLA/Loadable/Loadable_generated.h"

namespace convoy::nvdla {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

template <typename From, typename Write>
auto writeList(FlatBufferBuilder &builder, const std::vector<From> &list, Write write) {
  std::vector<decltype(write(builder, list[0]))> entries;
  entries.reserve(list.size());
  for (const From &entry : list) {
    entries.push_back(write(builder, entry));
  }
  return builder.CreateVector(entries);
}

fb::Version toVersion(const LoadableVersion &version) {
  return {version.major, version.minor, version.subMinor};
}

Offset<fb::TaskListEntry> writeTask(FlatBufferBuilder &builder, const LoadableTask &task) {
  auto addresses = builder.CreateVector(task.addresses);
  auto pre = builder.CreateVector(task.preActions);
  auto post = builder.CreateVector(task.postActions);
  return fb::CreateTaskListEntry(builder, task.id, uint32_t(task.interface), task.instance,
                                 addresses, pre, post);
}

Offset<fb::MemoryListEntry> writeMemory(FlatBufferBuilder &builder, const LoadableMemory &memory) {
  auto contents = builder.CreateVectorOfStrings(memory.contents);
  auto offsets = builder.CreateVector(memory.offsets);
  return fb::CreateMemoryListEntry(builder, memory.id, memory.domain, memory.flags, memory.size,
                                   memory.alignment, contents, offsets, memory.bindId,
                                   memory.tensorId);
}

Offset<fb::Blob> writeBlob(FlatBufferBuilder &builder, const LoadableBlob &blob) {
  auto name = builder.CreateString(blob.name);
  auto data = builder.CreateVector(blob.data);
  fb::Version version = toVersion(blob.version);
  return fb::CreateBlob(builder, name, blob.data.size(), uint32_t(blob.interface),
                        blob.subInterface, &version, data);
}

Offset<fb::TensorDescListEntry> writeTensor(FlatBufferBuilder &builder,
                                            const LoadableTensor &tensor) {
  auto name = builder.CreateString(tensor.name);
  const auto &strides = tensor.strides;
  return fb::CreateTensorDescListEntry(
      builder, name, tensor.id, tensor.memoryId, tensor.size, tensor.offset, tensor.dataFormat,
      tensor.dataType, tensor.dataCategory, tensor.pixelFormat, tensor.pixelMapping, tensor.n,
      tensor.c, tensor.h, tensor.w, strides[0], strides[1], strides[2], strides[3], strides[4],
      strides[5], strides[6], strides[7]);
}

Offset<fb::AddressListEntry> writeAddress(FlatBufferBuilder &builder,
                                          const LoadableAddress &address) {
  return fb::CreateAddressListEntry(builder, address.id, address.memoryId, address.offset,
                                    address.size);
}

Offset<fb::EventListEntry> writeEvent(FlatBufferBuilder &builder, const LoadableEvent &event) {
  return fb::CreateEventListEntry(builder, event.id, event.type, event.target, event.value,
                                  event.isSignal ? 1 : 0);
}

Offset<fb::RelocListEntry> writeRelocation(FlatBufferBuilder &builder,
                                           const LoadableRelocation &entry) {
  return fb::CreateRelocListEntry(builder, entry.addressId, entry.memoryId, entry.offset,
                                  entry.interface, entry.subInterface, entry.type);
}

Offset<fb::SubmitListEntry> writeSubmit(FlatBufferBuilder &builder, const LoadableSubmit &submit) {
  auto tasks = builder.CreateVector(submit.tasks);
  return fb::CreateSubmitListEntry(builder, submit.id, tasks);
}

} // namespace

std::vector<uint8_t> writeLoadable(const Loadable &loadable) {
  FlatBufferBuilder builder;
  auto tasks = writeList(builder, loadable.tasks, writeTask);
  auto memories = writeList(builder, loadable.memories, writeMemory);
  auto addresses = writeList(builder, loadable.addresses, writeAddress);
  auto events = writeList(builder, loadable.events, writeEvent);
  auto blobs = writeList(builder, loadable.blobs, writeBlob);
  auto tensors = writeList(builder, loadable.tensors, writeTensor);
  auto relocations = writeList(builder, loadable.relocations, writeRelocation);
  auto submits = writeList(builder, loadable.submits, writeSubmit);
  fb::Version version = toVersion(loadable.version);
  builder.Finish(fb::CreateLoadable(builder, &version, tasks, memories, addresses, events, blobs,
                                    tensors, relocations, submits),
                 fb::LoadableIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

} // namespace convoy::nvdla
