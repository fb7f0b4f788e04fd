// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers the ops on trial (Accelerators/LayerFunction.h) until the device refuses none of them,
// then forms regions. A region is a connected set of ops of one level. The level increases where a
// value passes from the device to the CPU or back:
//
//     a --> b --> c      a, b on the device, level 1     d depends on c, which runs on
//      \           \     c on the CPU, level 2           the CPU, so d has level 3 and
//       `---------> d    d on the device, level 3        is not in the region of a and b
//
// Levels never decrease along an edge, so regions have no cyclic dependences.

#include "Place/DevicePlan.h"
#include "Accelerators/LayerFunction.h"
#include "ConvCore/ConvCore.h"
#include "ConvCore/FromGraph.h"
#include "Graph/Composite.h"
#include "Graph/Graph.h"
#include "Place/CpuEstimate.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace convoy::place {
namespace {

using accelerators::Refusal;

bool isMovement(Operation *layer) {
  return isa<convcore::CopyOp, convcore::ConcatOp, convcore::ReshapeOp, convcore::SliceOp,
             convcore::TransposeOp, convcore::RearrangeOp>(layer);
}

} // namespace

DevicePlan::DevicePlan(func::FuncOp function, const accelerators::Accelerator &device,
                       PlacePolicy policy)
    : function(function), device(device) {
  // The pass declares this dialect, so this is a no-op there; other callers need it.
  function.getContext()->loadDialect<convcore::ConvCoreDialect>();
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!isa<graph::ConstantOp>(op)) {
      Placement placement;
      placement.op = &op;
      list.push_back(std::move(placement));
    }
  }
  isTaken.assign(list.size(), true);
  isIdle.assign(list.size(), true);
  while (!tryOnce()) {
    keepWhole();
  }
  findRegions();
  dropIdleRegions();
  if (policy == PlacePolicy::Fastest) {
    dropSlowerRegions();
  }
}

void DevicePlan::refuse(Operation *layer, const Refusal &refusal) {
  for (int64_t node : convcore::nodesOf(layer)) {
    isTaken[node] = false;
    list[node].refusal = refusal;
  }
}

/// Keeps the steps of one ONNX op together. If one step is refused, all are refused, so that no
/// value crosses the border in the middle of a decomposed op.
void DevicePlan::keepWhole() {
  llvm::DenseMap<Attribute, std::string> reasons; // by location
  for (size_t i = 0; i < list.size(); ++i) {
    Location loc = list[i].op->getLoc();
    llvm::StringRef whole = graph::wholeOf(loc);
    if (!whole.empty() && !isTaken[i]) {
      std::string prefix = (whole + " is not split: ").str();
      const std::string &reason = list[i].refusal.reason;
      bool isKnown = llvm::StringRef(reason).starts_with(prefix); // from an earlier trial
      reasons.try_emplace(LocationAttr(loc), isKnown ? reason : prefix + reason);
    }
  }
  for (size_t i = 0; i < list.size(); ++i) {
    auto reason = reasons.find(LocationAttr(list[i].op->getLoc()));
    if (reason != reasons.end() && list[i].refusal.reason != reason->second) {
      isTaken[i] = false;
      list[i].refusal = {reason->second, "", std::nullopt};
    }
  }
}

/// Lowers the ops that have not been refused; returns false if one of them has no layer.
bool DevicePlan::addTaken(accelerators::LayerFunction &trial) {
  bool isWhole = true;
  for (size_t i = 0; i < list.size(); ++i) {
    std::string reason = isTaken[i] ? trial.add(list[i].op, static_cast<int64_t>(i)) : "";
    if (!reason.empty()) {
      isTaken[i] = false;
      isWhole = false;
      list[i].refusal = {reason, "", std::nullopt};
    }
  }
  return isWhole;
}

/// Returns the values that ops outside of the trial use.
SmallVector<Value> DevicePlan::neededValues() const {
  llvm::SmallPtrSet<Operation *, 32> taken;
  for (size_t i = 0; i < list.size(); ++i) {
    if (isTaken[i]) {
      taken.insert(list[i].op);
    }
  }
  SmallVector<Value> needed;
  auto isOutside = [&](Operation *user) { return !taken.contains(user); };
  for (const Placement &placement : list) {
    if (isOutside(placement.op)) {
      continue;
    }
    llvm::copy_if(placement.op->getResults(), std::back_inserter(needed),
                  [&](Value result) { return llvm::any_of(result.getUsers(), isOutside); });
  }
  return needed;
}

/// Lowers all ops that have not been refused; returns false if the device refuses one of them.
bool DevicePlan::tryOnce() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  accelerators::LayerFunction trial(*module, function.getLoc(), "trial");
  if (!addTaken(trial)) {
    return false;
  }
  func::FuncOp layers = trial.finish(neededValues(), device);
  bool isWhole = true;
  for (Operation &layer : layers.getBody().front().without_terminator()) {
    if (std::optional<Refusal> refusal = accelerators::whyNot(device, &layer)) {
      refuse(&layer, *refusal);
      isWhole = false;
    }
  }
  if (isWhole) {
    readTrial(layers);
  }
  return isWhole;
}

