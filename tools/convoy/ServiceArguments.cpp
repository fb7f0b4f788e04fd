// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags of the verbs of a tuning service: jobs, devices.

#include "CommandLine.h"

namespace convoy::tool {
namespace {

constexpr DurationKind kSeconds{/*stored=*/1, /*plain=*/1};

void addService(CommandLine &line, CLI::App &verb, ServiceFlags &o) {
  line.everyday(verb)
      .urls("--service", o.urls,
            "Ask the tuning service at URL; with several URLs, ask the server that leads "
            "(required).")
      ->required();
  line.rare(verb).text("--service-certs", o.certs, "DIR", kServiceCertsHelp);
}

/// The verbs below `jobs` share one set of options.
struct JobsVerbs {
  using Action = JobsFlags::Action;

  CommandLine &line;
  CLI::App &jobs;
  std::shared_ptr<JobsFlags> o = std::make_shared<JobsFlags>();

  CLI::App &add(const char *name, const char *help, Action action) {
    CLI::App &verb = line.addVerb(jobs, name, help, [o = o, action](Console &console) {
      o->action = action;
      return tool::jobs(*o, console);
    });
    if (action != Action::List) {
      line.everyday(verb).positional("id", o->id, "ID", "Use the job with this id (required).");
    }
    addService(line, verb, o->service);
    return verb;
  }

  void addList() {
    CLI::App &verb = add("list", "List jobs, the newest first.", Action::List);
    Flags flags = line.everyday(verb);
    flags.plainName("--project", o->project, "NAME",
                    "List the jobs of this project (default: all projects).");
    flags.words("--state", o->states, "STATE[,STATE..]",
                "List the jobs in these states, for example RUNNING,PAUSED (default: all states).");
    flags.count("--limit", o->limit, {1, 10000}, "List at most N jobs (default: 100).");
    line.addResultFlags(verb, o->json);
  }

  void addExtend() {
    CLI::App &verb = add("extend",
                         "Raise the limits of a job; a job that reached its limits "
                         "continues.",
                         Action::Extend);
    Flags flags = line.everyday(verb);
    flags.count("--trials", o->trials, {1, INT64_MAX}, "Allow N more trials (default: 0).");
    flags.duration("--time", o->seconds, kSeconds,
                   "Allow DURATION more, for example 10m; a number without a unit is in seconds "
                   "(default: 0).");
    flags.duration("--device-time", o->deviceSeconds, kSeconds,
                   "Allow DURATION more on devices; a number without a unit is in seconds "
                   "(default: 0).");
    line.addResultFlags(verb, o->json);
  }
};

/// The verbs below `devices` share one set of options.
struct DevicesVerbs {
  using Action = DevicesFlags::Action;

  CommandLine &line;
  CLI::App &devices;
  std::shared_ptr<DevicesFlags> o = std::make_shared<DevicesFlags>();

  void add(const char *name, const char *help, Action action) {
    CLI::App &verb = line.addVerb(devices, name, help, [o = o, action](Console &console) {
      o->action = action;
      return tool::devices(*o, console);
    });
    if (action != Action::List) {
      line.everyday(verb).positional("name", o->name, "NAME",
                                     "Change the device with this name (required).");
    }
    addService(line, verb, o->service);
    if (action == Action::Drain || action == Action::Quarantine) {
      line.everyday(verb).text("--reason", o->reason, "WORDS",
                               "Show WORDS in the list of devices (default: none).");
    }
    line.addResultFlags(verb, o->json);
  }
};

} // namespace

void addJobs(CommandLine &line) {
  CLI::App &jobs = line.addVerb("jobs", "List, watch and change the jobs of a tuning service.",
                                /*run=*/nullptr);
  jobs.require_subcommand(1);
  JobsVerbs verbs{line, jobs};
  using Action = JobsFlags::Action;
  verbs.addList();
  auto add = [&](const char *name, const char *help, Action action) {
    line.addResultFlags(verbs.add(name, help, action), verbs.o->json);
  };
  add("show", "Print the state of a job and the best time of each task.", Action::Show);
  add("watch", "Print the progress of a job until it ends.", Action::Watch);
  add("pause", "Stop a job until it is resumed.", Action::Pause);
  add("resume", "Continue a paused job.", Action::Resume);
  add("cancel", "End a job; its measurements remain.", Action::Cancel);
  verbs.addExtend();
}

void addDevices(CommandLine &line) {
  CLI::App &devices = line.addVerb("devices", "List and change the devices of a tuning service.",
                                   /*run=*/nullptr);
  devices.require_subcommand(1);
  DevicesVerbs verbs{line, devices};
  using Action = DevicesFlags::Action;
  verbs.add("list", "List devices with class, state and work.", Action::List);
  verbs.add("drain", "Let a device finish its measurement and give it no new one.", Action::Drain);
  verbs.add("quarantine", "Give a device no measurements because its times are not trusted.",
            Action::Quarantine);
  verbs.add("activate", "Give a device measurements again.", Action::Activate);
}

} // namespace convoy::tool
