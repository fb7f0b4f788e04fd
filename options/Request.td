// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options that are members of a CompileRequest, and the members without an option, in the order of
// convoy/options.h.

#ifndef CONVOY_OPTIONS_REQUEST_TD
#define CONVOY_OPTIONS_REQUEST_TD

include "Option.td"

def BuildFlags : Struct<"build.">;
def CompileFlags : Struct;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

def ModelFlags : LibraryStruct<"build.model.">;

def InputPins : RequestStruct<"inputs", "Shapes and values of a model's inputs that are known at compile time, and "
    "the ops that the user declares.">;

let owner = ModelFlags, isCopied = 0 in {
def InputShape : Option<"--input-shape", "inputShapes", Texts<"NAME:SHAPE">,
    "Set the shape of an input, for example data:1x3x224x224 (default: the shape in the model)."> {
  let request = "inputs.shapes";
  let requestType = "std::map<std::string, std::vector<int64_t>>";
  let doc = "Shapes by input name. If a dimension is -1, `dims` can give its size.";
  let python = Keyword<"input_shapes", "Optional[Mapping[str, Sequence[int]]]", "None",
      "shapes of inputs, {name: shape}, for a model with open dimensions.", "_shapes(input_shapes)">;
}
def Dim : Option<"--dim", "dims", Texts<"NAME=SIZE">,
    "Set the size of a named dimension, for example batch=1 (default: none)."> {
  let request = "inputs.dims";
  let requestType = "std::map<std::string, int64_t>";
  let doc = "Sizes of named dimensions.";
  let python = Keyword<"dims", "Optional[Mapping[str, int]]", "None",
      "sizes of named dimensions, {\"batch\": 1}.", "_sizes(dims)">;
}
def Const : Option<"--const", "constants", Texts<"NAME=FILE">,
    "Replace an input by the constant in a .pb or .npy file (default: none)."> {
  let request = "inputs.constants";
  let requestType = "NamedTensors";
  let doc = "Inputs that become constants of the model.";
  let python = DataKeyword<"constants", "Optional[Mapping[str, Any]]",
      "inputs that become constants, {name: array}.">;
}
def CustomOps : Option<"--custom-ops", "customOps", Texts<"FILE.json">,
    "Declare custom ops, which C functions compute; FILE.json names the C files, which Convoy compiles and "
    "runs; repeat the flag for more files (default: none)."> {
  let request = "inputs.customOps";
  let doc = "Files that declare ops with C functions. Convoy compiles and runs the functions.";
  let python = Keyword<"custom_ops", "Union[str, os.PathLike[str], Sequence[Union[str, os.PathLike[str]]]]", "()",
      "JSON files that declare ops with C functions, which are compiled and run.", "_paths(\"custom_ops\", custom_ops)">;
}
}
def AllowsOpenDims : RequestField<"inputs.allowsOpenDims", "bool",
    "Allow open dimensions. Only the reference runs a model with open dimensions.", "false">;

//===----------------------------------------------------------------------===//
// Target and placement
//===----------------------------------------------------------------------===//

def TargetRequest : RequestStruct<"target">;

let owner = BuildFlags in {
def Target : Option<"--target", "target", Text<"NAME">,
    "Compile for this target; `convoy targets` lists the targets (default: host)."> {
  let initial = "\"host\"";
  let request = "target.name";
  let doc = "A machine, a device, `c`, `c-plain`, `reference`, or a description ending in .json.";
  let python = Keyword<"target", "str", "\"host\"",
      "as `convoy compile --target`: \"host\", a machine, a device, \"c\", \"reference\".",
      "_text(\"target\", target, optional=False)">;
}
def Cpu : Option<"--cpu", "cpu", Text<"NAME">,
    "Compile the ops outside the device for this CPU, a target or a .json description; needs a device as "
    "--target (default: host)."> {
  let comment = "the CPU beside a device; empty: this machine";
  let request = "target.cpu";
  let doc = "The CPU beside a device; empty: this machine.";
  let changesCpuCode = 1;
  let python = Keyword<"cpu", "Optional[str]", "None", "the CPU beside a device.">;
}
}
def ArithmeticOf : RequestField<"target.arithmeticOf", "std::string",
    "A device whose integer arithmetic the reference or a CPU uses; empty: the default.">;
def LayersOf : RequestField<"target.layersOf", "std::string",
    "A device whose layers the reference runs instead of the model's nodes; empty: none.">;

def PlacePolicy : Enum<"Which of the ops that a device supports run on it.", [
    Value<"All", "all", "All of them.">,
    Value<"Fastest", "fastest", "Those in regions that are estimated to be faster than on one CPU core.">]>;

