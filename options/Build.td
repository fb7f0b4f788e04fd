// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of several verbs that are no members of a CompileRequest, and the lists of options that
// verbs share.

#ifndef CONVOY_OPTIONS_BUILD_TD
#define CONVOY_OPTIONS_BUILD_TD

include "Request.td"

let owner = ModelFlags in
def Model : Option<"model", "path", Argument<"MODEL">, "Read this ONNX model (required)."> {
  let isRequired = 1;
}

let owner = BuildFlags in
def AllowToolchain : Option<"--allow-toolchain", "allowsToolchain", Toggle,
    "Run the compilers, the linker and the emulator that the description of the target names, if it is a file (default: "
    "only if the user's list of allowed descriptions has it)."> {
  let initial = "false";
  let comment = "run the commands of a description in a file";
  let python = Keyword<"allow_toolchain", "bool", "False", "run the commands that a target file names.", "bool(allow_toolchain)">;
}

let owner = BuildFlags in {
def Optimize : Option<"--optimize", "target", Kind<"goal", "", "latency|memory", ["nullptr"]>,
    "Compile for a short inference or for little device memory, on devices that have the choice (default: "
    "latency)."> {
  let python = Keyword<"optimize", "Optional[str]", "None",
      "\"latency\" or \"memory\": what a device compiles for, if it has the choice.",
      "\"\" if optimize is None else _word(\"optimize\", optimize, (\"latency\", \"memory\"))">;
}
def Calibrate : Option<"--calibrate", "calibrate", Text<"DIR">,
    "Quantize a float model to 8 bits with the samples in DIR: one file per sample of a single input, or one "
    "folder of input_N.pb per sample (default: none)."> {
  let comment = "folder of calibration samples; empty: none";
  let python = DataKeyword<"calibrate", "Optional[Union[str, os.PathLike[str], Iterable[Mapping[str, Any]]]]",
      "quantize a float model to 8 bits with samples: a folder, or a list of {name: array}.">;
}
def Records : Option<"--records", "records", Text<"FILE">,
    "Choose kernels by the tuning records in FILE, which `convoy tune` writes, or by the records of a tuning "
    "service, service:URL (default: none)."> {
  let comment = "tuning records: a file or service:URL; empty: none";
  let changesCpuCode = 1;
  let python = Keyword<"records", "Optional[Union[str, os.PathLike[str]]]", "None",
      "file of tuning records, by which the compiler chooses kernels.", "_text(\"records\", records)">;
}
def BuildCerts : Option<"--service-certs", "certs", Text<"DIR">,
    "Read the certificates for a tuning service from DIR: ca.crt, client.crt and client.key (default: "
    ".config/convoy/certs in the home folder)."> {
  let comment = "for a service, see ServiceFlags";
}
def KernelTimes : Option<"--kernel-times", "kernelTimes", Text<"FILE">,
    "Schedule several threads by the kernel times in FILE, which `convoy bench --layers --json=FILE` writes "
    "(default: estimated times)."> {
  let comment = "file of measured kernel times; empty: estimates";
  let changesCpuCode = 1;
}
def LoadPassPlugin : Option<"--load-pass-plugin", "faults.plugins", Texts<"FILE">,
    "Load an MLIR pass plug-in for --inject (default: none).">;
def Inject : Option<"--inject", "faults.faults", Texts<"AFTER:PASS">,
    "Run a plug-in pass after each run of the pass AFTER, to test that `convoy check` finds an injected bug "
    "(default: none)."> {
  let oldNames = ["--plant", "--inject-fault"];
}
}

// How an image becomes a tensor: members of io::ImageFlags.
def ImageFlags : LibraryStruct<"build.image.">;
let owner = ImageFlags, readsImages = 1 in
def Preprocess : Option<"--preprocess", "preprocess",
    Choice<"io::Preprocess", [
        Word<"imagenet", "io::Preprocess::Imagenet">, Word<"symmetric", "io::Preprocess::Symmetric">,
        Word<"unit", "io::Preprocess::Unit">, Word<"bytes", "io::Preprocess::Bytes">]>,
    "Convert pixels as the model was trained: imagenet subtracts the means and divides by the deviations of "
    "ImageNet's channels, symmetric gives -1 to 1, unit 0 to 1 and bytes 0 to 255; --mean, --std and --scale replace "
    "parts of it (default: unit for float inputs, bytes for integer inputs).">;
