// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPUs with an operating system: object code in a shared library, or in this process. The back end
// of microcontrollers extends it.

#pragma once

#include "Driver/ResolveTarget.h"

namespace convoy::driver {

class MachineBackend : public Backend {
public:
  explicit MachineBackend(BackendFacts facts = {"CPU", Emit::Library}) : Backend(facts) {}

  llvm::Error checkRunnable(const ResolvedTarget &target) const override;
  std::string whyNotNative(const ResolvedTarget &target) const override;
  plan::TargetTypes types(const ResolvedTarget &target) const override;
  std::unique_ptr<Executable> load(BackendJob &job) const override;
  llvm::Error measure(const ResolvedTarget &target, MeasureMethods &methods) const override;
  TargetDescription describe(const ResolvedTarget &target) const override;

protected:
  /// Returns the properties that all machines have, without the summary and the verbs.
  static TargetDescription describeMachine(const targets::Target &machine);
  /// Returns the end of a summary if `command` runs code for the target here; else "".
  std::string emulation(const ResolvedTarget &target,
                        const std::vector<std::string> &command) const;
};

} // namespace convoy::driver
