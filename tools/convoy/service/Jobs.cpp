// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy service jobs`: calls a tuning service and prints its answer.

#include "Driver/AddProblem.h"
#include "tools/convoy/Interrupt.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/Progress.h"
#include "tools/convoy/service/NetworkFiles.h"
#include "tools/convoy/service/PrintJob.h"
#include "tools/convoy/service/ServiceClient.h"
#include "llvm/Support/FileSystem.h"

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
  filter.set_project(options.project);
  filter.set_limit(options.limit);
  for (const std::string &text : options.states) {
    service::JobState state = service::JOB_STATE_UNKNOWN;
    if (!service::stateFromName(text, state)) {
      addError(problems, "--state: expected one of " +
                             service::stateNames(service::JobState_descriptor()) + ", got '" +
                             text + "'");
    }
    filter.add_states(state);
  }
  return filter;
}

ExitCode list(const JobsFlags &options, const service::JobFilter &filter, service::TuningApi &api,
              Console &console) {
  llvm::Expected<service::JobList> jobs = api.listJobs(filter);
  if (!jobs) {
    return failCall(jobs.takeError(), console);
  }
  return printResult(
      options.json, [&](llvm::raw_ostream &os) { printJson(os, apiToJson(*jobs)); },
      [&](llvm::raw_ostream &os) { printJobs(os, *jobs); }, console);
}

ExitCode watch(const JobsFlags &options, service::TuningApi &api, Console &console) {
  Interrupt interrupt;
  Progress progress(console);
  JobStatus last;
  llvm::Error error = api.watchJob(options.id, [&](const JobStatus &status) {
    bool isNew = last.id().empty() || status.updated_us() != last.updated_us() ||
                 status.trials_done() != last.trials_done() || status.state() != last.state();
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

service::JobExtension extensionOf(const JobsFlags &options) {
  service::JobExtension extension;
  extension.set_id(options.id);
  extension.set_add_trials(options.trials);
  extension.set_add_wall_seconds(options.seconds);
  extension.set_add_device_seconds(options.deviceSeconds);
  return extension;
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
    return api.extendJob(extensionOf(options));
  default:
    return api.getJob(options.id);
  }
}

ExitCode fetch(const JobsFlags &options, service::TuningApi &api, Console &console) {
  llvm::Expected<JobStatus> job = api.getJob(options.id);
  if (!job) {
    return failCall(job.takeError(), console);
  }
  llvm::Expected<std::vector<std::string>> paths =
      fetchNetwork(options.service, *job, options.output);
  if (!paths) {
    Problems problems;
    addError(problems, paths.takeError());
    return fail(problems, console);
  }
  return printResult(
      options.json, [&](llvm::raw_ostream &os) { printJson(os, llvm::json::Array(*paths)); },
      [&](llvm::raw_ostream &) {
        for (const std::string &path : *paths) {
          console.summary() << path << "\n";
        }
      },
      console);
}

} // namespace

ExitCode jobs(const JobsFlags &options, Console &console) {
  Problems problems;
  if (options.action == Action::Extend && options.trials == 0 && options.seconds == 0 &&
      options.deviceSeconds == 0) {
    addError(
        problems,
        "`convoy service jobs extend` expects a limit to raise; add --more-trials, --more-time or "
        "--more-device-time");
  }
  service::JobFilter filter = filterOf(options, problems);
  if (problems.hasErrors()) {
    return fail(problems, console);
  }
  if (options.action == Action::Fetch) {
    std::error_code error = llvm::sys::fs::create_directories(options.output);
    if (error) {
      addError(problems, "--output: cannot create '" + options.output + "': " + error.message());
      return fail(problems, console);
    }
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
  if (options.action == Action::Fetch) {
    return fetch(options, **api, console);
  }
  llvm::Expected<JobStatus> job = change(options, **api);
  if (!job) {
    return failCall(job.takeError(), console);
  }
  return printStatus(options, *job, options.action == Action::Show, console);
}

} // namespace convoy::tool
