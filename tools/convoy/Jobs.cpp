// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy jobs`: calls a tuning service and prints its answer.

#include "Driver/AddProblem.h"
#include "Interrupt.h"
#include "JsonOutput.h"
#include "PrintJob.h"
#include "Progress.h"
#include "ServiceClient.h"
#include "service/api/ApiFields.h"

namespace convoy::tool {
namespace {

using service::JobStatus;
using Action = JobsFlags::Action;

ExitCode printStatus(const JobsFlags &options, const JobStatus &job, bool hasTasks,
                     Console &console) {
  return printResult(
      options.json, [&](llvm::raw_ostream &os) { printJson(os, apiToJson(job)); },
      [&](llvm::raw_ostream &) {
        printJob(console.summary(), job);
        if (hasTasks) {
          printTasks(console.summary(), job);
        }
      },
      console);
}

service::JobFilter filterOf(const JobsFlags &options, Problems &problems) {
  service::JobFilter filter;
  filter.project = options.project;
  filter.limit = options.limit;
  for (const std::string &text : options.states) {
    if (!service::stateFromName(text, filter.states.emplace_back())) {
      addError(problems, "--state: expected one of " + service::stateNames(service::JobState()) +
                             ", got '" + text + "'");
    }
  }
  return filter;
}

ExitCode list(const JobsFlags &options, const service::JobFilter &filter, service::TuningApi &api,
              Console &console) {
  llvm::Expected<std::vector<JobStatus>> jobs = api.listJobs(filter);
  if (!jobs) {
    return failCall(jobs.takeError(), console);
  }
  return printResult(
      options.json,
      [&](llvm::raw_ostream &os) { printJson(os, apiToJson(service::JobList{*jobs})); },
      [&](llvm::raw_ostream &os) { printJobs(os, *jobs); }, console);
}

ExitCode watch(const JobsFlags &options, service::TuningApi &api, Console &console) {
  Interrupt interrupt;
  Progress progress(console);
  JobStatus last;
  llvm::Error error = api.watchJob(options.id, [&](const JobStatus &status) {
    bool isNew = last.id.empty() || status.updatedUs != last.updatedUs ||
                 status.trialsDone != last.trialsDone || status.state != last.state;
    last = status;
    if (console.isTerminal) {
      progress.show(progressText(status));
    } else if (isNew && !options.json.isStdout() && !console.isQuiet) {
      console.err << progressText(status) << "\n";
    }
    return !Interrupt::isSet();
  });
  progress.end();
  if (error) {
    return failCall(std::move(error), console);
  }
  return printStatus(options, last, /*hasTasks=*/true, console);
}

llvm::Expected<JobStatus> change(const JobsFlags &options, service::TuningApi &api) {
  switch (options.action) {
  case Action::Pause:
    return api.pauseJob(options.id);
  case Action::Resume:
    return api.resumeJob(options.id);
  case Action::Cancel:
    return api.cancelJob(options.id);
  case Action::Extend:
    return api.extendJob({options.id, options.trials, options.seconds, options.deviceSeconds});
  default:
    return api.getJob(options.id);
  }
}

} // namespace

ExitCode jobs(const JobsFlags &options, Console &console) {
  Problems problems;
  if (options.action == Action::Extend && options.trials == 0 && options.seconds == 0 &&
      options.deviceSeconds == 0) {
    addError(problems, "`convoy jobs extend` expects a limit to raise; add --trials, --time or "
                       "--device-time");
  }
  service::JobFilter filter = filterOf(options, problems);
  if (problems.hasErrors()) {
    return fail(problems, console);
  }
  auto api = openService(options.service, "--service");
  if (!api) {
    addError(problems, api.takeError());
    return fail(problems, console);
  }
  if (options.action == Action::List) {
    return list(options, filter, **api, console);
  }
  if (options.action == Action::Watch) {
    return watch(options, **api, console);
  }
  llvm::Expected<JobStatus> job = change(options, **api);
  if (!job) {
    return failCall(job.takeError(), console);
  }
  return printStatus(options, *job, options.action == Action::Show, console);
}

} // namespace convoy::tool
