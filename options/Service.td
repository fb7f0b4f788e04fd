// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs of a tuning service and of tuning records: service jobs, service devices, records.

#ifndef CONVOY_OPTIONS_SERVICE_TD
#define CONVOY_OPTIONS_SERVICE_TD

include "Build.td"

def ServiceFlags : Struct<"service.">;
let owner = ServiceFlags in {
def Service : Option<"--service", "urls", Urls,
    "Ask the tuning service at URL; with several URLs, ask the server that leads (required)."> {
  let isRequired = 1;
  let comment = "separated by commas; empty: none";
}
def ServiceCerts : Option<"--service-certs", "certs", Text<"DIR">, BuildCerts.help> {
  let sharesFlag = 1;
  let comment = "folder with ca.crt, client.crt and client.key; empty: the default";
}
}

def ServiceGroup : Verb<"service", "List and change the jobs and devices of a tuning service.", ServiceFlags, "">;

//===----------------------------------------------------------------------===//
// service jobs
//===----------------------------------------------------------------------===//

def JobsFlags : Struct;
let owner = JobsFlags in {
def JobId : Option<"id", "id", Argument<"ID">, "Use the job with this id (required)."> { let isRequired = 1; }
def JobsProject : Option<"--project", "project", PlainName<"NAME">,
    "List the jobs of this project (default: all projects)."> {
  let sharesFlag = 1;
  let differs = "a list shows the jobs of every project";
  let comment = "empty: all";
}
def State : Option<"--state", "states", Words<"STATE[,STATE..]">,
    "List the jobs in these states, for example RUNNING,PAUSED (default: all states).">;
def Limit : Option<"--limit", "limit", Count<1, 10000>, "List at most N jobs (default: 100)."> {
  let initial = "100";
}
def MoreTrials : Option<"--more-trials", "trials", Count<1>, "Allow N more trials (default: 0)."> {
  let initial = "0";
}
def MoreTime : Option<"--more-time", "seconds", Duration<"1", "1">,
    "Allow DURATION more, for example 10m (default: 0)."> {
  let initial = "0";
}
def MoreDeviceTime : Option<"--more-device-time", "deviceSeconds", Duration<"1", "1">,
    "Allow DURATION more on devices (default: 0)."> {
  let initial = "0";
}
def FetchOutput : Option<"-o,--output", "output", Text<"DIR">,
    "Write the files to DIR and create DIR if it does not exist (required)."> {
  let sharesFlag = 1;
  let isRequired = 1;
}
}

class JobsVerb<string word, string help, string action_, list<Entry> own = []>
    : Verb<"service jobs " # word, help, JobsFlags, "jobs"> {
  let action = action_;
  let entries = !if(!eq(word, "list"), []<Entry>, [JobId]) # [Service, ServiceCerts] # own # kResult;
}
def Jobs : Verb<"service jobs", "List, watch and change the jobs of a tuning service.", JobsFlags, "">;
def JobsList : JobsVerb<"list", "List jobs, the newest first.", "List", [JobsProject, State, Limit]>;
def JobsShow : JobsVerb<"show", "Print the state of a job and the best time of each task.", "Show">;
def JobsWatch : JobsVerb<"watch", "Print the progress of a job until it ends.", "Watch">;
def JobsPause : JobsVerb<"pause", "Stop a job until it is resumed.", "Pause">;
def JobsResume : JobsVerb<"resume", "Continue a paused job.", "Resume">;
def JobsCancel : JobsVerb<"cancel", "End a job; its measurements remain.", "Cancel">;
def JobsExtend : JobsVerb<"extend", "Raise the limits of a job; a job that reached its limits continues.",
                          "Extend", [MoreTrials, Alias<"--trials", MoreTrials>, MoreTime, Alias<"--time", MoreTime>,
                                     MoreDeviceTime, Alias<"--device-time", MoreDeviceTime>]>;
def JobsFetch : JobsVerb<"fetch", "Write the compiled network of a job and its header to a folder.", "Fetch",
                         [FetchOutput]>;

//===----------------------------------------------------------------------===//
// service devices
//===----------------------------------------------------------------------===//

def DevicesFlags : Struct;
let owner = DevicesFlags in {
def DeviceName : Option<"name", "name", Argument<"NAME">, "Change the device with this name (required)."> {
  let isRequired = 1;
}
def Reason : Option<"--reason", "reason", Text<"WORDS">, "Show WORDS in the list of devices (default: none).">;
}

