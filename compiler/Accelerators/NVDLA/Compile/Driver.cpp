// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host driver in front of the simulated device. It packs the caller's tensors into the device's
// layout, runs the loadable on the engine simulator in the firmware's order, and unpacks the
// results. Reported times are those of the cycle model.

#include "Accelerators/NVDLA/Compile/Driver.h"
#include "Accelerators/NVDLA/Compile/Commands.h"
#include "Accelerators/NVDLA/Inspect/InspectLoadable.h"
#include "Accelerators/NVDLA/Loadable/RunLoadable.h"
#include "convoy/convoy.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::nvdla {
namespace {

class NvdlaSimulator : public accelerators::Simulator {
public:
  explicit NvdlaSimulator(const HardwareConfig &config) : config(config) {}

  void skipData() override { isTimeOnly = true; }
  std::vector<accelerators::LayerReport> report() const override { return reports; }

protected:
  int execute(llvm::ArrayRef<uint8_t> bytes, llvm::MutableArrayRef<uint8_t> memory) override {
    llvm::Error error = run(bytes, memory);
    return error ? fail(CONVOY_ERROR_PROGRAM, llvm::toString(std::move(error))) : CONVOY_OK;
  }

private:
  llvm::Error run(llvm::ArrayRef<uint8_t> bytes, llvm::MutableArrayRef<uint8_t> memory) {
    llvm::Expected<Commands> commands = readCommands(bytes);
    if (!commands) {
      return commands.takeError();
    }
    llvm::Expected<InspectedLoadable> loadable =
        inspectLoadable("program", commands->loadable, &config);
    if (!loadable) {
      return loadable.takeError();
    }
    addReports(*commands, *loadable);
    return isTimeOnly ? llvm::Error::success() : compute(*commands, loadable->loadable, memory);
  }

  llvm::Error compute(const Commands &commands, const Loadable &loadable,
                      llvm::MutableArrayRef<uint8_t> memory) const {
    LoadableRun run(loadable, config);
    for (size_t i = 0; i < commands.inputs.size(); ++i) {
      const BoundTensor &bound = commands.inputs[i];
      llvm::Expected<const LoadableTensor *> tensor =
          find(loadable, LoadableMemory::Input, i, bound, memory);
      if (!tensor) {
        return tensor.takeError();
      }
      std::vector<uint8_t> cube((*tensor)->size);
      forEachByte(**tensor, bound, [&](size_t plain, size_t packed) {
        cube[packed] = uint8_t(memory[plain] - bound.storedBy);
      });
      if (llvm::Error error = run.setInput(uint16_t(i), cube)) {
        return error;
      }
    }
    if (llvm::Error error = run.run()) {
      return error;
    }
    for (size_t i = 0; i < commands.outputs.size(); ++i) {
      const BoundTensor &bound = commands.outputs[i];
      llvm::Expected<const LoadableTensor *> tensor =
          find(loadable, LoadableMemory::Output, i, bound, memory);
      if (!tensor) {
        return tensor.takeError();
      }
      llvm::Expected<std::vector<uint8_t>> cube = run.output(uint16_t(i));
      if (!cube) {
        return cube.takeError();
      }
      cube->resize((*tensor)->size);
      forEachByte(**tensor, bound, [&](size_t plain, size_t packed) {
        memory[plain] = uint8_t((*cube)[packed] + bound.storedBy);
      });
    }
    return llvm::Error::success();
  }

  /// Returns whether the tensor is an image instead of a cube.
  static bool isImage(const LoadableTensor &tensor) { return tensor.pixelFormat < 36; }

  uint64_t elementBytes(const LoadableTensor &tensor) const { return tensor.dataType == 4 ? 1 : 2; }

