// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verb reduce. Its tests run `convoy check`, `compile` or `run` with the other flags of the command line.

#ifndef CONVOY_OPTIONS_REDUCE_TD
#define CONVOY_OPTIONS_REDUCE_TD

include "Compile.td"

def ReduceFlags : Struct;
let owner = ReduceFlags in {
def KeepDifference : Option<"--check", "isCheck", Toggle,
    "Keep a difference between a target and the reference that `convoy check` finds after the same pass (default: on "
    "unless --crash or --slow is given)."> {
  let initial = "false";
}
def KeepCrash : Option<"--crash", "isCrash", Toggle,
    "Keep a crash of `convoy compile` or, if the model compiles, of `convoy run`: exit code 3 with the same error, or "
    "a signal (default: off)."> {
  let initial = "false";
}
def KeepSlow : Option<"--slow", "isSlow", Toggle,
    "Keep the CPU time of `convoy compile` above --share of the time of the model (default: off)."> {
  let initial = "false";
}
def Message : Option<"--message", "message", Text<"PHRASE">,
    "Keep a failure whose messages contain PHRASE, with any exit code but 0; implies --crash (default: any crash).">;
def Share : Option<"--share", "share", Percent,
    "Keep at least X% of the CPU time of the model; needs --slow (default: 50%)."> {
  let initial = "0.5";
}
def ReduceTrials : Option<"--trials", "trials", Count<1>,
    "Stop after N candidates and keep the smallest one that fails (default: no limit)."> {
  let sharesFlag = 1;
  let initial = "0";
}
def ReduceTime : Option<"--time", "seconds", Duration<"1", "1">,
    "Stop after DURATION and keep the smallest candidate that fails, for example 90s or 1h (default: 10m)."> {
  let sharesFlag = 1;
  let differs = "reduce has a limit of time also with --trials";
  let initial = "600";
}
def ReduceTimeout : Option<"--timeout", "timeoutMs", Duration<"1e-3", "1e-3">,
    "Abandon a candidate after DURATION of CPU time (default: 10 times the CPU time of the model and 30s)."> {
  let sharesFlag = 1;
  let differs = "a candidate is a model, and the time of a model depends on its size";
  let initial = "0";
}
def MemoryLimit : Option<"--memory-limit", "memoryBytes", Size,
    "Abandon a candidate that maps more than SIZE of memory (default: 16G)."> {
  let initial = "int64_t(16) << 30";
}
def ReduceOutput : Option<"-o,--output", "output", Text<"DIR">,
    "Write the model MODEL.reduced.onnx and the script MODEL.reduced.sh to DIR; a DIR that ends in .onnx names the "
    "model itself (default: the current directory)."> {
  let sharesFlag = 1;
  let differs = "reduce has no result but its files";
  let comment = "the reduced model, or its folder; empty: the current directory";
}
}

def ReduceVerb : Verb<"reduce", "Shrink a model that fails to a small model that fails in the same way, for a bug report.",
                      ReduceFlags> {
  let entries = kModel # [KeepDifference, KeepCrash, KeepSlow, Message, Share, CheckTarget, Cpu, AllowToolchain] # kPlacement
      # [CheckOptimize] # kNumerics # kImage # [Threads] # kTuning # [Io] # kPlugins # [CheckInput, Exact, ReduceTrials,
      ReduceTime, ReduceTimeout, MemoryLimit, ReduceOutput] # kResult;
  let everyday = [KeepDifference, KeepCrash, KeepSlow, Message, CheckTarget, CheckInput, Threads, ReduceTime, ReduceOutput,
                  ResultJson];
  let checks = ["checkBuildFlags(verb, o.build, {\"--calibrate\", \"--input\"})", "checkReduceFlags(verb, o)"];
}

#endif // CONVOY_OPTIONS_REDUCE_TD
