// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs that compile one model and use it: compile, run, check.

#ifndef CONVOY_OPTIONS_COMPILE_TD
#define CONVOY_OPTIONS_COMPILE_TD

include "Build.td"

let owner = CompileFlags in {
def WithTest : Option<"--with-test", "withTest", Toggle,
    "Write a test bench with the outputs of the reference; needs --emit=c (default: off)."> {
  let initial = "false";
  let comment = "write a test bench, for C";
}
def CompileInput : Option<"--input", "inputs", Texts<"[NAME=]FILE">,
    "Read an input of the test bench from a .npy, .pb or .raw file or an image, or generate random[:SEED] "
    "(default: random)."> {
  let sharesFlag = 1;
  let comment = "of the test bench";
}
def CompileTrace : Option<"--trace", "trace", Text<"FILE">,
    "Write the times of all stages and passes as a trace for ui.perfetto.dev (default: none)."> {
  let sharesFlag = 1;
  let comment = "file for the times of stages and passes; empty: none";
}
def Lock : Option<"--lock", "lock", Text<"FILE">,
    "Write to FILE what determines the result: version, target, flags, and hashes of the model, the tuning records and the "
    "written files (default: none)."> {
  let comment = "file for what determines the result; empty: none";
}
def Locked : Option<"--locked", "locked", Text<"FILE">,
    "Compile with the flags in FILE, which --lock wrote, and fail if the version, the target, the model, the tuning records "
    "or the written files differ (default: none)."> {
  let comment = "a file of --lock to compile by; empty: none";
}
}

def CompileVerb : Verb<"compile", "Compile a model to a library or C source, with a header and weights.",
                       CompileFlags> {
  let entries = kModel # [Target, Cpu, AllowToolchain] # kPlacement # [Optimize] # kNumerics # kImage # [Threads] # kTuning
      # [Io, MaxRam, MaxFlash] # kPlugins # [Output, EmitForm, WithTest, CompileInput, OutputName, Loops, Weights,
      CompileReport, Alias<"--schedule-report", CompileReport>, CompileTrace, StopAfter, Deadline,
      VerifyStages, Sanitize, Lock, Locked] # kResult;
  let everyday = [InputShape, Target, Calibrate, Threads, Records, EmitForm, Output, OutputName, CompileReport, ResultJson];
  let checks = ["checkBuildFlags(verb, o.build, {\"--calibrate\", \"--input\"})"];
}

let owner = ModelFlags in
def RunModel : Option<"model", "path", Argument<"MODEL">,
    "Run this ONNX model, or this library that `convoy compile` wrote (required)."> {
  let isRequired = 1;
}

def RunFlags : Struct;
let owner = RunFlags in {
def RunInput : Option<"--input", "inputs", Texts<"[NAME=]FILE">,
    "Read an input from a .npy, .pb or .raw file or a PNG, JPEG or BMP image, or generate random[:SEED]; "
    "repeat the flag for each input (required unless --data is given)."> {
  let comment = "\"[NAME=]FILE\" or \"[NAME=]random[:seed]\"";
}
def Metric : Option<"--metric", "metric", Text<"CMD">,
    "Run the shell command CMD with a .npy file of the outputs of all samples of --data and, if there are "
    "labels, a .npy file of the labels; CMD prints one number (default: none)."> {
  let comment = "command that computes a number from the outputs of --data; empty: none";
}
def Top : Option<"--top", "top", Count<1, 1000000>,
    "Print the N largest elements of each output; with --data, count the samples whose class is among the N "
    "largest (default: 5 with --class-names or --data, else off)."> {
  let initial = "0";
  let differs = "an output without classes is printed whole";
}
def ClassNames : Option<"--class-names", "classNames", Text<"FILE">,
    "Read the names of the classes from FILE, one per line, and print them beside the largest elements (default: "
    "none).">;
def RunJobs : Option<"--jobs", "jobs", Count<0, 1024>,
    "Run N samples of --data at the same time; 0 uses every core available to the process (default: 0)."> {
  let initial = "0";
}
def RunOutput : Option<"-o,--output", "output", Text<"DIR">,
    "Write each output to a file in DIR (default: none)."> {
  let sharesFlag = 1;
  let comment = "folder for the outputs; empty: write no files";
}
def OutputFormat : Option<"--output-format", "format",
    Choice<"TensorFormat", [Word<"npy", "TensorFormat::Npy">, Word<"pb", "TensorFormat::Pb">]>,
    "Write the outputs as NumPy or ONNX tensor files (default: npy)."> {
  let initial = "TensorFormat::Npy";
}
def RunTrace : Option<"--trace", "trace", Text<"FILE">,
    "Run the model repeatedly with probes and write the kernels and waits of each core as a trace for "
    "ui.perfetto.dev (default: none)."> {
  let comment = "file for the times of kernels; empty: none";
}
}

