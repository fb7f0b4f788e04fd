// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the verbs with their flags, which the table of options (options/) generates, and checks the
// combinations of flags that no single flag shows.

#include "Driver/Pages.h"
#include "io/UserConfig.h"
#include "tools/convoy/arguments/CommandLine.h"
#include "tools/convoy/service/Service.h"
#include "tuning/search/Searcher.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::tool {

#define GET_NAMES_OF_IMAGE_FLAGS
#include "tools/convoy/Options.inc"

/// Refuses flags about images if no flag names images.
static void checkImageFlags(const CLI::App &verb, const std::vector<std::string> &readers) {
  auto isGiven = [&](const std::string &flag) { return verb.count(flag) > 0; };
  for (const char *flag : kImageFlags) {
    if (isGiven(flag) && llvm::none_of(readers, isGiven)) {
      throw CLI::ValidationError(flag, "expects images, and no flag names an image; add " +
                                           llvm::join(readers, " or "));
    }
  }
}

/// Refuses certificates if no flag names a tuning service.
static void checkServiceCerts(const CLI::App &verb, const BuildFlags &flags) {
  const CLI::Option *service = verb.get_option_no_throw("--service");
  bool isService = isServiceRecords(flags.records) || (service && service->count() > 0);
  if (verb.count("--service-certs") > 0 && !isService) {
    throw CLI::ValidationError(
        "--service-certs", std::string("expects a tuning service, and no flag names one; add ") +
                               (service ? "--service URL" : "--records service:URL"));
  }
}

/// Checks the shared flags. `readers` are the flags that name images.
static void checkBuildFlags(const CLI::App &verb, BuildFlags &flags,
                            const std::vector<std::string> &readers) {
  checkImageFlags(verb, readers);
  checkServiceCerts(verb, flags);
  for (const CLI::Option *option : verb.get_options()) {
    if (option->count() > 0 && !option->get_lnames().empty()) {
      std::string name = "--" + option->get_lnames().front();
      flags.given.insert(name);
      for (const std::string &value : option->results()) {
        flags.lines.push_back(option->get_type_size() == 0 ? name : name + "=" + value);
      }
    }
  }
  flags.target = io::permittedTarget(flags.target, flags.allowsToolchain);
  flags.cpu = io::permittedTarget(flags.cpu, flags.allowsToolchain);
}

/// Refuses a flag that has no effect without another flag.
static void checkQuantizeFlags(const CLI::App &verb, const QuantizeFlags &o) {
  if (verb.count("--min-4bit-share") > 0 && o.options.weights != quantizer::WeightBits::Auto) {
    throw CLI::ValidationError("--min-4bit-share",
                               "expects --weight-bits auto, which chooses the width of each layer");
  }
  if (verb.count("--attempts") > 0 && !o.options.proves) {
    throw CLI::ValidationError("--attempts", "expects --proof on; --proof off proves nothing");
  }
  if (o.options.maxDrop <= 0) {
    throw CLI::ValidationError("--max-drop", "expects more than 0%; no number of samples excludes "
                                             "every drop");
  }
  if (o.options.selectShare <= 0 || o.options.selectShare > 0.8) {
    throw CLI::ValidationError("--select-share",
                               "expects more than 0% and at most 80%, because the rest proves");
  }
  if (verb.count("--calibrate-share") > 0 && !o.calibrationData.empty()) {
    throw CLI::ValidationError("--calibrate-share",
                               "has no effect: --calibration-data names the samples");
  }
  if (o.options.calibrateShare <= 0 || o.options.calibrateShare + o.options.selectShare > 0.9) {
    throw CLI::ValidationError("--calibrate-share",
                               "expects more than 0% and, with --select-share, "
                               "at most 90%, because the rest proves");
  }
}

/// Writes a flag as the user could have given it: one word per value.
static void forward(const CLI::Option &option, std::vector<std::string> &words) {
  std::string name = "--" + option.get_lnames().front();
  if (option.get_items_expected_max() == 0) {
    words.push_back(name);
  }
  for (const std::string &value : option.results()) {
    if (option.get_items_expected_max() != 0) {
      words.push_back(name + "=" + value);
    }
  }
}

/// Checks the flags that say which failure stays, and collects the flags for the tests.
static void checkReduceFlags(const CLI::App &verb, ReduceFlags &o) {
  o.isCrash |= !o.message.empty() && !o.isSlow;
  if (o.isCheck + o.isCrash + o.isSlow > 1) {
    throw CLI::ValidationError("--check", "expects no other failure to keep; give one of --check, "
                                          "--crash (or --message) and --slow");
  }
  if (!o.message.empty() && o.isSlow) {
    throw CLI::ValidationError("--message", "expects --crash; --slow keeps a time");
  }
  if (verb.count("--share") > 0 && !o.isSlow) {
    throw CLI::ValidationError("--share", "expects --slow, whose time it limits");
  }
  if (o.share <= 0) {
    throw CLI::ValidationError("--share", "expects more than 0%");
  }
  if (o.isExact && (o.isCrash || o.isSlow)) {
    throw CLI::ValidationError("--exact", "expects --check, which compares outputs");
  }
  const std::set<std::string> own = {"check",  "crash", "slow",         "message", "share",
                                     "trials", "time",  "timeout",      "output",  "json",
                                     "input",  "quiet", "memory-limit", "help",    "help-all"};
  for (const CLI::Option *option : verb.get_options()) {
    bool isFlag = option->count() > 0 && !option->get_lnames().empty();
    if (isFlag && !own.count(option->get_lnames().front())) {
      forward(*option, o.forwarded);
    }
  }
}

static std::vector<std::string> searcherNames() {
  std::vector<std::string> names;
  for (llvm::StringRef name : tuning::searcherNames()) {
    names.push_back(name.str());
  }
  return names;
}

#include "tools/convoy/VerbFlags.inc"

void addVerbs(CommandLine &line) { addAll(line); }

} // namespace convoy::tool
