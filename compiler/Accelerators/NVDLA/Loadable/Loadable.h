// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled network for NVDLA as plain lists with the contents of the FlatBuffers file.
// Loadable.fbs is the schema; Descriptors.h describes the blobs of a task.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace convoy::nvdla {

struct LoadableVersion {
  uint8_t major = 0, minor = 0, subMinor = 0;
};

/// The consumer of a task or blob.
enum class Interface : uint32_t { None = 0, Dla = 1, Emulator = 2 };

struct LoadableBlob {
  std::string name;
  Interface interface = Interface::None;
  /// DLA: 1 network, 2 dependences, 3 operations, 4 surfaces, 5 tables; 0 in old files.
  uint32_t subInterface = 0;
  LoadableVersion version;
  std::vector<uint8_t> data;
};

struct LoadableMemory {
  enum Flags : uint16_t { Alloc = 1, Set = 2, Input = 4, Output = 8, Debug = 16 };
  uint16_t id = 0;
  /// 0 DRAM, 1 SRAM.
  uint8_t domain = 0;
  uint16_t flags = 0;
  uint64_t size = 0;
  uint32_t alignment = 0;
  /// Names of the blobs to copy in, and their offsets.
  std::vector<std::string> contents;
  std::vector<uint64_t> offsets;
  uint16_t bindId = 0, tensorId = 0;
};

struct LoadableAddress {
  uint16_t id = 0, memoryId = 0;
  uint64_t offset = 0, size = 0;
};

struct LoadableEvent {
  uint16_t id = 0;
  uint8_t type = 0;
  uint16_t target = 0;
  uint32_t value = 0;
  bool isSignal = false; // otherwise a wait
};

struct LoadableTask {
  uint16_t id = 0;
  Interface interface = Interface::None;
  int16_t instance = 0;
  std::vector<uint16_t> addresses, preActions, postActions;
};

struct LoadableSubmit {
  uint16_t id = 0;
  std::vector<uint16_t> tasks;
};

struct LoadableTensor {
  std::string name;
  uint16_t id = 0, memoryId = 0;
  uint64_t size = 0, offset = 0;
  uint8_t dataFormat = 0, dataType = 0, dataCategory = 0, pixelFormat = 0, pixelMapping = 0;
  int32_t n = 0, c = 0, h = 0, w = 0;
  /// Bytes of an element, a line and a surface; the other entries are unused.
  std::array<uint32_t, 8> strides = {};
};

struct LoadableRelocation {
  uint16_t addressId = 0, memoryId = 0;
  uint64_t offset = 0;
  uint32_t interface = 0, subInterface = 0;
  uint8_t type = 0;
};

struct Loadable {
  LoadableVersion version = {0, 7, 0};
  std::vector<LoadableTask> tasks;
  std::vector<LoadableMemory> memories;
  std::vector<LoadableAddress> addresses;
  std::vector<LoadableEvent> events;
  std::vector<LoadableBlob> blobs;
  std::vector<LoadableTensor> tensors;
  std::vector<LoadableRelocation> relocations;
  std::vector<LoadableSubmit> submits;

  const LoadableBlob *findBlob(llvm::StringRef name) const;
  const LoadableMemory *findMemory(uint16_t id) const;
  const LoadableAddress *findAddress(uint16_t id) const;
  const LoadableTask *findTask(uint16_t id) const;
};

/// Parses a loadable. `bytes` is untrusted: data that is not a consistent loadable is an error. The
/// file identifier "NVDA" is not required, because older files lack it.
llvm::Expected<Loadable> readLoadable(llvm::ArrayRef<uint8_t> bytes);

/// Writes a loadable deterministically.
std::vector<uint8_t> writeLoadable(const Loadable &loadable);

} // namespace convoy::nvdla
