// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the lists of a loadable. The order of memories keeps the address of each data memory at
// the position of its id in every task: the task's network descriptor, all data, then the task's
// other memories.

#include "Accelerators/NVDLA/Loadable/BuildLoadable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

namespace convoy::nvdla {
namespace {

namespace endian = llvm::support::endian;

constexpr uint32_t kPage = 4096;

void append(std::vector<uint8_t> &to, const std::vector<uint8_t> &from) {
  to.insert(to.end(), from.begin(), from.end());
}

void putFloat(std::vector<uint8_t> &bytes, size_t at, float value) {
  endian::write32le(&bytes[at], llvm::bit_cast<uint32_t>(value));
}

std::vector<uint8_t> writeOp(const EmulatorOp &op) {
  std::vector<uint8_t> bytes(24);
  bytes[0] = uint8_t(op.type);
  putFloat(bytes, 4, op.inputScale);
  putFloat(bytes, 8, op.outputScale);
  if (op.type == EmulatorOp::Type::Power) {
    putFloat(bytes, 12, op.power);
    putFloat(bytes, 16, op.scale);
    putFloat(bytes, 20, op.shift);
  } else {
    bytes[12] = op.axis;
  }
  return bytes;
}

std::vector<uint8_t> writeBuffer(const EmulatorBuffer &buffer) {
  std::vector<uint8_t> bytes(256);
  endian::write16le(&bytes[0], uint16_t(buffer.address));
  endian::write32le(&bytes[2], buffer.offset);
  endian::write32le(&bytes[6], buffer.size);
  endian::write16le(&bytes[10], buffer.format);
  endian::write16le(&bytes[12], buffer.width);
  endian::write16le(&bytes[14], buffer.height);
  endian::write16le(&bytes[16], buffer.channel);
  endian::write32le(&bytes[18], buffer.lineStride);
  endian::write32le(&bytes[22], buffer.surfaceStride);
  return bytes;
}

} // namespace

LoadableBuilder::LoadableBuilder() { addMemory(LoadableMemory::Alloc, kPage); }

int16_t LoadableBuilder::addMemory(uint16_t flags, uint64_t bytes, uint8_t domain) {
  LoadableMemory memory;
  memory.id = uint16_t(loadable.memories.size());
  memory.domain = domain;
  memory.flags = flags;
  memory.size = bytes;
  memory.alignment = kPage;
  loadable.memories.push_back(memory);
  loadable.addresses.push_back({memory.id, memory.id, 0, bytes});
  if (loadable.tasks.empty()) {
    dataMemories = loadable.memories.size();
  }
  return int16_t(memory.id);
}

void LoadableBuilder::fill(int16_t memory, uint64_t offset, llvm::StringRef name,
                           std::vector<uint8_t> bytes) {
  LoadableMemory &entry = loadable.memories[memory];
  entry.flags |= LoadableMemory::Set;
  entry.contents.push_back(name.str());
  entry.offsets.push_back(offset);
  if (!loadable.findBlob(name)) {
    loadable.blobs.push_back({name.str(), Interface::None, 0, {}, std::move(bytes)});
  }
}

void LoadableBuilder::bind(int16_t memory, uint16_t bindId, LoadableTensor tensor) {
  LoadableMemory &entry = loadable.memories[memory];
  tensor.id = uint16_t(loadable.tensors.size());
  tensor.memoryId = uint16_t(memory);
  entry.bindId = bindId;
  entry.tensorId = tensor.id;
  loadable.tensors.push_back(std::move(tensor));
}

void LoadableBuilder::addBlocks(Interface interface, LoadableVersion version,
                                std::vector<Block> blocks) {
  LoadableTask task;
  task.id = uint16_t(loadable.tasks.size());
  task.interface = interface;
  task.instance = -1;
  size_t dataEnd = dataMemories;
  std::vector<uint16_t> own;
  for (Block &block : blocks) {
    size_t bytes = block.bytes.empty() ? kPage : block.bytes.size();
    int16_t id = addMemory(LoadableMemory::Alloc, bytes);
    own.push_back(uint16_t(id));
    if (!block.bytes.empty()) {
      std::string name = "task-" + std::to_string(task.id) + "-" + block.name;
      fill(id, 0, name, std::move(block.bytes));
      LoadableBlob &blob = loadable.blobs.back();
      blob.interface = interface;
      blob.subInterface = block.subInterface;
      blob.version = version;
    }
  }
  dataMemories = dataEnd;
  task.addresses.push_back(own[0]);
  for (size_t i = 1; i < dataEnd; ++i) {
    task.addresses.push_back(uint16_t(i));
  }
  task.addresses.insert(task.addresses.end(), own.begin() + 1, own.end());
  // The events form one chain: each task waits for the previous one.
  auto addEvent = [&](uint32_t value, bool isSignal) {
    uint16_t id = uint16_t(loadable.events.size());
    loadable.events.push_back({id, 0, 0, value, isSignal});
    return id;
  };
  if (task.id > 0) {
    task.preActions.push_back(addEvent(task.id, false));
  }
  task.postActions.push_back(addEvent(task.id + 1U, true));
  loadable.submits.push_back({task.id, {task.id}});
  loadable.tasks.push_back(std::move(task));
}

void LoadableBuilder::addTask(const DlaTask &task) {
  NetworkDescriptor network = task.network;
  int16_t last = int16_t(dataCount());
  network.dependences = int16_t(last + 1);
  network.operations = int16_t(last + 2);
  network.surfaces = int16_t(last + 3);
  network.luts = int16_t(last + 4);
  network.addressCount = uint16_t(last + 6);
  network.operationCount = uint16_t(task.ops.size());
  network.lutCount = uint16_t(task.luts.size());
  network.heads.fill(-1);
  std::vector<uint8_t> dependences, operations, surfaces, luts;
  for (auto [index, op] : llvm::enumerate(task.ops)) {
    int16_t &head = network.heads[unsigned(op.engine())];
    head = head == -1 ? int16_t(index) : head;
    DependencyDescriptor dependency = op.dependency;
    dependency.engine = uint8_t(op.engine());
    append(dependences, writeDependency(dependency));
    append(operations, writeOperation(op.descriptor, task.layout));
    append(surfaces, writeSurfaces(op.descriptor, task.layout));
  }
  for (const LutDescriptor &lut : task.luts) {
    append(luts, writeLut(lut));
  }
  luts.resize(std::max(luts.size(), kLutBytes));
  bool hasOffset = task.layout == CubeLayout::WithOffset;
  addBlocks(Interface::Dla, hasOffset ? LoadableVersion{0, 12, 3} : LoadableVersion{0, 11, 0},
            {{"addr0", 1, writeNetwork(network)},
             {"dep_graph", 2, std::move(dependences)},
             {"op_list", 3, std::move(operations)},
             {"surf_list", 4, std::move(surfaces)},
             {"lut_list", 5, std::move(luts)},
             {"dummy", 0, {}}});
}

void LoadableBuilder::addTask(const EmulatorTask &task) {
  std::vector<uint8_t> head(256), operations, buffers;
  int16_t last = int16_t(dataCount());
  endian::write16le(&head[0], uint16_t(last + 1));
  endian::write16le(&head[2], uint16_t(last + 2));
  endian::write16le(&head[4], uint16_t(task.ops.size()));
  for (const EmulatorOp &op : task.ops) {
    append(operations, writeOp(op));
    append(buffers, writeBuffer(op.source));
    append(buffers, writeBuffer(op.target));
  }
  addBlocks(Interface::Emulator, {0, 0, 1},
            {{"addr0", 1, std::move(head)},
             {"op_list", 3, std::move(operations)},
             {"op_buf_list", 4, std::move(buffers)},
             {"dummy", 0, {}},
             {"dummy", 0, {}},
             {"dummy", 0, {}}});
}

} // namespace convoy::nvdla