class DevicesVerb<string word, string help, string action_, list<Entry> own = []>
    : Verb<"service devices " # word, help, DevicesFlags, "devices"> {
  let action = action_;
  let entries = !if(!eq(word, "list"), []<Entry>, [DeviceName]) # [Service, ServiceCerts] # own # kResult;
}
def Devices : Verb<"service devices", "List and change the devices of a tuning service.", DevicesFlags, "">;
def DevicesList : DevicesVerb<"list", "List devices with class, state and work.", "List">;
def DevicesDrain : DevicesVerb<"drain", "Let a device finish its measurement and give it no new one.", "Drain",
                               [Reason]>;
def DevicesQuarantine : DevicesVerb<"quarantine",
    "Give a device no measurements because its times are not trusted.", "Quarantine", [Reason]>;
def DevicesActivate : DevicesVerb<"activate", "Give a device measurements again.", "Activate">;

//===----------------------------------------------------------------------===//
// records
//===----------------------------------------------------------------------===//

def RecordsFlags : Struct;
let owner = RecordsFlags in {
def RecordFiles : Option<"files", "files", Arguments<"FILE..">, "Read these tuning record files (required)."> {
  let isRequired = 1;
}
def RecordsInto : Option<"--into", "output", Text<"FILE">,
    "Add the records to FILE and create FILE if it does not exist (required)."> {
  let isRequired = 1;
  let comment = "the file to write; empty: stdout (export only)";
}
def RecordsExportInto : Option<"--into", "output", Text<"FILE">,
    "Write the records as lines to FILE (default: stdout)."> {
  let sharesFlag = 1;
}
def OlderThan : Option<"--older-than", "olderThanSeconds", Duration<"1", "86400">,
    "Remove records older than DURATION, for example 30d (default: off)."> {
  let initial = "0";
  let comment = "0: off";
}
def Stale : Option<"--stale", "isStale", Toggle,
    "Remove records of outdated template versions (default: off)."> {
  let initial = "false";
}
def Failed : Option<"--failed", "isFailed", Toggle, "Remove records of failed trials (default: off)."> {
  let initial = "false";
}
def Keep : Option<"--keep", "keepFastest", Count<1, 1000000>,
    "Remove all but the N fastest records of each task and layout (default: off)."> {
  let initial = "0";
  let comment = "per task and layout; 0: all";
}
def DryRun : Option<"--dry-run", "isDryRun", Toggle,
    "Print the number of records to remove and change no file (default: off)."> {
  let initial = "false";
}
}

class RecordsVerb<string name, string help, string action_, list<Entry> own = [], list<Entry> files = [RecordFiles]>
    : Verb<"records " # name, help, RecordsFlags, "records"> {
  let action = action_;
  let entries = files # own # kResult;
}
def RecordsGroup : Verb<"records", "List, merge, export, import, prune or draw tuning records.", RecordsFlags, "">;
def RecordsList : RecordsVerb<"list", "List tasks, trials and the fastest configurations.", "List">;
def RecordsMerge : RecordsVerb<"merge", "Add the records of several files to one file.", "Merge",
                                [RecordsInto, Alias<"-o,--output", RecordsInto>]>;
def RecordsExport : RecordsVerb<"export", "Write records as JSON lines.", "Export",
                                 [RecordsExportInto, Alias<"-o,--output", RecordsExportInto>]>;
def RecordsImport : RecordsVerb<"import", "Read records from JSON lines.", "Import",
                                [RecordsInto, Alias<"-o,--output", RecordsInto>],
                                [Use<RecordFiles, "Read these files of JSON lines (required).">]>;
def RecordsPrune : RecordsVerb<"prune", "Remove records from tuning record files.", "Prune",
                               [OlderThan, Stale, Failed, Keep, DryRun],
                               [Use<RecordFiles, "Change these tuning record files (required).">]>;

def ReportFlags : Struct;
let owner = ReportFlags in {
def ReportTuning : Option<"file", "tuning", Argument<"FILE">, "Read the tuning records in FILE (required)."> {
  let isRequired = 1;
  let comment = "file of records";
}
def ReportFile : Option<"--report", "report", Text<"FILE">, "Write the HTML report to FILE (default: report.html)."> {
  let sharesFlag = 1;
  let differs = "the page is the only result of the verb";
  let initial = "\"report.html\"";
  let comment = "the page";
}
}
def RecordsReport : Verb<"records report", "Draw the searches in tuning records as an HTML report.", ReportFlags, "report"> {
  let entries = [ReportTuning, ArgumentAlias<"--tuning">, ReportFile, Alias<"-o,--output", ReportFile>] # kResult;
}

#endif // CONVOY_OPTIONS_SERVICE_TD