def RunVerb : Verb<"run", "Run a model or a compiled library on one input or on a data set.", RunFlags> {
  let entries = [RunModel] # kPins # [Target, Cpu, AllowToolchain] # kPlacement # [Optimize] # kNumerics # kImage # [Threads]
      # kTuning # [Io] # kPlugins # [RunInput, Data, Labels, DataSamples, RunJobs, Metric, Top, ClassNames, RunOutput,
      OutputFormat, RunTrace, Cache, CacheLimit] # kResult;
  let everyday = [RunInput, Data, Labels, Preprocess, ClassNames, Top, Target, Threads, RunOutput, ResultJson];
  let checks = ["checkBuildFlags(verb, o.build, {\"--calibrate\", \"--input\", \"--data\"})"];
}

def CheckFlags : Struct;
let owner = CheckFlags in {
def CheckTarget : Option<"--target", "targets", Words<"NAME[,NAME..]">,
    "Compile for each of these targets; `convoy targets` lists the targets (default: host)."> {
  let sharesFlag = 1;
  let initial = "{\"host\"}";
}
def Golden : Option<"--golden", "goldens", Texts<"DIR">,
    "Compare with the golden data in DIR: input_N.pb and output_N.pb, or folders of such files (default: "
    "compare with the reference)."> {
  let comment = "folders";
}
def CheckInput : Option<"--input", "inputs", Texts<"[NAME=]FILE">,
    "Read an input from a .npy, .pb or .raw file or a PNG, JPEG or BMP image, or generate random[:SEED] "
    "(default: random)."> {
  let sharesFlag = 1;
}
def LayerErrors : Option<"--layer-errors", "hasLayers", Toggle,
    "Report how far each integer layer is from ONNX's arithmetic on the same inputs (default: off)."> {
  let initial = "false";
  let comment = "report how far integer layers are from ONNX's arithmetic";
}
def Exact : Option<"--exact", "isExact", Toggle,
    "Require equal bytes, which integer graphs guarantee; for float ops behind an integer graph, such as a "
    "softmax, compare their inputs (default: off)."> {
  let initial = "false";
  let comment = "require equal bytes";
}
}
let owner = BuildFlags in
def CheckOptimize : Option<"--optimize", "target", Kind<"goal", "", "latency|memory", ["&o.targets"]>, Optimize.help> {
  let sharesFlag = 1;
}

def CheckSamples : Use<DataSamples,
    "Compare on at most N samples of --data, spread evenly by the hash of their content (default: 10)."> {
  let differs = "the reference interprets the model, so all samples can take hours";
}
def CheckVerb : Verb<"check", "Compare the outputs of targets with golden outputs or with the reference.",
                     CheckFlags> {
  let entries = kModel # [CheckTarget, Cpu, AllowToolchain] # kPlacement # [CheckOptimize] # kNumerics # kImage # [Threads]
      # kTuning # [Io] # kPlugins # [Golden, CheckInput,
      Use<Data, "Compare on samples of a data set, which is a folder, a .npy file or a .json file as in "
          "`convoy run` (default: none).">,
      CheckSamples, LayerErrors, Alias<"--layers", LayerErrors>, Exact] # kResult;
  let everyday = [InputShape, CheckTarget, Golden, CheckInput, Data, DataSamples, Preprocess, Calibrate, Threads,
                  ResultJson];
  let checks = ["checkBuildFlags(verb, o.build, {\"--calibrate\", \"--input\", \"--data\"})"];
}

#endif // CONVOY_OPTIONS_COMPILE_TD
