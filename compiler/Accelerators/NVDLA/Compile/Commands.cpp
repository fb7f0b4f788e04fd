// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serializes the commands. Numbers are 32-bit little-endian. Lists, strings and the loadable are
// preceded by their count.

#include "Accelerators/NVDLA/Compile/Commands.h"
#include "llvm/Support/Endian.h"

namespace convoy::nvdla {
namespace {

constexpr uint32_t kMagic = 0x444c564e; // "NVLD"

class Writer {
public:
  void word(uint64_t value) {
    uint8_t raw[4];
    llvm::support::endian::write32le(raw, uint32_t(value));
    bytes.insert(bytes.end(), raw, raw + 4);
  }
  template <typename Range>
  void blob(const Range &range) {
    word(range.size());
    bytes.insert(bytes.end(), range.begin(), range.end());
  }
  void tensors(const std::vector<BoundTensor> &list) {
    word(list.size());
    for (const BoundTensor &tensor : list) {
      word(tensor.address);
      word(tensor.bytes);
      word(tensor.storedBy);
    }
  }
  std::vector<uint8_t> bytes;
};

class CommandReader {
public:
  explicit CommandReader(llvm::ArrayRef<uint8_t> rest) : rest(rest) {}

  uint32_t word() {
    llvm::ArrayRef<uint8_t> raw = take(4);
    return raw.empty() ? 0 : llvm::support::endian::read32le(raw.data());
  }
  /// Reads a count of items of `each` bytes; returns 0 if the data is too short for them.
  uint32_t count(size_t each) {
    uint32_t value = word();
    isBroken |= value > rest.size() / each;
    return isBroken ? 0 : value;
  }
  llvm::ArrayRef<uint8_t> blob() { return take(count(1)); }
  std::vector<BoundTensor> tensors() {
    std::vector<BoundTensor> list(count(12));
    for (BoundTensor &tensor : list) {
      tensor.address = word();
      tensor.bytes = word();
      tensor.storedBy = word();
    }
    return list;
  }
  bool isBroken = false;

private:
  llvm::ArrayRef<uint8_t> take(size_t bytes) {
    isBroken |= bytes > rest.size();
    if (isBroken) {
      return {};
    }
    llvm::ArrayRef<uint8_t> taken = rest.take_front(bytes);
    rest = rest.drop_front(bytes);
    return taken;
  }

  llvm::ArrayRef<uint8_t> rest;
};

} // namespace

std::vector<uint8_t> writeCommands(const Commands &commands) {
  Writer writer;
  writer.word(kMagic);
  writer.tensors(commands.inputs);
  writer.tensors(commands.outputs);
  writer.word(commands.layers.size());
  for (const std::string &name : commands.layers) {
    writer.blob(name);
  }
  writer.word(commands.groupLayers.size());
  for (uint32_t layer : commands.groupLayers) {
    writer.word(layer);
  }
  writer.blob(commands.loadable);
  return std::move(writer.bytes);
}

llvm::Expected<Commands> readCommands(llvm::ArrayRef<uint8_t> bytes) {
  CommandReader reader(bytes);
  Commands commands;
  bool isOurs = reader.word() == kMagic;
  commands.inputs = reader.tensors();
  commands.outputs = reader.tensors();
  commands.layers.resize(reader.count(4));
  for (std::string &name : commands.layers) {
    llvm::ArrayRef<uint8_t> text = reader.blob();
    name.assign(text.begin(), text.end());
  }
  commands.groupLayers.resize(reader.count(4));
  for (uint32_t &layer : commands.groupLayers) {
    layer = reader.word();
    reader.isBroken |= layer >= commands.layers.size();
  }
  commands.loadable = reader.blob().vec();
  if (!isOurs || reader.isBroken) {
    return llvm::createStringError("the data is not an NVDLA program, or it is truncated");
  }
  return commands;
}

} // namespace convoy::nvdla
