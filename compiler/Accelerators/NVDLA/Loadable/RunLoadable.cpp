// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's part of a run: allocates pages, copies contents in and runs the tasks in order.
// Every memory has its own pages, as with a real allocator.

#include "Accelerators/NVDLA/Loadable/RunLoadable.h"
#include "Accelerators/NVDLA/Loadable/Emulator.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace convoy::nvdla {
namespace {

constexpr uint64_t kPage = 4096;

Port portOf(const LoadableMemory &memory) { return memory.domain == 1 ? Port::Sram : Port::Dram; }

template <typename Job>
llvm::Error runJob(llvm::Expected<Job> job, llvm::Error (*run)(const Job &, const Machine &),
                   const Machine &machine) {
  return job ? run(*job, machine) : job.takeError();
}

llvm::Error runCdpJob(const CdpJob &job, const Machine &machine) { return runCdp(job, machine); }

} // namespace

LoadableRun::LoadableRun(const Loadable &loadable, const HardwareConfig &config)
    : loadable(loadable), config(config) {
  uint64_t base = kPage;
  std::vector<std::vector<uint8_t>> contents = initialContents(loadable);
  for (auto [entry, bytes] : llvm::zip(loadable.memories, contents)) {
    bases.push_back(base);
    memory.load(portOf(entry), base, bytes);
    base += llvm::alignTo(entry.size, kPage) + kPage;
  }
}

const LoadableMemory *LoadableRun::findBound(LoadableMemory::Flags flag, uint16_t bindId) const {
  auto found = llvm::find_if(loadable.memories, [&](const LoadableMemory &entry) {
    return entry.flags & flag && entry.bindId == bindId;
  });
  return found == loadable.memories.end() ? nullptr : &*found;
}

llvm::Error LoadableRun::setInput(uint16_t bindId, llvm::ArrayRef<uint8_t> bytes) {
  const LoadableMemory *entry = findBound(LoadableMemory::Input, bindId);
  if (!entry || bytes.size() > entry->size) {
    return llvm::createStringError("input %u expects at most %" PRIu64 " bytes, got %zu", bindId,
                                   entry ? entry->size : 0, bytes.size());
  }
  memory.load(portOf(*entry), bases[entry - loadable.memories.data()], bytes);
  return llvm::Error::success();
}

llvm::Expected<std::vector<uint8_t>> LoadableRun::output(uint16_t bindId) const {
  const LoadableMemory *entry = findBound(LoadableMemory::Output, bindId);
  if (!entry) {
    return llvm::createStringError("the loadable has no output %u", bindId);
  }
  return memory.copy(portOf(*entry), bases[entry - loadable.memories.data()], entry->size);
}

llvm::Expected<Place> LoadableRun::place(const LoadableTask &task, int index) const {
  if (index < 0 || size_t(index) >= task.addresses.size()) {
    return llvm::createStringError("the address index is %d; the task has %zu addresses", index,
                                   task.addresses.size());
  }
  const LoadableAddress &address = *loadable.findAddress(task.addresses[index]);
  const LoadableMemory &entry = *loadable.findMemory(address.memoryId);
  // Engines read whole atoms, so accesses up to the end of the last page are valid.
  return Place{bases[&entry - loadable.memories.data()] + address.offset,
               llvm::alignTo(entry.size, kPage) - address.offset, portOf(entry)};
}

llvm::Error LoadableRun::runOps(const LoadableTask &task, const DlaTask &dla, const FusedOps &ops) {
  Machine machine = {config, memory};
  auto places = [&](int index) { return place(task, index); };
  FusedJob fused;
  for (size_t index : ops) {
    const EngineDescriptor &descriptor = dla.ops[index].descriptor;
    if (const auto *conv = std::get_if<ConvDescriptor>(&descriptor)) {
      auto job = decodeConv(*conv, places, config.atomBytes);
      if (!job) {
        return job.takeError();
      }
      fused.conv = *job;
    } else if (const auto *sdp = std::get_if<SdpDescriptor>(&descriptor)) {
      auto job = decodeSdp(*sdp, dla, places, config.atomBytes);
      if (!job) {
        return job.takeError();
      }
      fused.sdp = std::move(*job);
    } else if (const auto *pdp = std::get_if<PdpDescriptor>(&descriptor)) {
      auto job = decodePdp(*pdp, places, config.atomBytes);
      if (!job) {
        return job.takeError();
      }
      fused.pdp = *job;
    } else if (const auto *cdp = std::get_if<CdpDescriptor>(&descriptor)) {
      return runJob(decodeCdp(*cdp, dla, places, config.atomBytes), runCdpJob, machine);
    } else if (const auto *rubik = std::get_if<RubikDescriptor>(&descriptor)) {
      return runJob(decodeRubik(*rubik, places, config.atomBytes), runRubik, machine);
    } else {
      auto jobs = decodeBdma(std::get<BdmaDescriptor>(descriptor), places);
      if (!jobs) {
        return jobs.takeError();
      }
      for (const BdmaJob &job : *jobs) {
        if (llvm::Error error = runBdma(job, machine)) {
          return error;
        }
      }
      return llvm::Error::success();
    }
  }
  return runFused(fused, machine);
}

