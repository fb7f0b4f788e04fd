// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy-tuningd simulate`: runs the scheduler of the service on a virtual clock.

#include "SimulateFlags.h"
#include "SimulateOutput.h"
#include "Support/OutputFile.h"
#include "Support/Page.h"
#include "Verbs.h"
#include "service/simulate/GanttChart.h"
#include "service/simulate/LoadFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

namespace convoy::tuningd {
namespace {

using namespace service;

/// A load by its name or file.
struct LoadSource {
  std::string name, summary;
  const LoadShape *shape = nullptr; // null: a file
};

/// Loads with this many jobs skip the serial policy by default: it needs days of virtual time.
constexpr int kManyJobs = 1000;

class Simulate {
public:
  explicit Simulate(const SimulateFlags &flags) : flags(flags) {}
  llvm::Error run();
  bool hasMissed() const { return isMissed; }

private:
  llvm::Error readInputs();
  llvm::Expected<Load> load(const LoadSource &source, uint64_t seed) const;
  std::vector<std::string> policiesOf(const LoadSource &source) const;
  LoadFigures figuresOf(const LoadSource &source) const;
  llvm::Error writeChart(const LoadSource &source) const;
  void print(const LoadFigures &figures);

  const SimulateFlags &flags;
  std::vector<LoadSource> sources;
  StageSamples samples;
  SimulationOptions options;
  bool isMissed = false;
};

llvm::Error unknownLoad(const std::string &name) {
  std::vector<std::string> names;
  for (const LoadShape &shape : loadShapes()) {
    names.emplace_back(shape.name);
  }
  return llvm::createStringError("--load: expected all, a file, or one of " +
                                 llvm::join(names, ", ") + "; got '" + name + "'");
}

llvm::Error checkPolicies(const std::vector<std::string> &policies) {
  for (const std::string &name : policies) {
    if (!service::scheduler::makePolicy(name)) {
      std::vector<std::string> known;
      for (std::string_view policy : service::scheduler::policyNames()) {
        known.emplace_back(policy);
      }
      return llvm::createStringError("--policy: expected one of " + llvm::join(known, ", ") +
                                     "; got '" + name + "'");
    }
  }
  return llvm::Error::success();
}

llvm::Error Simulate::readInputs() {
  for (const std::string &name : flags.loads) {
    const LoadShape *found = findLoadShape(name);
    for (const LoadShape &shape : loadShapes()) {
      if (name == "all" || &shape == found) {
        sources.push_back({std::string(shape.name), std::string(shape.summary), &shape});
      }
    }
    if (name == "all" || found) {
      continue;
    }
    if (!llvm::sys::fs::exists(name)) {
      return unknownLoad(name);
    }
    sources.push_back({name, "from a file", nullptr});
  }
  if (!flags.times.empty()) {
    llvm::Expected<StageSamples> read = readStageSamples(flags.times);
    if (!read) {
      return read.takeError();
    }
    samples = std::move(*read);
  }
  llvm::Expected<FaultPlan> faults = parseFaults(flags.faults);
  if (!faults) {
    return faults.takeError();
  }
  options.faults = *faults;
  options.lookAhead = flags.lookAhead;
  return checkPolicies(flags.policies);
}

llvm::Expected<Load> Simulate::load(const LoadSource &source, uint64_t seed) const {
  llvm::Expected<Load> made =
      source.shape ? makeLoad(*source.shape, seed, samples) : readLoad(source.name, seed);
  if (!made) {
    return made.takeError();
  }
  made->searchSlots = flags.searchSlots.value_or(made->searchSlots);
  made->buildSlots = flags.buildSlots.value_or(made->buildSlots);
  for (auto &[name, count] : made->devices) {
    count = flags.devices.value_or(count);
  }
  return made;
}

std::vector<std::string> Simulate::policiesOf(const LoadSource &source) const {
  if (!flags.policies.empty()) {
    return flags.policies;
  }
  std::vector<std::string> names;
  for (std::string_view name : service::scheduler::policyNames()) {
    bool isTooSlow = name == "serial" && source.shape && source.shape->jobs >= kManyJobs;
    if (!isTooSlow) {
      names.emplace_back(name);
    }
  }
  return names;
}

LoadFigures Simulate::figuresOf(const LoadSource &source) const {
  Experiment experiment;
  // run() has read the load once, so the file is valid.
  experiment.makeLoad = [&](uint64_t seed) { return llvm::cantFail(load(source, seed)); };
  experiment.policies = policiesOf(source);
  experiment.seeds = flags.seeds;
  experiment.options = options;
  LoadFigures figures{source.name, source.summary, flags.seeds, runExperiment(experiment), {}};
  if (flags.checks) {
    figures.missed = missedTargets(figures.policies);
  }
  return figures;
}

llvm::Error Simulate::writeChart(const LoadSource &source) const {
  std::vector<std::string> policies = policiesOf(source);
  bool isSvg = llvm::StringRef(flags.gantt).ends_with(".svg");
  if (isSvg && policies.size() != 1) {
    return llvm::createStringError("--gantt: an SVG file shows one policy; add --policy NAME, or "
                                   "name a file that ends in .html");
  }
  llvm::Expected<Load> first = load(source, 1);
  if (!first) {
    return first.takeError();
  }
  return writeFile(flags.gantt, [&](llvm::raw_fd_ostream &os) {
    os << (isSvg ? "" : pageHead("Schedule of " + source.name));
    for (const std::string &policy : policies) {
      SimulationOptions one = optionsFor(policy, options);
      one.keepsSpans = true;
      one.seed = 1;
      SimulationResult result = simulate(*first, service::scheduler::makePolicy(policy), one);
      writeGantt(os, *first, result, source.name + ", policy " + policy + ", seed 1");
    }
    os << (isSvg ? "" : pageTail());
    return llvm::Error::success();
  });
}

void Simulate::print(const LoadFigures &figures) {
  isMissed |= !figures.missed.empty();
  if (flags.isMarkdown) {
    printMarkdown(llvm::outs(), figures);
  } else if (!flags.isJson) {
    printTable(llvm::outs(), figures);
  }
  llvm::outs().flush();
}

llvm::Error Simulate::run() {
  if (llvm::Error error = readInputs()) {
    return error;
  }
  if (!flags.gantt.empty() && sources.size() != 1) {
    return llvm::createStringError("--gantt: expected one load, got " +
                                   llvm::Twine(sources.size()) + "; add --load NAME");
  }
  std::vector<LoadFigures> all;
  for (const LoadSource &source : sources) {
    if (llvm::Expected<Load> first = load(source, 1); !first) {
      return first.takeError();
    }
    all.push_back(figuresOf(source));
    print(all.back());
  }
  if (flags.isJson) {
    printJson(llvm::outs(), all);
  }
  return flags.gantt.empty() ? llvm::Error::success() : writeChart(sources.front());
}

ExitCode runSimulate(const SimulateFlags &flags) {
  Simulate verb(flags);
  if (llvm::Error error = verb.run()) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return kUserError;
  }
  return verb.hasMissed() ? kUserError : kDone;
}

} // namespace