  /// Returns the tensor bound with this id, or an error if its layout or its size in `memory` does
  /// not match.
  llvm::Expected<const LoadableTensor *> find(const Loadable &loadable, uint16_t flag, size_t id,
                                              const BoundTensor &bound,
                                              llvm::ArrayRef<uint8_t> memory) const {
    for (const LoadableMemory &entry : loadable.memories) {
      if (!(entry.flags & flag) || entry.bindId != id ||
          entry.tensorId >= loadable.tensors.size()) {
        continue;
      }
      const LoadableTensor &tensor = loadable.tensors[entry.tensorId];
      uint64_t lanes = config.atomBytes / elementBytes(tensor);
      auto extent = [](int32_t value) { return uint64_t(std::max(value, 0)); };
      uint64_t surfaces = (extent(tensor.c) + lanes - 1) / lanes;
      if (isImage(tensor)) {
        uint64_t planes = extent(tensor.h) * extent(tensor.w) * elementBytes(tensor);
        bool fits =
            tensor.strides[1] >= extent(tensor.w) * extent(tensor.c) * elementBytes(tensor) &&
            tensor.size == extent(tensor.h) * tensor.strides[1] && tensor.size <= entry.size &&
            bound.address <= memory.size() && bound.bytes <= memory.size() - bound.address &&
            planes > 0 && bound.bytes % planes == 0 && bound.bytes / planes <= extent(tensor.c);
        if (fits) {
          return &tensor;
        }
        continue;
      }
      bool isPacked = tensor.strides[1] == extent(tensor.w) * config.atomBytes &&
                      tensor.strides[2] == tensor.strides[1] * extent(tensor.h) &&
                      tensor.size == surfaces * tensor.strides[2] && tensor.size <= entry.size;
      bool isThere = bound.address <= memory.size() &&
                     bound.bytes <= memory.size() - bound.address &&
                     bound.bytes == extent(tensor.c) * extent(tensor.h) * extent(tensor.w) *
                                        elementBytes(tensor);
      if (isPacked && isThere) {
        return &tensor;
      }
    }
    return llvm::createStringError("tensor %zu of the program matches no tensor of the loadable",
                                   id);
  }

  /// Calls fn(index of the caller's byte, index of the cube's byte) for each byte.
  template <typename Fn>
  void forEachByte(const LoadableTensor &tensor, const BoundTensor &bound, Fn fn) const {
    uint64_t each = elementBytes(tensor);
    uint64_t lanes = config.atomBytes / each;
    uint64_t plain = bound.address;
    // A pixel may have more samples than the tensor has channels.
    uint64_t channels = bound.bytes / (uint64_t(tensor.h) * uint64_t(tensor.w) * each);
    for (uint64_t c = 0; c < channels; ++c) {
      for (uint64_t y = 0; y < uint64_t(tensor.h); ++y) {
        for (uint64_t x = 0; x < uint64_t(tensor.w); ++x) {
          uint64_t packed = isImage(tensor)
                                ? y * tensor.strides[1] + (x * uint64_t(tensor.c) + c) * each
                                : c / lanes * tensor.strides[2] + y * tensor.strides[1] +
                                      x * config.atomBytes + c % lanes * each;
          for (uint64_t byte = 0; byte < each; ++byte) {
            fn(plain++, packed + byte);
          }
        }
      }
    }
  }

  /// Adds one report row per layer. Commands list groups in the order of operations, which may
  /// differ from the firmware's order.
  void addReports(const Commands &commands, const InspectedLoadable &loadable) {
    std::vector<accelerators::LayerReport> rows(commands.layers.size());
    std::vector<double> macs(rows.size()), busy(rows.size());
    size_t group = 0;
    for (const InspectedTask &task : loadable.tasks) {
      std::vector<const InspectedLayer *> layers;
      for (const InspectedLayer &layer : task.layers) {
        layers.push_back(&layer);
      }
      llvm::sort(layers, [](const auto *a, const auto *b) { return a->ops < b->ops; });
      for (const InspectedLayer *layer : layers) {
        if (group >= commands.groupLayers.size()) {
          break;
        }
        size_t index = commands.groupLayers[group++];
        accelerators::LayerReport &row = rows[index];
        row.unit = layer->cycles.units;
        row.cycles += double(layer->cycles.totalCycles);
        row.stallCycles += double(layer->cycles.stallCycles);
        row.bytesMoved += int64_t(layer->cycles.movedBytes());
        auto ran = double(layer->end - layer->begin);
        macs[index] += layer->utilization * ran;
        busy[index] += ran;
      }
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i].name = commands.layers[i];
      rows[i].utilization = busy[i] > 0 ? macs[i] / busy[i] : 0;
    }
    reports = std::move(rows);
  }

  const HardwareConfig &config;
  bool isTimeOnly = false;
  std::vector<accelerators::LayerReport> reports;
};

} // namespace

std::unique_ptr<accelerators::Simulator> createSimulator(const HardwareConfig &config) {
  return std::make_unique<NvdlaSimulator>(config);
}

} // namespace convoy::nvdla