def PlacementRequest : RequestStruct<"placement">;

let owner = BuildFlags in {
def Place : Option<"--place", "placement.policy", OneOf<PlacePolicy>,
    "Place on the device every op that it supports, or only regions that are estimated to be faster there "
    "than on one CPU core (default: all)."> {
  let initial = "PlacePolicy::All";
  let request = "placement.policy";
  let stage = "place.policy";
  let python = Keyword<"place", "str", "\"all\"", "which ops run on a device: \"all\" that it supports, or "
      "\"fastest\", those in regions that are estimated to be faster there.">;
}
def RequireDevice : Option<"--require-device", "placement.requiresDevice", Toggle,
    "Fail with exit code 2 if no op runs on the device (default: warn)."> {
  let initial = "false";
  let request = "placement.requiresDevice";
  let doc = "Fail if no op runs on the device; else the compiler adds a warning.";
  let python = Keyword<"require_device", "bool", "False", "fail if no op runs on the device.">;
}
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

def Emit : Enum<"", [
    Value<"Library", "library", "<name>.so and <name>.h.">,
    Value<"Source", "c", "<name>.c and <name>.h.">,
    Value<"Program", "program", "A device's programs, as files of the device's own format.">,
    Value<"Memory", "", "A model that runs in this process.">]>;
def WeightsPlace : Enum<"", [
    Value<"Linked", "linked", "Inside the library.">,
    Value<"File", "file", "In a file beside the library; <name>_open maps it.">]>;
def SourceLoops : Enum<"The form of inner loops in emitted C.", [
    Value<"Target", "auto", "The form in the target's description.">,
    Value<"Vectors", "vectors", "Types and operators of the vector extension of gcc and clang.">,
    Value<"Plain", "plain", "Loops over lanes, for compilers that vectorize them.">]>;
def IoPlace : Enum<"Where the inputs and outputs of emitted C are.", [
    Value<"Caller", "caller", "In buffers of the caller.">,
    Value<"Arena", "workspace", "In the workspace, so that a run may overwrite an input after its last use.">,
    Value<"Rows", "rows",
          "Outputs in the workspace. A run fetches rows of inputs from functions of the caller.">]>;

def MemoryLimits : RequestStruct<"output.limits",
    "The memory of a microcontroller that a model may use, in bytes; 0: as much as the target has.">;

let owner = BuildFlags in {
def MaxRam : Option<"--max-ram", "limits.ramBytes", Size,
    "Fail if the workspace, the inputs and outputs and the stack exceed SIZE on a microcontroller; the error "
    "says what helps (default: the memory of the target)."> {
  let oldNames = ["--ram"];
  let initial = "0";
  let request = "output.limits.ramBytes";
  let doc = "The workspace, the inputs and outputs outside the workspace, and the stack of a run.";
}
def MaxFlash : Option<"--max-flash", "limits.flashBytes", Size,
    "Fail if the program with its weights exceeds SIZE on a microcontroller; the error says what helps "
    "(default: the memory of the target)."> {
  let oldNames = ["--flash"];
  let initial = "0";
  let request = "output.limits.flashBytes";
  let doc = "The program with its weights.";
}
}

def OutputRequest : RequestStruct<"output">;

let owner = CompileFlags in {
def EmitForm : Option<"--emit", "emit", OneOf<Emit>,
    "Write a shared library, C source, or the program of a device as a separate file (default: library; c "
    "for a microcontroller)."> {
  let initial = "Emit::Library";
  let request = "output.emit";
  let isCopied = 0; // every verb sets it
}
def Output : Option<"-o,--output", "output", Text<"DIR">,
    "Write the results to DIR (default: the current directory)."> {
  let differs = "compile has no result but its files";
  let initial = "\".\"";
  let request = "output.folder";
  let doc = "The output folder. The compiler creates it if it is missing.";
}
def OutputName : Option<"--name", "name", Text<"NAME">,
    "Name the files and the C symbols (default: the name of the model file)."> {
  let comment = "prefix of symbols; empty: the name of the model file";
  let request = "output.name";
  let doc = "The name of files and the prefix of C symbols; empty: the name of the model.";
  let python = DataKeyword<"name", "Optional[str]",
      "the name of the model (default: the name of the file).">;
}
def Weights : Option<"--weights", "weights", OneOf<WeightsPlace>,
    "Link the weights into the library or write them to a file beside it (default: linked)."> {
  let initial = "WeightsPlace::Linked";
  let request = "output.weights";
  let stage = "codegen.weights";
}
def Loops : Option<"--loops", "loops", OneOf<SourceLoops>,
    "Emit C with vector types of GCC and Clang (vectors), with loops over lanes (plain) or as the target asks "
    "(auto); needs --emit=c (default: auto)."> {
  let initial = "SourceLoops::Target";
  let comment = "for C";
  let request = "output.loops";
}
}
let owner = BuildFlags in
def Io : Option<"--io", "io", OneOf<IoPlace>,
    "Place inputs and outputs of emitted C in buffers of the caller, or in the workspace, where a run "
    "overwrites the inputs; with rows, a run fetches the rows of inputs from functions of the caller "
    "(default: caller)."> {
  let oldValues = [OldValue<"arena", "workspace">];
  let initial = "IoPlace::Caller";
  let comment = "for C";
  let request = "output.io";
  let changesCpuCode = 1;
}
def Limits : RequestField<"output.limits", "MemoryLimits", "">;
def CCompiler : RequestField<"output.cCompiler", "std::string",
    "The C compiler for emitted C that runs in this process; empty: the first of clang-19, clang, gcc and cc "
    "on the path.">;
def TestInputs : RequestField<"output.testInputs", "std::optional<NamedTensors>",
    "If set, Emit::Source also writes a test bench with these inputs and with the outputs of the reference.">;

//===----------------------------------------------------------------------===//
// Numerics
//===----------------------------------------------------------------------===//

def Math : Enum<"", [
    Value<"Fast", "fast", "May use Winograd's algorithm, join groups, and round matmuls with packed weights in "
        "another way; infinite inputs can give NaN.">,
    Value<"Strict", "strict", "Uses only direct algorithms, which round like a plain sum.">]>;

def NumericsRequest : RequestStruct<"numerics">;

let owner = BuildFlags in {
def MathForm : Option<"--math", "math", OneOf<Math>,
    "Allow Winograd convolution, joined groups and other roundings of packed weights if fast, only direct "
    "algorithms if strict (default: fast)."> {
  let initial = "Math::Fast";
  let request = "numerics.math";
  let stage = "layout.isStrictMath";
  let stageValue = "$value == Math::Strict";
  let changesCpuCode = 1;
  let python = Keyword<"math", "str", "\"fast\"", "\"fast\" or \"strict\".">;
}
def WeightLimit : Option<"--weight-limit", "weightLimit", Count<0, 100000>,
    "Let the packed weights of convolutions and matmuls take at most N percent of the bytes that the model stores "
    "for them; layers for which larger weights save least time use smaller ones; 0 is no limit (default: 0)."> {
  let initial = "0";
  let comment = "most bytes of packed weights in percent of the stored ones; 0: no limit";
  let request = "numerics.weightLimit";
  let doc = "Most bytes of packed weights in percent of the bytes that the model stores for them; 0: no limit.";
  let stage = "layout.weightLimit";
  let changesCpuCode = 1;
  let python = Keyword<"weight_limit", "int", "0", "let packed weights take at most this many percent of the bytes "
      "that the model stores for them; 0: no limit.">;
}
def Integer : Option<"--integer", "isInteger", OnOff<>,
    "Compute quantized layers in integers if on, in float as ONNX defines them if off (default: on)."> {
  let initial = "true";
  let comment = "compute quantized layers in integers";
  let request = "numerics.isInteger";
  let doc = "Compute quantized layers in integers; else in ONNX's float arithmetic.";
  let stage = "quantize.isInteger";
  let python = Keyword<"integer", "bool", "True", "compute quantized layers in integers.">;
}
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

def Localise : Enum<
    "When to split layers into bands of rows that stay in a core's cache. The default is off; on a "
    "microcontroller, the default runs layers row by row where this needs less memory.",
    [Unset<"Default", "default">, Value<"On", "auto">, Value<"Off", "off">, Value<"Always", "always">]>;

def ScheduleRequest : RequestStruct<"schedule">;

let owner = BuildFlags in
def Threads : Option<"--threads", "threads", Count<0, 1024>,
    "Run an inference on N threads; 0 uses every core available to the process (default: 1)."> {
  let initial = "1";
  let comment = "0: one per core of the target";
  let request = "schedule.threads";
  let doc = "Threads of an inference; 0: one per core of the target.";
  let changesCpuCode = 1;
  let python = Keyword<"threads", "int", "1", "threads of an inference; 0: one per core of the target.">;
}
def KernelNs : RequestField<"schedule.kernelNs", "std::map<std::string, double>",
    "Measured nanoseconds by kernel name, for a schedule of several threads; empty: the scheduler uses "
    "estimates.">;
let owner = BuildFlags in
def BandsForm : Option<"--bands", "localise", OneOf<Localise>,
    "Run consecutive layers in bands of rows that fit into a core's cache: never (off), where the estimate is faster "
    "(auto), or wherever possible (always) (default: off; for a microcontroller, row by row where this needs less "
    "memory)."> {
  let oldNames = ["--localise"];
  let oldValues = [OldValue<"on", "auto">];
  let initial = "Localise::Default";
  let request = "schedule.localise";
  let changesCpuCode = 1;
  let python = Keyword<"localise", "str", "\"default\"", "run layers in bands of rows: \"default\", "
      "\"auto\", \"off\" or \"always\".">;
}
let owner = BuildFlags in
def Grain : Option<"--grain", "grainNs", Duration<"1e-9", "1e-9">,
    "Split a kernel among threads only into parts of at least DURATION of estimated work (default: 2us)."> {
  let initial = "2000";
  let comment = "least estimated work of a part of a kernel";
  let request = "schedule.grainNs";
  let doc = "Least estimated work of a part of a kernel that several threads share, in nanoseconds.";
  let stage = "schedule.grainNs";
  let stageValue = "std::max<int64_t>(1, static_cast<int64_t>($value))";
  let changesCpuCode = 1;
  let python = Keyword<"grain_ns", "float", "2000", "split a kernel among threads only into parts of at least "
      "this much estimated work, in nanoseconds.">;
}
let owner = CompileFlags in {
def Deadline : Option<"--deadline", "deadlineMs", Duration<"1e-3", "1e-3">,
    "Choose cores and power states of the target for the least energy within DURATION per inference; needs "
    "--threads (default: none)."> {
  let initial = "0";
  let comment = "minimize energy within this time; 0: off";
  let request = "schedule.deadlineMs";
  let doc = "Minimize energy within this time by the target's power states; 0: no deadline.";
}
def CompileReport : Option<"--report", "report", Text<"FILE">,
    "Draw the schedule of the threads as an HTML report, which needs --threads; for a microcontroller, draw the "
    "layers and the arena (default: none)."> {
  let comment = "page for the schedule of the threads or for the memory of a microcontroller";
  let request = "schedule.report";
  let doc = "File for a drawing of the schedule; empty: none.";
  let stage = "schedule.report";
}
}

//===----------------------------------------------------------------------===//
// Debugging
//===----------------------------------------------------------------------===//

def Probes : Enum<"Which parts of the code the program that loads the model can time.", [
    Value<"None">,
    Value<"Kernels", "", "Each call of a kernel; its number is its index in CompileReport::kernels.">,
    Value<"KernelsAndWaits", "", "Also the waits of threads for each other; -1 - N is a wait for thread N.">]>;

def DebuggingRequest : RequestStruct<"debugging">;

let owner = CompileFlags in {
def VerifyStages : Option<"--verify-stages", "verifyStages", Toggle,
    "Check the contract of each stage after the stage has run (default: off)."> {
  let initial = "false";
  let request = "debugging.verifiesStages";
  let requestType = "std::optional<bool>";
  let doc = "Check the contract of each stage; unset: only in builds with assertions.";
  let isCopied = 0; // without the flag, the member stays unset
}
def StopAfter : Option<"--stop-after", "stopAfter", Name<"driver::stageNames()", "STAGE">,
    "Print the IR after STAGE and write no files; `convoy --help-stages` lists the stages (default: off)."> {
  let comment = "print the IR after this stage; empty: write files";
  let request = "debugging.stopAfter";
  let doc = "The last stage that runs. The artifact is then the IR as text, and the compiler writes no file. "
      "Empty: all stages run.";
}
def Sanitize : Option<"--sanitize", "sanitizesThreads", Choice<"bool", [Word<"thread", "true">]>,
    "Instrument the generated code with ThreadSanitizer (default: off)."> {
  let initial = "false";
  let request = "debugging.sanitizesThreads";
  let doc = "Instrument the code with ThreadSanitizer.";
  let stage = "codegen.sanitizeThreads";
}
}
def WritesReproducer : RequestField<"debugging.writesReproducer", "bool",
    "Write a reproducer if a stage fails by a bug of the compiler: a file `<model>.convoy-reproducer.mlir` in "
    "the working directory, or in the temporary folder if the working directory is not writable. The last "
    "error names the file.", "false">;
def ProbesField : RequestField<"debugging.probes", "Probes",
    "Instrument the code so that the program that loads the model can time it.", "Probes::None">;

#endif // CONVOY_OPTIONS_REQUEST_TD
