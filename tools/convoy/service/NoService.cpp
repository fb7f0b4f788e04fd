// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs and flags of the tuning service in a build without it.

#include "Driver/AddProblem.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/service/Service.h"

namespace convoy::tool {
namespace {

constexpr char kReason[] = ": this build of convoy has no tuning service; configure it with "
                           "-DCONVOY_SERVICE=ON";

ExitCode refuse(Console &console) {
  Problems problems;
  addError(problems, llvm::Twine("--service") + kReason);
  return fail(problems, console);
}

} // namespace

ExitCode jobs(const JobsFlags &, Console &console) { return refuse(console); }
ExitCode devices(const DevicesFlags &, Console &console) { return refuse(console); }

Result<std::shared_ptr<const Measurements>> openServiceRecords(const BuildFlags &,
                                                               const CompileRequest &) {
  Problems problems;
  addError(problems, llvm::Twine("--records") + kReason);
  return problems;
}

llvm::Error tuneByService(const TuneFlags &, const Request &, const tuning::ModelTasks &,
                          ExitCode &, Console &) {
  return llvm::createStringError(llvm::Twine("--service") + kReason);
}

} // namespace convoy::tool
