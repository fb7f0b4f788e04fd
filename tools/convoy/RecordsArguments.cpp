// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags of the verbs that read tuning records: records, report.

#include "CommandLine.h"

namespace convoy::tool {
namespace {

// Days, as --older-than counts a number without a unit.
constexpr DurationKind kDays{/*stored=*/1, /*plain=*/86400};

using Action = RecordsFlags::Action;

/// The verbs below `records` share one set of options.
struct RecordsVerbs {
  CommandLine &line;
  CLI::App &records;
  std::shared_ptr<RecordsFlags> o = std::make_shared<RecordsFlags>();

  CLI::App &add(const char *name, const char *help, Action action, const char *files) {
    CLI::App &verb = line.addVerb(records, name, help, [o = o, action](Console &console) {
      o->action = action;
      return tool::records(*o, console);
    });
    line.everyday(verb).positionals("files", o->files, /*isRequired=*/true, "FILE..", files);
    return verb;
  }

  void output(CLI::App &verb, bool isRequired, const char *help) {
    line.everyday(verb).text("-o,--output", o->output, "FILE", help)->required(isRequired);
  }

  void addPrune() {
    CLI::App &verb = add("prune", "Remove records from tuning record files.", Action::Prune,
                         "Change these tuning record files (required).");
    Flags flags = line.everyday(verb);
    flags.duration("--older-than", o->olderThanSeconds, kDays,
                   "Remove records older than DURATION; a number without a unit is in days "
                   "(default: off).");
    flags.flag("--stale", o->isStale,
               "Remove records of outdated template versions (default: off).");
    flags.flag("--failed", o->isFailed, "Remove records of failed trials (default: off).");
    flags.count("--keep", o->keepFastest, {1, 1000000},
                "Remove all but the N fastest records of each task and layout (default: off).");
    flags.flag("--dry-run", o->isDryRun,
               "Print the number of records to remove and change no file (default: off).");
    line.addResultFlags(verb, o->json);
  }
};

} // namespace

void addRecords(CommandLine &line) {
  CLI::App &records = line.addVerb(
      "records", "List, merge, export, import or prune tuning records.", /*run=*/nullptr);
  records.require_subcommand(1);
  RecordsVerbs verbs{line, records};
  CLI::App &list = verbs.add("list", "List tasks, trials and the fastest configurations.",
                             Action::List, "Read these tuning record files (required).");
  line.addResultFlags(list, verbs.o->json);
  CLI::App &merge = verbs.add("merge", "Add the records of several files to one file.",
                              Action::Merge, "Read these tuning record files (required).");
  verbs.output(merge, true, "Add to FILE and create FILE if it does not exist (required).");
  line.addResultFlags(merge, verbs.o->json);
  CLI::App &exported = verbs.add("export", "Write records as JSON lines.", Action::Export,
                                 "Read these tuning record files (required).");
  verbs.output(exported, false, "Write the lines to FILE (default: stdout).");
  line.addResultFlags(exported, verbs.o->json);
  CLI::App &imported = verbs.add("import", "Read records from JSON lines.", Action::Import,
                                 "Read these files of JSON lines (required).");
  verbs.output(imported, true, "Add to FILE and create FILE if it does not exist (required).");
  line.addResultFlags(imported, verbs.o->json);
  verbs.addPrune();
}

void addReport(CommandLine &line) {
  auto o = std::make_shared<ReportFlags>();
  CLI::App &verb = line.addVerb("report", "Draw the searches in tuning records as an HTML page.",
                                [o](Console &console) { return report(*o, console); });
  Flags flags = line.everyday(verb);
  flags.text("--tuning", o->tuning, "FILE", "Read the tuning records in FILE (required).")
      ->required();
  flags.text("--report", o->report, "FILE", "Write the page to FILE (default: report.html).");
  flags.alias("-o,--output", o->report);
  line.addResultFlags(verb, o->json);
}

} // namespace convoy::tool
