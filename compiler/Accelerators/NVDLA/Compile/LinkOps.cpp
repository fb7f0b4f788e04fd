// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills in the dependency descriptors of a task. An operation names one consumer per engine. Within
// a group, the producer notifies its consumer when it is programmed, and the consumer notifies the
// producer (its fused parent) when it is enabled. Between groups, the last operation of one
// notifies the first operation of the other when it is complete. An engine runs its operations in
// order. Therefore only the first operation of an engine that needs a result waits for it, and it
// waits only for the last writer of each engine.

#include "Accelerators/NVDLA/Compile/LinkOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace convoy::nvdla {
namespace {

/// A byte range of one of the task's memories.
struct Span {
  int16_t address;
  uint64_t begin, end;

  bool meets(const Span &other) const {
    return address == other.address && begin < other.end && other.begin < end;
  }
};

struct Traffic {
  std::vector<Span> reads, writes;
};

bool meet(llvm::ArrayRef<Span> some, llvm::ArrayRef<Span> others) {
  return llvm::any_of(some, [&](const Span &span) {
    return llvm::any_of(others, [&](const Span &other) { return span.meets(other); });
  });
}

class Linker {
public:
  Linker(DlaTask &task, const HardwareConfig &config) : task(task), config(config) {}

  void run(llvm::ArrayRef<EmittedGroup> groups) {
    linkChains();
    std::vector<Traffic> traffic;
    for (const EmittedGroup &group : groups) {
      traffic.push_back(trafficOf(group));
      for (size_t i = 0; i + 1 < group.ops.size(); ++i) {
        linkFused(group.ops[i], group.ops[i + 1]);
      }
    }
    for (size_t g = 0; g < groups.size(); ++g) {
      linkResults(groups, traffic, g);
    }
    count();
  }

private:
  Engine lastEngine(const EmittedGroup &group) const { return task.ops[group.ops.back()].engine(); }

  void addSpan(std::vector<Span> &spans, const CubeDescriptor &cube, uint8_t precision) const {
    if (cube.type == CubeDescriptor::Engine || cube.height == 0) {
      return;
    }
    uint32_t bytes = bytesPerElement(Precision(precision));
    uint64_t end = uint64_t(cube.height - 1) * cube.lineStride;
    if (cube.planeStride != 0) { // planes, which only RUBIK reads and writes
      end += uint64_t(cube.channel - 1) * cube.planeStride + uint64_t(cube.width) * bytes;
    } else {
      uint64_t surfaces = llvm::divideCeil(uint64_t(cube.channel) * bytes, config.atomBytes);
      end += (surfaces - 1) * cube.surfaceStride + uint64_t(cube.width) * config.atomBytes;
    }
    spans.push_back({cube.address, cube.offset, cube.offset + end});
  }

  Traffic trafficOf(const EmittedGroup &group) const {
    Traffic traffic;
    for (size_t index : group.ops) {
      const EngineDescriptor &descriptor = task.ops[index].descriptor;
      if (const auto *conv = std::get_if<ConvDescriptor>(&descriptor)) {
        addSpan(traffic.reads, conv->source, conv->inPrecision);
      } else if (const auto *sdp = std::get_if<SdpDescriptor>(&descriptor)) {
        for (const CubeDescriptor *cube : {&sdp->source, &sdp->x1Data, &sdp->x2Data}) {
          addSpan(traffic.reads, *cube, sdp->inPrecision);
        }
        addSpan(traffic.writes, sdp->target, sdp->outPrecision);
      } else if (const auto *pdp = std::get_if<PdpDescriptor>(&descriptor)) {
        addSpan(traffic.reads, pdp->source, pdp->precision);
        addSpan(traffic.writes, pdp->target, pdp->precision);
      } else if (const auto *cdp = std::get_if<CdpDescriptor>(&descriptor)) {
        addSpan(traffic.reads, cdp->source, cdp->inPrecision);
        addSpan(traffic.writes, cdp->target, cdp->outPrecision);
      } else if (const auto *rubik = std::get_if<RubikDescriptor>(&descriptor)) {
        addSpan(traffic.reads, rubik->source, rubik->precision);
        addSpan(traffic.writes, rubik->target, rubik->precision);
      }
    }
    return traffic;
  }

  /// Makes group `g` wait for the earlier groups whose results or memory it needs.
  void linkResults(llvm::ArrayRef<EmittedGroup> groups, llvm::ArrayRef<Traffic> traffic, size_t g) {
    std::array<bool, kEngineCount> isWaitedFor = {};
    for (size_t p = g; p-- > 0;) {
      Engine engine = lastEngine(groups[p]);
      if (isWaitedFor[unsigned(engine)]) {
        continue; // already waits for a later group of this engine
      }
      // The engine itself keeps the order of two writes.
      bool isInOrder = engine == lastEngine(groups[g]);
      if (meet(traffic[p].writes, traffic[g].reads) ||
          (!isInOrder && (meet(traffic[p].writes, traffic[g].writes) ||
                          meet(traffic[p].reads, traffic[g].writes)))) {
        isWaitedFor[unsigned(engine)] = true;
        waitFor(groups[p].ops.back(), groups[g].ops.front());
      }
    }
  }

  void waitFor(size_t producer, size_t consumer) {
    unsigned engine = unsigned(task.ops[consumer].engine());
    Consumer &slot = task.ops[producer].dependency.consumers[engine];
    // A consumer that is already named comes before this consumer on its engine.
    slot.index = slot.index < 0 ? int16_t(consumer) : slot.index;
    slot.event = uint8_t(OpEvent::Completed);
  }

  void setConsumer(size_t from, size_t to, OpEvent event) {
    unsigned engine = unsigned(task.ops[to].engine());
    task.ops[from].dependency.consumers[engine] = {int16_t(to), uint8_t(event)};
  }

  /// Links the operations of each engine in order; a stricter edge replaces such a link.
  void linkChains() {
    std::array<int, kEngineCount> last;
    last.fill(-1);
    for (size_t i = 0; i < task.ops.size(); ++i) {
      int &before = last[unsigned(task.ops[i].engine())];
      if (before >= 0) {
        setConsumer(size_t(before), i, OpEvent::Programmed);
      }
      before = int(i);
    }
  }

  void linkFused(size_t producer, size_t consumer) {
    setConsumer(producer, consumer, OpEvent::Programmed);
    task.ops[consumer].dependency.fusedParent = {int16_t(producer), uint8_t(OpEvent::Enabled)};
  }

  void count() {
    for (HardwareOp &op : task.ops) {
      for (const Consumer &consumer : op.dependency.consumers) {
        add(consumer);
      }
      add(op.dependency.fusedParent);
    }
  }

  void add(const Consumer &consumer) {
    if (consumer.index >= 0) {
      ++task.ops[consumer.index].dependency.dependencies;
    }
  }

  DlaTask &task;
  const HardwareConfig &config;
};

} // namespace

void linkOps(DlaTask &task, llvm::ArrayRef<EmittedGroup> groups, const HardwareConfig &config) {
  Linker(task, config).run(groups);
}

} // namespace convoy::nvdla
