// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the records of a file by the target of a request.

#include "tuning/network/OpenRecords.h"
#include "Driver/AddProblem.h"
#include "Driver/ResolveTarget.h"
#include "tuning/measure/Measurer.h"
#include "tuning/records/RecordMeasurements.h"

namespace convoy {
namespace tuning {

llvm::Expected<std::shared_ptr<const Measurements>> openRecords(const std::string &file,
                                                                const CompileRequest &request,
                                                                std::optional<Verdict> verdict) {
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(request.target, request.output.emit == Emit::Memory);
  if (!target) {
    return target.takeError();
  }
  std::string fingerprint = target->machine.fingerprint();
  llvm::Expected<Snapshot> snapshot =
      Snapshot::read(file, selectionFor(fingerprint, name(policyOf(target->machine))));
  if (!snapshot) {
    return snapshot.takeError();
  }
  // Times of a machine are better than counts of its emulator.
  if (snapshot->isEmpty()) {
    snapshot = Snapshot::read(file, selectionFor(fingerprint, name(Policy::Instructions)));
  }
  if (!snapshot) {
    return snapshot.takeError();
  }
  return std::make_shared<RecordMeasurements>(std::move(*snapshot), std::move(verdict));
}

} // namespace tuning

RecordsOpener recordsIn(const std::string &file) {
  using Opened = Result<std::shared_ptr<const Measurements>>;
  return [file](const CompileRequest &request) {
    auto records = tuning::openRecords(file, request);
    if (records) {
      return Opened(std::move(*records));
    }
    Problems problems;
    addError(problems, withPrefix("--records: ", records.takeError()));
    return Opened(problems);
  };
}

} // namespace convoy
