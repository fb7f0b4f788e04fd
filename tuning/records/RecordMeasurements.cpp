// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Returns the choices of a snapshot that the verdict about the network permits.

#include "tuning/records/RecordMeasurements.h"
#include "Layout/Spaces.h"

namespace convoy::tuning {

Selection selectionFor(llvm::StringRef targetFingerprint, llvm::StringRef policy) {
  Selection selection;
  selection.target = targetFingerprint.str();
  selection.policy = policy.str();
  for (const layout::TemplateVersion &known : layout::templateVersions()) {
    selection.templateVersions[known.id.str()] = known.version;
  }
  return selection;
}

layout::TaskMeasurements RecordMeasurements::find(const std::string &key,
                                                  const layout::TaskCounts &network) const {
  const Verdict *decision = verdict ? &*verdict : snapshot.verdict(networkKey(network));
  layout::TaskMeasurements found;
  std::vector<RankedConfiguration> choices = snapshot.choices(key, decision);
  found.isPassedOver = choices.empty() && !snapshot.choices(key).empty();
  for (const RankedConfiguration &choice : choices) {
    const std::string &input = choice.configuration.inputLayout;
    found.configurations.push_back(
        {choice.configuration.text, input == kPlanarLayout ? "" : input, choice.ns});
  }
  return found;
}

} // namespace convoy::tuning
