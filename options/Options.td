// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of options: all verbs in the order of the help, and the flags without a verb.

include "Compile.td"
include "List.td"
include "Measure.td"
include "Quantize.td"
include "Reduce.td"
include "Service.td"

def Help : ToolFlag<"-h,--help", "Print the everyday flags and exit; `convoy help VERB` does the same.",
                    "set_help_flag">;
def HelpAll : ToolFlag<"--help-all", "Print every flag and exit.", "set_help_all_flag">;
def HelpStages : ToolFlag<"--help-stages",
    "List the stages of a compilation and exit; with --markdown, print the list as a Markdown table.">;
def Version : ToolFlag<"--version",
    "Print the version of Convoy and LLVM and exit; with --json[=FILE], as JSON.">;

// A group of verbs stands for its verbs.
def Convoy {
  list<Verb> verbs = [
      CompileVerb, RunVerb, CheckVerb, ReduceVerb, BenchVerb, QuantizeVerb, TuneVerb, ExplainVerb, InspectVerb, VerifyVerb, OpsVerb,
      TargetsVerb, SweepVerb,
      RecordsGroup, RecordsList, RecordsMerge, RecordsExport, RecordsImport, RecordsPrune, RecordsReport,
      ServiceGroup,
      Jobs, JobsList, JobsShow, JobsWatch, JobsPause, JobsResume, JobsCancel, JobsExtend, JobsFetch,
      Devices, DevicesList, DevicesDrain, DevicesQuarantine, DevicesActivate];
}
def OldJobs : OldVerb<"jobs", "service jobs">;
def OldDevices : OldVerb<"devices", "service devices">;
def OldReport : OldVerb<"report", "records report", "namesRecords">;

// The keywords of convoy.compile that may be given by position. The other keywords follow in the order of
// the table.
def PythonCompile {
  list<Option> positional = [Target, Threads, Records, Calibrate, InputShape];
}