/// Records which ops are fused and the estimated time of each.
void DevicePlan::readTrial(func::FuncOp trial) {
  for (Operation &layer : trial.getBody().front().without_terminator()) {
    ArrayRef<int64_t> nodes = convcore::nodesOf(&layer);
    if (nodes.empty()) {
      continue;
    }
    double share = device.estimate(&layer).nanoseconds / static_cast<double>(nodes.size());
    for (int64_t node : nodes) {
      Placement &placement = list[node];
      placement.deviceNs += share;
      isIdle[node] = isIdle[node] && isMovement(&layer);
      for (int64_t other : nodes) {
        if (!llvm::is_contained(placement.fusedWith, other)) {
          placement.fusedWith.push_back(other);
        }
      }
    }
  }
}

void DevicePlan::findRegions() {
  llvm::DenseMap<Operation *, int64_t> indexOf;
  std::vector<int64_t> level(list.size(), 0);
  llvm::EquivalenceClasses<int64_t> classes;
  for (auto [i, placement] : llvm::enumerate(list)) {
    int64_t self = static_cast<int64_t>(i);
    indexOf[placement.op] = self;
    SmallVector<int64_t> producers;
    placement.op->walk([&](Operation *inner) { // nested regions read outer values
      for (Value operand : inner->getOperands()) {
        auto it = indexOf.find(operand.getDefiningOp());
        if (operand.getDefiningOp() && it != indexOf.end() && it->second != self) {
          producers.push_back(it->second);
        }
      }
    });
    for (int64_t producer : producers) {
      level[i] = std::max(level[i], level[producer] + (isTaken[producer] != isTaken[i] ? 1 : 0));
    }
    if (!isTaken[i]) {
      continue;
    }
    classes.insert(self);
    for (int64_t producer : producers) {
      if (isTaken[producer] && level[producer] == level[i]) {
        classes.unionSets(self, producer);
      }
    }
  }
  llvm::DenseMap<int64_t, int64_t> numberOf;
  for (size_t i = 0; i < list.size(); ++i) {
    if (isTaken[i]) {
      int64_t leader = classes.getLeaderValue(static_cast<int64_t>(i));
      list[i].region = numberOf.try_emplace(leader, numberOf.size()).first->second;
    }
  }
  regions = static_cast<int64_t>(numberOf.size());
}

/// Moves regions that only move elements to the CPU, which needs no transfer for them.
void DevicePlan::dropIdleRegions() {
  SmallVector<bool> isUseful(regions, false);
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].region >= 0 && !isIdle[i]) {
      isUseful[list[i].region] = true;
    }
  }
  for (Placement &placement : list) {
    if (placement.region >= 0 && !isUseful[placement.region]) {
      placement.refusal = {"the region only moves elements, which the CPU does without a transfer",
                           "", std::nullopt};
    }
  }
  renumberRegions(isUseful);
}

/// Keeps a region on the CPU if the device is not estimated to be faster. A region without
/// an estimate stays on the device.
void DevicePlan::dropSlowerRegions() {
  std::vector<double> cpuNs(regions, 0), deviceNs(regions, 0);
  for (const Placement &placement : list) {
    if (placement.region >= 0) {
      cpuNs[placement.region] += estimateCpuNs(placement.op);
      deviceNs[placement.region] += placement.deviceNs;
    }
  }
  SmallVector<bool> isFaster(regions, true);
  for (int64_t region = 0; region < regions; ++region) {
    isFaster[region] = deviceNs[region] == 0 || deviceNs[region] < cpuNs[region];
  }
  for (Placement &placement : list) {
    if (placement.region >= 0 && !isFaster[placement.region]) {
      placement.isSlower = true;
      placement.refusal = {
          llvm::formatv("its region is estimated to take {0:f1} us on {1} and {2:f1} us on one "
                        "CPU core",
                        deviceNs[placement.region] / 1e3, device.name(),
                        cpuNs[placement.region] / 1e3)
              .str(),
          "--place=all places it", std::nullopt};
    }
  }
  renumberRegions(isFaster);
}

/// Moves the ops of the regions that are not kept to the CPU and closes the gaps in the
/// numbers of the regions that are.
void DevicePlan::renumberRegions(ArrayRef<bool> isKept) {
  std::vector<int64_t> renumbered(regions, -1);
  int64_t next = 0;
  for (int64_t region = 0; region < regions; ++region) {
    renumbered[region] = isKept[region] ? next++ : -1;
  }
  for (Placement &placement : list) {
    if (placement.region >= 0) {
      placement.region = renumbered[placement.region];
      if (placement.region < 0) {
        placement.fusedWith.clear();
        placement.deviceNs = 0;
      }
    }
  }
  regions = next;
}

std::vector<Operation *> DevicePlan::opsOf(int64_t region) const {
  std::vector<Operation *> ops;
  for (const Placement &placement : list) {
    if (placement.region == region) {
      ops.push_back(placement.op);
    }
  }
  return ops;
}

} // namespace convoy::place
