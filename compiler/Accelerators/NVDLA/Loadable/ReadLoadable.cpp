// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts FlatBuffers to plain lists. The FlatBuffers verifier checks all offsets; this file
// checks that references between lists are valid.

#include "Accelerators/NVDLA/Loadable/Loadable.h"
#include "Accelerators/NVDLA/Loadable/Loadable_generated.h"
#include "Support/ResourceBudget.h"
#include "Support/TypedError.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

namespace convoy::nvdla {
namespace {

LoadableVersion readVersion(const fb::Version *version) {
  return version ? LoadableVersion{version->major(), version->minor(), version->sub_minor()}
                 : LoadableVersion();
}

/// Copies lists and texts. Entries of a FlatBuffers file can share them, so the copies can be much
/// larger than the file.
class ListReader {
public:
  explicit ListReader(int64_t mostBytes) : bytesLeft(mostBytes) {}

  /// Returns whether the copies exceeded the limit. The lists are then incomplete.
  bool isExhausted() const { return bytesLeft < 0; }

  /// Reads each entry of a list that may be absent.
  template <typename To, typename From>
  std::vector<To> readList(const flatbuffers::Vector<flatbuffers::Offset<From>> *list,
                           To (ListReader::*read)(const From &)) {
    std::vector<To> result;
    for (unsigned i = 0; list && i < list->size() && spend(sizeof(To)); ++i) {
      result.push_back((this->*read)(*list->Get(i)));
    }
    return result;
  }

  LoadableTask readTask(const fb::TaskListEntry &task) {
    return {task.id(),
            Interface(task.interface()),
            task.instance(),
            numbers(task.address_list()),
            numbers(task.pre_actions()),
            numbers(task.post_actions())};
  }

  LoadableMemory readMemory(const fb::MemoryListEntry &memory) {
    LoadableMemory result = {memory.id(),
                             memory.domain(),
                             memory.flags(),
                             memory.size(),
                             memory.alignment(),
                             {},
                             numbers(memory.offsets()),
                             memory.bind_id(),
                             memory.tensor_desc_id()};
    const auto *contents = memory.contents();
    for (unsigned i = 0; contents && i < contents->size() && spend(sizeof(std::string)); ++i) {
      result.contents.push_back(text(contents->Get(i)));
    }
    return result;
  }

  LoadableBlob readBlob(const fb::Blob &blob) {
    return {text(blob.name()), Interface(blob.interface()), blob.sub_interface(),
            readVersion(blob.version()), numbers(blob.data())};
  }

  LoadableTensor readTensor(const fb::TensorDescListEntry &tensor) {
    return {text(tensor.name()),
            tensor.id(),
            tensor.mem_id(),
            tensor.size(),
            tensor.offset(),
            tensor.data_format(),
            tensor.data_type(),
            tensor.data_category(),
            tensor.pixel_format(),
            tensor.pixel_mapping(),
            tensor.n(),
            tensor.c(),
            tensor.h(),
            tensor.w(),
            {tensor.stride_0(), tensor.stride_1(), tensor.stride_2(), tensor.stride_3(),
             tensor.stride_4(), tensor.stride_5(), tensor.stride_6(), tensor.stride_7()}};
  }

  LoadableAddress readAddress(const fb::AddressListEntry &address) {
    return {address.id(), address.mem_id(), address.offset(), address.size()};
  }

  LoadableEvent readEvent(const fb::EventListEntry &event) {
    return {event.id(), event.type(), event.target(), event.val(), event.op() == 1};
  }

  LoadableRelocation readRelocation(const fb::RelocListEntry &entry) {
    return {entry.address_id(), entry.write_id(),      entry.offset(),
            entry.interface(),  entry.sub_interface(), entry.reloc_type()};
  }

  LoadableSubmit readSubmit(const fb::SubmitListEntry &submit) {
    return {submit.id(), numbers(submit.task_id())};
  }

private:
  bool spend(size_t bytes) {
    bytesLeft = isExhausted() ? bytesLeft : bytesLeft - static_cast<int64_t>(bytes);
    return !isExhausted();
  }