llvm::Error LoadableRun::runEmulator(const LoadableTask &task) {
  llvm::Expected<EmulatorTask> emulator = readEmulatorTask(loadable, task);
  if (!emulator) {
    return emulator.takeError();
  }
  for (const EmulatorOp &op : emulator->ops) {
    if (llvm::Error error =
            runEmulatorOp(op, [&](int index) { return place(task, index); }, {config, memory})) {
      return error;
    }
  }
  return llvm::Error::success();
}

llvm::Error LoadableRun::runTask(const LoadableTask &task) {
  if (task.interface == Interface::Emulator) {
    return runEmulator(task);
  }
  llvm::Expected<DlaTask> dla = readDlaTask(loadable, task);
  if (!dla) {
    return dla.takeError();
  }
  return scheduleTask(*dla, [&](const FusedOps &ops) -> llvm::Error {
    if (llvm::Error error = runOps(task, *dla, ops)) {
      return llvm::createStringError("operation %zu (%s): %s", ops[0],
                                     engineName(dla->ops[ops[0]].engine()),
                                     llvm::toString(std::move(error)).c_str());
    }
    return llvm::Error::success();
  });
}

llvm::Error LoadableRun::run() {
  std::vector<const LoadableSubmit *> order;
  for (const LoadableSubmit &submit : loadable.submits) {
    order.push_back(&submit);
  }
  llvm::sort(order,
             [](const auto *a, const auto *b) { return a->id != b->id ? a->id < b->id : a < b; });
  for (const LoadableSubmit *submit : order) {
    for (uint16_t id : submit->tasks) {
      if (llvm::Error error = runTask(*loadable.findTask(id))) {
        return llvm::createStringError("task %u: %s", id, llvm::toString(std::move(error)).c_str());
      }
    }
  }
  return memory.takeFault();
}

llvm::Expected<std::vector<float>> unpackTensor(const LoadableTensor &tensor,
                                                llvm::ArrayRef<uint8_t> bytes, uint32_t atomBytes) {
  constexpr uint8_t kHalf = 2, kInt16 = 3, kInt8 = 4;
  if (tensor.dataType != kHalf && tensor.dataType != kInt16 && tensor.dataType != kInt8) {
    return llvm::createStringError("tensor '%s' has data type %u; expects half, int16 or int8",
                                   tensor.name.c_str(), tensor.dataType);
  }
  uint32_t width = tensor.dataType == kInt8 ? 1 : 2, lanes = atomBytes / width;
  std::vector<float> values;
  for (int32_t c = 0; c < tensor.c; ++c) {
    for (int32_t y = 0; y < tensor.h; ++y) {
      for (int32_t x = 0; x < tensor.w; ++x) {
        uint64_t at = uint64_t(c / lanes) * tensor.strides[2] + uint64_t(y) * tensor.strides[1] +
                      uint64_t(x) * atomBytes + uint64_t(c % lanes) * width;
        if (at + width > bytes.size()) {
          return llvm::createStringError("tensor '%s' is larger than its memory of %zu bytes",
                                         tensor.name.c_str(), bytes.size());
        }
        uint16_t bits = width == 1 ? bytes[at] : uint16_t(bytes[at] | bytes[at + 1] << 8);
        values.push_back(tensor.dataType == kHalf    ? halfToFloat(bits)
                         : tensor.dataType == kInt16 ? float(int16_t(bits))
                                                     : float(int8_t(bits)));
      }
    }
  }
  return values;
}

} // namespace convoy::nvdla
