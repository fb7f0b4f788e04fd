// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates the firmware's scheduler. Each engine takes its operations along the chain of consumers
// on the same engine, starting at the network's head. Up to two operations per engine are
// programmed at a time. A programmed operation is enabled when its dependency count is zero. An
// enabled operation runs when the operations that are fused with it are enabled too. Every step
// notifies the consumers that wait for it, and a fused child notifies its parent.

#include "Accelerators/NVDLA/Loadable/Schedule.h"
#include <deque>
#include <optional>

namespace convoy::nvdla {
namespace {

constexpr size_t kGroups = 2;

bool readsEngine(const HardwareOp &op) {
  if (const auto *sdp = std::get_if<SdpDescriptor>(&op.descriptor)) {
    return sdp->source.type == CubeDescriptor::Engine;
  }
  const auto *pdp = std::get_if<PdpDescriptor>(&op.descriptor);
  return pdp && pdp->source.type == CubeDescriptor::Engine;
}

bool feedsEngine(const HardwareOp &op) {
  if (std::holds_alternative<ConvDescriptor>(op.descriptor)) {
    return true; // CONV cannot write to memory
  }
  const auto *sdp = std::get_if<SdpDescriptor>(&op.descriptor);
  return sdp && sdp->target.type == CubeDescriptor::Engine;
}

class Scheduler {
public:
  Scheduler(const DlaTask &task, llvm::function_ref<llvm::Error(const FusedOps &)> run)
      : task(task), run(run) {}

  llvm::Error schedule() {
    for (const HardwareOp &op : task.ops) {
      counts.push_back(op.dependency.dependencies);
    }
    isEnabled.resize(task.ops.size());
    isTaken.resize(task.ops.size());
    for (unsigned engine = 0; engine < kEngineCount; ++engine) {
      next[engine] = task.network.heads[engine];
    }
    bool isMoving = true;
    while (isMoving) {
      isMoving = false;
      for (auto step : {&Scheduler::programAll, &Scheduler::enableAll, &Scheduler::runAll}) {
        llvm::Expected<bool> moved = (this->*step)();
        if (!moved) {
          return moved.takeError();
        }
        isMoving |= *moved;
      }
    }
    return checkEnd();
  }

private:
  /// Notifies one consumer of an event.
  llvm::Error notify(size_t producer, const Consumer &consumer, OpEvent event) {
    if (consumer.index == -1 || consumer.event != uint8_t(event)) {
      return llvm::Error::success();
    }
    if (consumer.index < 0 || size_t(consumer.index) >= task.ops.size()) {
      return llvm::createStringError("operation %zu has consumer %d; the task has %zu operations",
                                     producer, consumer.index, task.ops.size());
    }
    if (counts[consumer.index] == 0) {
      return llvm::createStringError("operation %d receives more events than its dependency count; "
                                     "the extra one comes from operation %zu",
                                     consumer.index, producer);
    }
    --counts[consumer.index];
    return llvm::Error::success();
  }

  llvm::Error notifyAll(size_t op, OpEvent event) {
    for (const Consumer &consumer : task.ops[op].dependency.consumers) {
      if (llvm::Error error = notify(op, consumer, event)) {
        return error;
      }
    }
    return notify(op, task.ops[op].dependency.fusedParent, event);
  }

  llvm::Expected<bool> programAll() {
    bool isMoved = false;
    for (unsigned engine = 0; engine < kEngineCount; ++engine) {
      if (queues[engine].size() >= kGroups || next[engine] == -1) {
        continue;
      }
      int index = next[engine];
      if (index < 0 || size_t(index) >= task.ops.size() ||
          unsigned(task.ops[index].engine()) != engine || isTaken[index]) {
        return llvm::createStringError("the chain of %s leads to operation %d, which belongs to "
                                       "another engine or has already run",
                                       engineName(Engine(engine)), index);
      }
      isTaken[index] = true;
      queues[engine].push_back(index);
      next[engine] = task.ops[index].dependency.consumers[engine].index;
      if (llvm::Error error = notifyAll(index, OpEvent::Programmed)) {
        return error;
      }
      isMoved = true;
    }
    return isMoved;
  }

  llvm::Expected<bool> enableAll() {
    bool isMoved = false;
    for (std::deque<size_t> &queue : queues) {
      // Engines run in order, so the second operation waits for the first.
      if (queue.empty() || isEnabled[queue.front()] || counts[queue.front()] != 0) {
        continue;
      }
      isEnabled[queue.front()] = true;
      if (llvm::Error error = notifyAll(queue.front(), OpEvent::Enabled)) {
        return error;
      }
      isMoved = true;
    }
    return isMoved;
  }

  std::optional<size_t> enabledFront(Engine engine) const {
    const std::deque<size_t> &queue = queues[unsigned(engine)];
    return queue.empty() || !isEnabled[queue.front()] ? std::nullopt
                                                      : std::optional<size_t>(queue.front());
  }

  /// Returns the group that starts with `first`, or nothing while an operation of it is not
  /// enabled.
  std::optional<FusedOps> gather(size_t first) const {
    FusedOps group = {first};
    while (feedsEngine(task.ops[group.back()])) {
      Engine engine = Engine(unsigned(task.ops[group.back()].engine()) + 1);
      std::optional<size_t> taker = enabledFront(engine);
      if (!taker || !readsEngine(task.ops[*taker])) {
        return std::nullopt;
      }
      group.push_back(*taker);
    }
    return group;
  }

  llvm::Error finish(const FusedOps &group) {
    for (size_t op : group) {
      queues[unsigned(task.ops[op].engine())].pop_front();
      ++done;
    }
    for (size_t op : group) {
      for (OpEvent event : {OpEvent::WeightsRead, OpEvent::DataRead, OpEvent::Completed}) {
        if (llvm::Error error = notifyAll(op, event)) {
          return error;
        }
      }
    }
    return llvm::Error::success();
  }

  llvm::Expected<bool> runAll() {
    for (unsigned engine = 0; engine < kEngineCount; ++engine) {
      std::optional<size_t> first = enabledFront(Engine(engine));
      if (!first || readsEngine(task.ops[*first])) {
        continue;
      }
      std::optional<FusedOps> group = gather(*first);
      if (!group) {
        continue;
      }
      if (llvm::Error error = run(*group)) {
        return error;
      }
      if (llvm::Error error = finish(*group)) {
        return error;
      }
      return true;
    }
    return false;
  }

  llvm::Error checkEnd() const {
    if (done == task.ops.size()) {
      return llvm::Error::success();
    }
    for (const std::deque<size_t> &queue : queues) {
      if (!queue.empty()) {
        size_t op = queue.front();
        return llvm::createStringError(
            "the task stops after %zu of %zu operations: operation %zu (%s) %s", done,
            task.ops.size(), op, engineName(task.ops[op].engine()),
            counts[op] ? "waits for events that no operation sends"
                       : "waits for the operation that is fused with it");
      }
    }
    return llvm::createStringError("the task stops after %zu of %zu operations: no chain of "
                                   "consumers leads to the remaining operations",
                                   done, task.ops.size());
  }

  const DlaTask &task;
  llvm::function_ref<llvm::Error(const FusedOps &)> run;
  std::vector<unsigned> counts;
  std::vector<bool> isEnabled, isTaken;
  std::array<int, kEngineCount> next = {};
  std::array<std::deque<size_t>, kEngineCount> queues;
  size_t done = 0;
};

} // namespace

llvm::Error scheduleTask(const DlaTask &task,
                         llvm::function_ref<llvm::Error(const FusedOps &)> run) {
  return Scheduler(task, run).schedule();
}

} // namespace convoy::nvdla