void addSimulate(CLI::App &app, Run &run) {
  CLI::App *verb = app.add_subcommand("simulate", "Run the scheduler on a virtual clock");
  auto flags = std::make_shared<SimulateFlags>();
  auto add = [&](const char *name, auto &value, const char *type, const char *help) {
    return verb->add_option(name, value, help)->type_name(type);
  };
  add("--load", flags->loads, "NAME|FILE,...",
      "Simulate these loads: built-in names, JSON files, or all (default: all)")
      ->delimiter(',');
  add("--policy", flags->policies, "NAME,...",
      "Compare these policies: serial, fifo, fair, srpt, balanced (default: all; loads of 1,000 "
      "jobs "
      "without serial)")
      ->delimiter(',');
  add("--seeds", flags->seeds, "COUNT", "Run each load with this many seeds (default: 10)")
      ->check(CLI::Range(1, 1000));
  add("--devices", flags->devices, "COUNT", "Set the number of devices of each class")
      ->check(CLI::Range(1, 100000));
  add("--search-slots", flags->searchSlots, "COUNT", "Set the number of concurrent proposals")
      ->check(CLI::Range(1, 100000));
  add("--build-slots", flags->buildSlots, "COUNT", "Set the number of concurrent builds")
      ->check(CLI::Range(1, 100000));
  add("--look-ahead", flags->lookAhead, "ROUNDS",
      "Propose this many rounds before the results of a round arrive (default: 1)")
      ->check(CLI::Range(0, 16));
  add("--faults", flags->faults, "KIND=VALUE,...",
      "Inject faults: worker=, device= (mean seconds between losses), hung= (share of trials), "
      "lease=, return=, limit= (seconds)");
  add("--times", flags->times, "FILE",
      "Draw the mean stage times of jobs from recorded seconds, as JSON or CSV");
  add("--gantt", flags->gantt, "FILE", "Draw the first seed as .svg (one policy) or .html");
  verb->add_flag("--check", flags->checks, "Fail if the policy balanced misses a target");
  verb->add_flag("--markdown", flags->isMarkdown, "Print Markdown tables");
  verb->add_flag("--json", flags->isJson, "Print JSON");
  verb->callback([flags, &run] { run = [flags] { return runSimulate(*flags); }; });
}

} // namespace convoy::tuningd
