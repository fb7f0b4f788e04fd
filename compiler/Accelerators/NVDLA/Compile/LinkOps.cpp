// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation names one consumer per engine. Within a group the producer tells its
// consumer that it is programmed, and the consumer tells the producer, its fused parent,
// that it is enabled. The last of a group starts the next group.

#include "Accelerators/NVDLA/Compile/LinkOps.h"

namespace convoy::nvdla {
namespace {

class Linker {
public:
  explicit Linker(DlaTask &task) : task(task) {}

  void run(llvm::ArrayRef<EmittedGroup> groups) {
    linkChains();
    for (size_t g = 0; g < groups.size(); ++g) {
      for (size_t i = 0; i + 1 < groups[g].ops.size(); ++i) {
        linkFused(groups[g].ops[i], groups[g].ops[i + 1]);
      }
      if (g + 1 < groups.size()) {
        setConsumer(groups[g].ops.back(), groups[g + 1].ops.front(), OpEvent::Completed);
      }
    }
    count();
  }

private:
  void setConsumer(size_t from, size_t to, OpEvent event) {
    unsigned engine = unsigned(task.ops[to].engine());
    task.ops[from].dependency.consumers[engine] = {int16_t(to), uint8_t(event)};
  }

  /// Both are programmed in turn; a stricter edge replaces this one.
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
};

} // namespace

void linkOps(DlaTask &task, llvm::ArrayRef<EmittedGroup> groups) { Linker(task).run(groups); }

} // namespace convoy::nvdla
