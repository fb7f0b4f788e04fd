// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs that print facts: explain, inspect, verify, ops, targets.

#ifndef CONVOY_OPTIONS_LIST_TD
#define CONVOY_OPTIONS_LIST_TD

include "Build.td"

def ExplainFlags : Struct;
let owner = ExplainFlags in
def Verbose : Option<"--verbose", "isVerbose", Toggle,
    "Print also the configuration and the layouts of each kernel of a CPU, and the reasons of all templates (default: off)."> {
  let initial = "false";
  let comment = "print configurations and layouts";
}
def ExplainVerb : Verb<"explain", "Print the template and predicted time of each kernel, or where a device runs "
                       "each node, with reasons.", ExplainFlags> {
  let entries = kModel # [
      Use<Target, "Print the kernels of this CPU or the placement on this device; `convoy targets` lists the "
          "targets (default: host).">, Cpu]
      # kPlacement # [Optimize] # kNumerics # kImage # [Threads] # kTuning # [Io] # kPlugins # [Verbose]
      # kResult;
  let everyday = [InputShape, Target, Place, Calibrate, Threads, Records, Verbose, ResultJson];
  let checks = ["checkBuildFlags(verb, o.build, {\"--calibrate\"})"];
}

def InspectFlags : Struct;
let owner = InspectFlags in {
def Config : Option<"--config", "config", Text<"NAME">,
    "Estimate the cycles of a loadable on this NVDLA configuration: nv_small, nv_large, nv_full or another "
    "(default: none)."> {
  let comment = "the NVDLA hardware whose cycles to estimate";
}
def InspectReport : Option<"--report", "report", Text<"FILE">,
    "Draw the dependences between the layers of a loadable as SVG (default: none)."> {
  let sharesFlag = 1;
  let comment = "a file for the picture of an NVDLA loadable";
}
}
let path = "model." in {
def InspectModel : Use<Model, "Read this ONNX model, compiled library or loadable (required).">;
def InspectShape : Use<InputShape>;
def InspectDim : Use<Dim>;
def InspectConst : Use<Const>;
def InspectCustomOps : Use<CustomOps>;
}
def InspectVerb : Verb<"inspect", "Print the contents of a model, a compiled library or an NVDLA loadable.",
                       InspectFlags> {
  let entries = [InspectModel, InspectShape, InspectDim, InspectConst, InspectCustomOps, Config, InspectReport,
                 Alias<"--svg,-o,--output", InspectReport>] # kResult;
}

def VerifyFlags : Struct;
let owner = VerifyFlags in {
def VerifiedFile : Option<"file", "file", Argument<"FILE">,
    "Verify this compiled library with the weights and the header beside it, or another file that is signed (required)."> {
  let isRequired = 1;
}
def PublicKey : Option<"--public-key", "publicKey", Text<"KEY">,
    "Verify also the signatures FILE.minisig with this public key of minisign, a file or the key itself (default: "
    "none).">;
}
def VerifyVerb : Verb<"verify", "Check that the files of a compiled model are undamaged, belong together and are signed.",
                      VerifyFlags> {
  let entries = [VerifiedFile, PublicKey] # kResult;
}

def OpsFlags : Struct;
let owner = OpsFlags in {
def OpName : Option<"name", "name", Argument<"[NAME]">,
    "Describe this op, such as Conv or com.microsoft.Gelu: its opsets, its limits, the targets that run it, or what "
    "to do if it is not supported (default: list all ops)."> {
  let comment = "the op to describe; empty: list all ops";
}
def OpsMarkdown : Option<"--markdown", "isMarkdown", Toggle,
    "Print the list as a page of the documentation (default: off)."> {
  let initial = "false";
}
}
def OpsVerb : Verb<"ops", "List the supported ONNX ops, or describe one op.", OpsFlags, "listOps"> {
  let entries = [OpName, OpsMarkdown] # kResult;
}

def TargetsFlags : Struct;
let owner = TargetsFlags in {
def TargetName : Option<"name", "name", Argument<"[NAME]">,
    "Describe this target: the CPU, caches and C compiler of a machine, or the ops of a device (default: list "
    "all targets)."> {
  let comment = "the target to describe; empty: list all targets";
}
def TargetsMarkdown : Option<"--markdown", "isMarkdown", Toggle,
    "Print the ops that each device supports as a page of the documentation (default: off)."> {
  let sharesFlag = 1;
  let initial = "false";
  let comment = "what each device runs";
}
}
def TargetsVerb : Verb<"targets", "List the targets, or describe one target.", TargetsFlags, "listTargets"> {
  let entries = [TargetName, TargetsMarkdown] # kResult;
}

#endif // CONVOY_OPTIONS_LIST_TD
