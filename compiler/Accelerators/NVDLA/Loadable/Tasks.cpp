// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves a task's address list to memories and their blobs. The first address is the network
// descriptor, whose fields are positions in the same list.

#include "Accelerators/NVDLA/Loadable/Tasks.h"
#include "Support/TypedError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

namespace convoy::nvdla {
namespace {

namespace endian = llvm::support::endian;

// Larger than a network descriptor of any version.
constexpr uint64_t kMostHeadBytes = 4096;

/// Returns the bytes of one memory that the file fills.
std::vector<uint8_t> memoryContents(const Loadable &loadable, const LoadableMemory &memory) {
  std::vector<uint8_t> bytes;
  if (!(memory.flags & LoadableMemory::Set)) {
    return bytes;
  }
  // ReadLoadable.cpp has checked that blobs exist and fit.
  for (auto [name, offset] : llvm::zip(memory.contents, memory.offsets)) {
    const LoadableBlob *blob = loadable.findBlob(name);
    bytes.resize(std::max<size_t>(bytes.size(), offset + blob->data.size()));
    llvm::copy(blob->data, bytes.begin() + offset);
  }
  return bytes;
}

/// Returns at most `most` bytes that the file places from `begin` on in a memory; nothing if it
/// fills no byte there. Reads no other bytes: a memory can have 4 GiB in a small file.
std::vector<uint8_t> contentsFrom(const Loadable &loadable, const LoadableMemory &memory,
                                  uint64_t begin, uint64_t most) {
  std::vector<uint8_t> bytes;
  if (!(memory.flags & LoadableMemory::Set)) {
    return bytes;
  }
  for (auto [name, offset] : llvm::zip(memory.contents, memory.offsets)) {
    Bytes data = loadable.findBlob(name)->data;
    uint64_t end = std::min(offset + data.size(), begin + most);
    if (end <= begin) {
      continue;
    }
    bytes.resize(std::max<size_t>(bytes.size(), end - begin));
    uint64_t first = std::max(begin, offset);
    if (first < end) {
      llvm::copy(data.slice(first - offset, end - first), bytes.begin() + (first - begin));
    }
  }
  return bytes;
}

/// Returns at most `most` bytes of the file contents at position `index` of the task's address
/// list.
llvm::Expected<std::vector<uint8_t>> bytesAt(const Loadable &loadable, const LoadableTask &task,
                                             int index, const char *what, uint64_t most) {
  if (index < 0 || size_t(index) >= task.addresses.size()) {
    return llvm::createStringError(
        "task %u: the address index of its %s is %d; the task has %zu addresses", task.id, what,
        index, task.addresses.size());
  }
  const LoadableAddress &address = *loadable.findAddress(task.addresses[index]);
  std::vector<uint8_t> bytes =
      contentsFrom(loadable, *loadable.findMemory(address.memoryId), address.offset, most);
  if (bytes.empty()) {
    return llvm::createStringError("task %u: its %s is in memory %u, which the file does not fill",
                                   task.id, what, address.memoryId);
  }
  return bytes;
}

/// Returns entry `index` of a list, shorter if the list ends before.
Bytes entryAt(const std::vector<uint8_t> &list, size_t index, size_t entryBytes) {
  size_t begin = std::min(list.size(), index * entryBytes);
  return Bytes(list).slice(begin, std::min(entryBytes, list.size() - begin));
}

/// Cubes have no offset in files before version 0.12 and in ONNC's files, which have version 1.2.0.
CubeLayout layoutOf(const Loadable &loadable, const LoadableTask &task) {
  const LoadableAddress &address = *loadable.findAddress(task.addresses[0]);
  const LoadableMemory &memory = *loadable.findMemory(address.memoryId);
  const LoadableBlob *blob =
      memory.contents.empty() ? nullptr : loadable.findBlob(memory.contents[0]);
  if (!blob) {
    return CubeLayout::WithOffset;
  }
  const LoadableVersion &version = blob->version;
  bool isOnnc = version.major == 1 && version.minor == 2 && version.subMinor == 0;
  bool isOld = version.major == 0 && version.minor < 12;
  return isOnnc || isOld ? CubeLayout::WithoutOffset : CubeLayout::WithOffset;
}

llvm::Error checkInterface(const LoadableTask &task, Interface interface) {
  if (task.interface != interface || task.addresses.empty()) {
    return llvm::createStringError("task %u has interface %u and %zu addresses; expects %u and at "
                                   "least one",
                                   task.id, uint32_t(task.interface), task.addresses.size(),
                                   uint32_t(interface));
  }
  return llvm::Error::success();
}

llvm::Error readOps(const Loadable &loadable, const LoadableTask &task, DlaTask &result) {
  const NetworkDescriptor &network = result.network;
  if (network.operationCount == 0) {
    return llvm::Error::success();
  }
  const uint64_t count = network.operationCount;
  auto dependences =
      bytesAt(loadable, task, network.dependences, "dependences", count * kDependencyBytes);
  if (!dependences) {
    return dependences.takeError();
  }
  auto operations =
      bytesAt(loadable, task, network.operations, "operations", count * kOperationBytes);
  if (!operations) {
    return operations.takeError();
  }
  auto surfaces = bytesAt(loadable, task, network.surfaces, "surfaces", count * kSurfaceBytes);
  if (!surfaces) {
    return surfaces.takeError();
  }
  for (size_t i = 0; i < network.operationCount; ++i) {
    auto dependency = readDependency(entryAt(*dependences, i, kDependencyBytes));
    if (!dependency) {
      return dependency.takeError();
    }
    auto descriptor =
        readEngine(Engine(dependency->engine), entryAt(*operations, i, kOperationBytes),
                   entryAt(*surfaces, i, kSurfaceBytes), result.layout);
    if (!descriptor) {
      return llvm::createStringError("operation %zu: %s", i,
                                     llvm::toString(descriptor.takeError()).c_str());
    }
    result.ops.push_back({*dependency, *descriptor});
  }
  return llvm::Error::success();
}

llvm::Error readLuts(const Loadable &loadable, const LoadableTask &task, DlaTask &result) {
  if (result.network.lutCount == 0) {
    return llvm::Error::success();
  }
  auto bytes = bytesAt(loadable, task, result.network.luts, "look-up tables",
                       uint64_t(result.network.lutCount) * kLutBytes);
  if (!bytes) {
    return bytes.takeError();
  }
  for (size_t i = 0; i < result.network.lutCount; ++i) {
    auto lut = readLut(entryAt(*bytes, i, kLutBytes));
    if (!lut) {
      return lut.takeError();
    }
    result.luts.push_back(*lut);
  }
  return llvm::Error::success();
}

float floatAt(Bytes bytes, size_t at) {
  return llvm::bit_cast<float>(endian::read32le(bytes.data() + at));
}

/// Reads an entry of 24 bytes with scales, or an old packed entry of 16 bytes without them.
EmulatorOp readEmulatorOp(Bytes bytes, bool isOld) {
  EmulatorOp op;
  op.type = EmulatorOp::Type(bytes[0]);
  if (!isOld) {
    op.inputScale = floatAt(bytes, 4);
    op.outputScale = floatAt(bytes, 8);
  }
  size_t at = isOld ? 1 : 12;
  if (op.type == EmulatorOp::Type::Power) {
    op.power = floatAt(bytes, at);
    op.scale = floatAt(bytes, at + 4);
    op.shift = floatAt(bytes, at + 8);
  } else {
    op.axis = bytes[at];
  }
  return op;
}

EmulatorBuffer readEmulatorBuffer(Bytes bytes, bool isOld) {
  EmulatorBuffer buffer;
  const uint8_t *at = bytes.data();
  buffer.address = int16_t(endian::read16le(at));
  if (!isOld) {
    buffer.offset = endian::read32le(at + 2);
    at += 4;
  }
  buffer.size = endian::read32le(at + 2);
  buffer.format = endian::read16le(at + 6);
  buffer.width = endian::read16le(at + 8);
  buffer.height = endian::read16le(at + 10);
  buffer.channel = endian::read16le(at + 12);
  buffer.lineStride = endian::read32le(at + 14);
  buffer.surfaceStride = endian::read32le(at + 18);
  return buffer;
}

} // namespace

std::vector<std::vector<uint8_t>> initialContents(const Loadable &loadable) {
  std::vector<std::vector<uint8_t>> result;
  for (const LoadableMemory &memory : loadable.memories) {
    result.push_back(memoryContents(loadable, memory));
  }
  return result;
}

llvm::Expected<DlaTask> readDlaTask(const Loadable &loadable, const LoadableTask &task) {
  if (llvm::Error error = checkInterface(task, Interface::Dla)) {
    return error;
  }
  DlaTask result;
  result.layout = layoutOf(loadable, task);
  auto head = bytesAt(loadable, task, 0, "network descriptor", kMostHeadBytes);
  if (!head) {
    return head.takeError();
  }
  auto network = readNetwork(*head);
  if (!network) {
    return network.takeError();
  }
  result.network = *network;
  if (network->roiCount > 1) {
    return createUnsupported("not supported: task %u has %u regions of interest; at most 1 is",
                             task.id, network->roiCount);
  }
  if (llvm::Error error = readOps(loadable, task, result)) {
    return error;
  }
  if (llvm::Error error = readLuts(loadable, task, result)) {
    return error;
  }
  return result;
}

llvm::Expected<EmulatorTask> readEmulatorTask(const Loadable &loadable, const LoadableTask &task) {
  constexpr size_t kOpBytes = 24, kOldOpBytes = 16, kBufferBytes = 256;
  if (llvm::Error error = checkInterface(task, Interface::Emulator)) {
    return error;
  }
  auto head = bytesAt(loadable, task, 0, "network descriptor", kMostHeadBytes);
  if (!head) {
    return head.takeError();
  }
  if (head->size() < 6) {
    return llvm::createStringError("task %u: its network descriptor is truncated", task.id);
  }
  size_t count = endian::read16le(head->data() + 4);
  if (count == 0) {
    return EmulatorTask();
  }
  auto ops = bytesAt(loadable, task, int16_t(endian::read16le(head->data())), "operations",
                     count * kOpBytes);
  if (!ops) {
    return ops.takeError();
  }
  auto buffers = bytesAt(loadable, task, int16_t(endian::read16le(head->data() + 2)), "buffers",
                         count * 2 * kBufferBytes);
  if (!buffers) {
    return buffers.takeError();
  }
  bool isOld = ops->size() < count * kOpBytes;
  size_t opBytes = isOld ? kOldOpBytes : kOpBytes;
  if (ops->size() < count * opBytes || buffers->size() < count * 2 * kBufferBytes) {
    return llvm::createStringError("task %u: the descriptors of its %zu operations are truncated",
                                   task.id, count);
  }
  EmulatorTask result;
  for (size_t i = 0; i < count; ++i) {
    EmulatorOp op = readEmulatorOp(entryAt(*ops, i, opBytes), isOld);
    op.source = readEmulatorBuffer(entryAt(*buffers, 2 * i, kBufferBytes), isOld);
    op.target = readEmulatorBuffer(entryAt(*buffers, 2 * i + 1, kBufferBytes), isOld);
    if (uint8_t(op.type) > 1) {
      return llvm::createStringError(
          "task %u: expects emulator operation 0 (power) or 1 (softmax), got %u", task.id,
          unsigned(op.type));
    }
    result.ops.push_back(op);
  }
  return result;
}

} // namespace convoy::nvdla