  std::string text(const flatbuffers::String *string) {
    return string && spend(string->size()) ? string->str() : "";
  }

  /// Copies byte by byte, because the verifier checks the alignment of a vector's length but not of
  /// its elements.
  template <typename T>
  std::vector<T> numbers(const flatbuffers::Vector<T> *vector) {
    bool isRead = vector && spend(vector->size() * sizeof(T));
    std::vector<T> result(isRead ? vector->size() : 0);
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] =
          llvm::support::endian::read<T, llvm::endianness::little>(vector->Data() + i * sizeof(T));
    }
    return result;
  }

  int64_t bytesLeft;
};

/// Finds entries by id; lists are usually ordered by id.
template <typename T>
class IdIndex {
public:
  explicit IdIndex(const std::vector<T> &list) : list(list) {
    for (const T &entry : list) {
      first.try_emplace(entry.id, &entry);
    }
  }

  const T *find(uint16_t id) const {
    return id < list.size() && list[id].id == id ? &list[id] : first.lookup(id);
  }

private:
  const std::vector<T> &list;
  llvm::DenseMap<uint32_t, const T *> first;
};

/// Checks that the contents of a memory exist and fit in it.
llvm::Error checkMemory(const Loadable &loadable, const LoadableMemory &memory) {
  constexpr uint64_t kMaxBytes = uint64_t(1) << 32;
  if (memory.size > kMaxBytes) {
    return llvm::createStringError("memory %u has %" PRIu64 " bytes; at most 4 GiB are supported",
                                   memory.id, memory.size);
  }
  if (!(memory.flags & LoadableMemory::Set)) {
    return llvm::Error::success();
  }
  if (memory.offsets.size() < memory.contents.size()) {
    return llvm::createStringError("memory %u names %zu contents and %zu offsets", memory.id,
                                   memory.contents.size(), memory.offsets.size());
  }
  for (auto [name, offset] : llvm::zip(memory.contents, memory.offsets)) {
    const LoadableBlob *blob = loadable.findBlob(name);
    if (!blob) {
      return llvm::createStringError("memory %u holds blob '%s', which is not in the file",
                                     memory.id, name.c_str());
    }
    if (offset > memory.size || blob->data.size() > memory.size - offset) {
      return llvm::createStringError(
          "blob '%s' of %zu bytes at %" PRIu64 " does not fit memory %u of %" PRIu64, name.c_str(),
          blob->data.size(), offset, memory.id, memory.size);
    }
  }
  return llvm::Error::success();
}

llvm::Error checkReferences(const Loadable &loadable) {
  uint64_t total = 0, contents = 0;
  for (const LoadableMemory &memory : loadable.memories) {
    contents += memory.contents.size();
  }
  if (contents * loadable.blobs.size() > static_cast<uint64_t>(ResourceBudget().loadableSteps())) {
    return createUnsupported("not supported: the memories hold %" PRIu64 " of %zu blobs, which are "
                             "too many to search; check how the file was made",
                             contents, loadable.blobs.size());
  }
  for (const LoadableMemory &memory : loadable.memories) {
    if (llvm::Error error = checkMemory(loadable, memory)) {
      return error;
    }
    total += memory.size;
  }
  if (total > uint64_t(1) << 32) {
    return llvm::createStringError(
        "the memories have %" PRIu64 " bytes; at most 4 GiB are supported", total);
  }
  IdIndex memories(loadable.memories);
  IdIndex addresses(loadable.addresses);
  IdIndex tasks(loadable.tasks);
  for (const LoadableAddress &address : loadable.addresses) {
    const LoadableMemory *memory = memories.find(address.memoryId);
    if (!memory || address.offset > memory->size) {
      return llvm::createStringError("address %u is at %" PRIu64 " of memory %u, which is %s",
                                     address.id, address.offset, address.memoryId,
                                     memory ? "smaller" : "not in the file");
    }
  }
  for (const LoadableTask &task : loadable.tasks) {
    for (uint16_t address : task.addresses) {
      if (!addresses.find(address)) {
        return llvm::createStringError("task %u uses address %u, which is not in the file", task.id,
                                       address);
      }
    }
  }
  for (const LoadableSubmit &submit : loadable.submits) {
    for (uint16_t task : submit.tasks) {
      if (!tasks.find(task)) {
        return llvm::createStringError("submission %u has task %u, which is not in the file",
                                       submit.id, task);
      }
    }
  }
  return llvm::Error::success();
}