let owner = ImageFlags, readsImages = 1 in {
def Resize : Option<"--resize", "resize", Kind<"resize", "io::Resize", "SIZE">,
    "Resize an image before the crop: 256 sets the short side, 320x240 both sides, none keeps the size, auto "
    "fits the input (default: auto).">;
def Color : Option<"--color", "color",
    Choice<"io::Color", [Word<"rgb", "io::Color::Rgb">, Word<"bgr", "io::Color::Bgr">, Word<"gray", "io::Color::Gray">]>,
    "Set the channel order of the input (default: gray for one channel, else rgb).">;
def Mean : Option<"--mean", "mean", Numbers,
    "Subtract X from each scaled pixel, one value or one per channel (default: 0; 128 for int8 inputs).">;
def Std : Option<"--std", "std", Numbers,
    "Divide each pixel by X after --mean, one value or one per channel (default: 1).">;
def Scale : Option<"--scale", "scale", Numbers,
    "Multiply each pixel by X before --mean, one value or one per channel (default: 1/255 for float inputs, "
    "else 1).">;
def Crop : Option<"--crop", "crop",
    Choice<"io::Crop", [Word<"center", "io::Crop::Center">, Word<"none", "io::Crop::None">]>,
    "Crop an image to the size of the input around its center, or not at all (default: center).">;
def ImageLayout : Option<"--image-layout", "layout",
    Choice<"io::DimOrder", [Word<"nchw", "io::DimOrder::Nchw">, Word<"nhwc", "io::DimOrder::Nhwc">]>,
    "Set the dimension order of the input (default: derived from its shape).">;
}

// A data set: members of io::DatasetFlags.
def DatasetFlags : LibraryStruct<"data.">;
let owner = DatasetFlags in {
def Data : Option<"--data", "data", Text<"DATA">,
    "Read samples from a folder of images, .npy or .pb files, from a .npy file whose first dimension counts "
    "the samples, or from a .json file that describes a data set (default: none).">;
def Labels : Option<"--labels", "labels", Text<"FILE">,
    "Read the class of each sample of --data from FILE: a .npy or .u8 file of integers, or text with LABEL or NAME "
    "LABEL per line (default: the labels of a .json file, else none).">;
def DataSamples : Option<"--samples", "samples", Count<1>,
    "Use at most N samples of --data, spread evenly by the hash of their content (default: all).">;
}

// The flags at the end of every verb.
def AnyVerb : LibraryStruct<"">;
let owner = AnyVerb in {
def ResultJson : Option<"--json", "json", Json,
    "Print the result as JSON; with FILE, write the JSON to FILE and print the text (default: text only).">;
def Quiet : Option<"--quiet", "", Toggle,
    "Print no progress and no summary; warnings and errors remain (default: off).">;
}

// Where `run` keeps compiled models.
def CacheFlags : Struct<"cache.">;
let owner = CacheFlags in {
def Cache : Option<"--cache", "folder", Text<"DIR|off">,
    "Keep compiled models in DIR and load a model from there if model, flags, CPU and version are the same; off keeps "
    "none (default: .cache/convoy in the home folder).">;
def CacheLimit : Option<"--cache-limit", "limitBytes", Size,
    "Remove the models of the cache that were not used for the longest time if it exceeds SIZE (default: 2G)."> {
  let initial = "int64_t(2) << 30";
}
}

defvar kPins = [InputShape, Dim, Const, CustomOps];
defvar kModel = [Model] # kPins;
defvar kPlacement = [Place, RequireDevice];
defvar kNumerics = [MathForm, WeightLimit, Integer, Calibrate];
defvar kImage = [Preprocess, Resize, Color, Mean, Std, Scale, Crop, ImageLayout];
defvar kSchedule = [KernelTimes, BandsForm, Grain];
defvar kTuning = [Records, BuildCerts] # kSchedule;
defvar kPlugins = [Hidden<LoadPassPlugin>, Hidden<Inject>];
defvar kResult = [ResultJson, Quiet];

#endif // CONVOY_OPTIONS_BUILD_TD
