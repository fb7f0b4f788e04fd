// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the plan of the place stage to entries, one per node.

#include "Driver/Backends/Device/ExplainModel.h"
#include "Driver/Backends/Device/PreparedModel.h"
#include "Graph/Composite.h"
#include "Graph/NodeName.h"
#include "Place/CpuEstimate.h"
#include "Place/DevicePlan.h"

using namespace mlir;

namespace convoy::driver {
namespace {

using place::Placement;

std::string textOf(Operation *op) {
  std::string text = graph::nodeText(op->getLoc());
  return text.empty() ? op->getName().getStringRef().str() : text;
}

/// Returns how many ops the entry of a placement describes. The first step of a decomposed
/// op on the CPU describes all steps; the other steps have no entry.
int64_t stepsAt(const place::DevicePlan &plan, size_t number) {
  const Placement &placement = plan.placements()[number];
  Location loc = placement.op->getLoc();
  if (placement.region >= 0 || graph::wholeOf(loc).empty()) {
    return 1;
  }
  auto isStep = [&](const Placement &other) {
    return other.region < 0 && other.op->getLoc() == loc;
  };
  bool isFirst = llvm::none_of(plan.placements().take_front(number), isStep);
  return isFirst ? llvm::count_if(plan.placements(), isStep) : 0;
}

/// Returns the other nodes that the device runs in the same layer as a node.
std::vector<std::string> fusedWith(const place::DevicePlan &plan, size_t number) {
  std::vector<std::string> names;
  for (int64_t other : plan.placements()[number].fusedWith) {
    if (static_cast<size_t>(other) != number) {
      names.push_back(textOf(plan.placements()[other].op));
    }
  }
  return names;
}

NodePlacement placementAt(const place::DevicePlan &plan, size_t number, int64_t steps) {
  const Placement &placement = plan.placements()[number];
  NodePlacement node;
  node.node = textOf(placement.op);
  node.op = placement.op->getName().getStringRef().str();
  node.cpuNs = place::estimateCpuNs(placement.op);
  node.region = placement.region;
  node.steps = steps;
  if (placement.region >= 0) {
    node.deviceNs = placement.deviceNs;
    node.fusedWith = fusedWith(plan, number);
    return node;
  }
  if (llvm::StringRef whole = graph::wholeOf(placement.op->getLoc()); !whole.empty()) {
    node.op = whole.str();
    node.isComposite = true;
  }
  node.reason = placement.refusal.reason;
  node.remedy = placement.refusal.remedy;
  if (placement.refusal.quantity) {
    node.limit = {accelerators::name(*placement.refusal.quantity).str(), placement.refusal.actual,
                  placement.refusal.most};
  }
  return node;
}

} // namespace

Result<Explanation> explainModel(const Model &model, const CompileRequest &request) {
  Problems problems;
  std::unique_ptr<PreparedModel> prepared =
      PreparedModel::prepare(model, request, "explain", problems);
  if (!prepared) {
    return problems;
  }
  const accelerators::Accelerator &device = prepared->device();
  place::DevicePlan plan(mainOf(prepared->module()), device, prepared->policy());
  FailureOr<DeviceParts> parts = prepared->split(device);
  problems = prepared->context().log.problems();
  if (succeeded(parts)) {
    problems.append(parts->problems);
  }
  if (failed(parts) || problems.hasErrors()) {
    return problems;
  }
  Explanation result;
  result.placement = std::move(parts->placement);
  result.layers = std::move(parts->layers);
  for (size_t i = 0; i < plan.placements().size(); ++i) {
    if (int64_t steps = stepsAt(plan, i)) {
      result.nodes.push_back(placementAt(plan, i, steps));
    }
  }
  return Result<Explanation>(std::move(result), std::move(problems));
}

} // namespace convoy::driver