/// Copies the file so that its fields are aligned. Fields are aligned relative to the end of the
/// file, and older writers did not round up the file size. In that case four bytes are inserted at
/// the start, and the offset of the root, which is stored at the start, is increased by four.
std::vector<uint64_t> alignFields(llvm::ArrayRef<uint8_t> bytes) {
  size_t shift = bytes.size() % 8 == 4 ? 4 : 0;
  std::vector<uint64_t> aligned((bytes.size() + shift + 7) / 8);
  auto *data = reinterpret_cast<uint8_t *>(aligned.data());
  llvm::copy(bytes, data + shift);
  if (shift != 0 && bytes.size() >= 4) {
    llvm::support::endian::write32le(data, llvm::support::endian::read32le(bytes.data()) + 4);
  }
  return aligned;
}

/// Finds an entry by id; lists are usually ordered by id.
template <typename T>
const T *findById(const std::vector<T> &list, uint16_t id) {
  if (id < list.size() && list[id].id == id) {
    return &list[id];
  }
  auto found = llvm::find_if(list, [&](const T &entry) { return entry.id == id; });
  return found == list.end() ? nullptr : &*found;
}

} // namespace

const LoadableBlob *Loadable::findBlob(llvm::StringRef name) const {
  auto found = llvm::find_if(blobs, [&](const LoadableBlob &blob) { return blob.name == name; });
  return found == blobs.end() ? nullptr : &*found;
}
const LoadableMemory *Loadable::findMemory(uint16_t id) const { return findById(memories, id); }
const LoadableAddress *Loadable::findAddress(uint16_t id) const { return findById(addresses, id); }
const LoadableTask *Loadable::findTask(uint16_t id) const { return findById(tasks, id); }

llvm::Expected<Loadable> readLoadable(llvm::ArrayRef<uint8_t> bytes) {
  std::vector<uint64_t> aligned = alignFields(bytes);
  const auto *data = reinterpret_cast<const uint8_t *>(aligned.data());
  flatbuffers::Verifier verifier(data, bytes.size() + (bytes.size() % 8 == 4 ? 4 : 0));
  if (bytes.size() < 8 || !verifier.VerifyBuffer<fb::Loadable>(nullptr)) {
    return llvm::createStringError("not a loadable: the %zu bytes are not a FlatBuffers table of a "
                                   "loadable, or they are truncated",
                                   bytes.size());
  }
  const fb::Loadable &root = *flatbuffers::GetRoot<fb::Loadable>(data);
  Loadable loadable;
  loadable.version = readVersion(root.version());
  int64_t mostBytes = ResourceBudget().decodedBytes() + static_cast<int64_t>(bytes.size());
  ListReader lists(mostBytes);
  loadable.tasks = lists.readList(root.task_list(), &ListReader::readTask);
  loadable.memories = lists.readList(root.memory_list(), &ListReader::readMemory);
  loadable.addresses = lists.readList(root.address_list(), &ListReader::readAddress);
  loadable.events = lists.readList(root.event_list(), &ListReader::readEvent);
  loadable.blobs = lists.readList(root.blobs(), &ListReader::readBlob);
  loadable.tensors = lists.readList(root.tensor_desc_list(), &ListReader::readTensor);
  loadable.relocations = lists.readList(root.reloc_list(), &ListReader::readRelocation);
  loadable.submits = lists.readList(root.submit_list(), &ListReader::readSubmit);
  if (lists.isExhausted()) {
    return llvm::createStringError("the lists of the loadable have more than " +
                                   std::to_string(mostBytes >> 20) +
                                   " MiB, because entries share them; check how the file was "
                                   "made");
  }
  if (llvm::Error error = checkReferences(loadable)) {
    return error;
  }
  return loadable;
}

} // namespace convoy::nvdla
