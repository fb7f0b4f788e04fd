// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verb quantize.

#ifndef CONVOY_OPTIONS_QUANTIZE_TD
#define CONVOY_OPTIONS_QUANTIZE_TD

include "Build.td"

def QuantizeFlags : Struct;
// Members of quantizer::QuantizeOptions.
def QuantizeOptions : LibraryStruct<"options.">;

let owner = QuantizeFlags in
def CalibrationData : Option<"--calibration-data", "calibrationData", Text<"DATA">,
    "Read the samples for ranges and weights from DATA; --data then only selects and proves (default: a tenth "
    "of --data)."> {
  let comment = "empty: a part of the data calibrates";
}
let owner = QuantizeOptions in {
def CalibrationSamples : Option<"--calibration-samples", "calibrationSamples", Count<1, 1000000>,
    "Use at most N samples for ranges and weights (default: 500).">;
def CheckData : Option<"--check-data", "findsMistakes", OnOff<>,
    "Look for mistakes of preprocessing and labels on the select split and warn of them (default: on).">;
def CalibrateShare : Option<"--calibrate-share", "calibrateShare", Percent,
    "Use X% of --data for ranges and weights, unless --calibration-data is given (default: 10%).">;
def SelectShare : Option<"--select-share", "selectShare", Percent,
    "Use X% of --data to choose the plan; the accuracy bound uses none of it (default: 10%).">;
}

let owner = QuantizeOptions in {
def MaxDrop : Option<"--max-drop", "maxDrop", Percent,
    "Set the largest drop of the accuracy, in points, that the proof must exclude with 95 % confidence; "
    "without labels, the largest share of changed answers (default: 0.5%).">;
def Attempts : Option<"--attempts", "attempts", Count<1, 1000>,
    "Declare the number of proofs on this data before the first one; each proof uses 5 % over N (default: "
    "1).">;
}
let owner = QuantizeFlags in
def AllowUnproven : Option<"--allow-unproven", "allowsUnproven", Toggle,
    "Write the model even if the data does not prove --max-drop (default: off)."> {
  let initial = "false";
  let comment = "write the model without an accuracy bound";
}
let owner = QuantizeOptions in {
def Proof : Option<"--proof", "proves", OnOff<>,
    "Prove the drop, or leave the proof split unread and write the model without an accuracy bound (default: on).">;
def Ledger : Option<"--ledger", "ledger", Text<"FILE">,
    "Count the proofs of each model on each data set and target in FILE (default: .config/convoy/proofs.json in the "
    "home folder).">;
}

let owner = QuantizeFlags in
def Plan : Option<"--plan", "plan", Text<"FILE">,
    "Read the types and scales of all tensors from FILE, which an earlier run wrote, and search none "
    "(default: search)."> {
  let comment = "a plan to apply; empty: search one";
}
let owner = QuantizeOptions in {
def WeightBits : Option<"--weight-bits", "weights", Choice<"quantizer::WeightBits", [
      Word<"8", "quantizer::WeightBits::Eight">, Word<"4", "quantizer::WeightBits::Four">,
      Word<"auto", "quantizer::WeightBits::Auto">]>,
    "Store weights in 8 bits, in 4 bits, or as many in 4 bits as --max-drop allows (default: 8).">;
def Ends : Option<"--ends", "ends", Choice<"quantizer::Ends", [
      Word<"auto", "quantizer::Ends::Auto">, Word<"float", "quantizer::Ends::Float">,
      Word<"integer", "quantizer::Ends::Integer">]>,
    "Set the type of the model's inputs and outputs: float, or the integers of the plan (default: auto, integers for "
    "a microcontroller, otherwise float).">;
def MaxWide : Option<"--max-wide", "maxWide", Count<0, 100000>,
    "Keep at most N activations wider than 8 bits (default: 8; 0 for a microcontroller, which computes them "
    "in generic loops).">;
def Wide : Option<"--wide", "allows16", OnOff<"int16", "float">,
    "Store wide activations in int16 if the target has it, or in float (default: int16).">;
def MinFourBitShare : Option<"--min-4bit-share", "minFourBitShare", Percent,
    "Require X% of the bytes of the weights in 4 bits; needs --weight-bits auto (default: 0%).">;
def Clipping : Option<"--clipping", "base.clipping", Choice<"quantizer::Clipping", [
      Word<"minmax", "quantizer::Clipping::MinMax">, Word<"percentile", "quantizer::Clipping::Percentile">,
      Word<"mse", "quantizer::Clipping::Mse">]>,
    "Choose the range of an activation by its extremes, by its 99.99 % percentile or by the least mean "
    "squared error (default: mse).">;
def Rounding : Option<"--rounding", "base.rounding", Choice<"plan::Rounding", [
      Word<"nearest", "plan::Rounding::Nearest">, Word<"fitted", "plan::Rounding::Fitted">]>,
    "Round each weight to nearest, or fit the weights of a layer to its inputs (default: fitted).">;
def BiasCorrection : Option<"--bias-correction", "base.correctsBias", OnOff<>,
    "Add the mean error of the integer weights to the bias (default: on).">;
def PlanMaxRam : Option<"--max-ram", "maxWorkspaceBytes", Size,
    "Use only plans whose predicted workspace is at most SIZE (default: no limit)."> {
  let sharesFlag = 1;
  let differs = "a plan is also for machines with other memory than the target";
}
// The member is in nanoseconds.
def MaxLatency : Option<"--max-latency", "maxNanoseconds", Duration<"1e-9", "1e-3">,
    "Use only plans whose predicted time on one core is at most DURATION (default: no limit).">;
def SensitivitySamples : Option<"--sensitivity-samples", "sensitivitySamples", Count<0, 1000>,
    "Rank the tensors on N samples; 0 ranks none and searches none (default: 8).">;
}

let owner = QuantizeFlags in {
def QuantizeOutput : Option<"-o,--output", "output", Text<"DIR">,
    "Write the quantized model MODEL-int8.onnx and its plan MODEL-int8.plan.json to DIR; a DIR that ends in .onnx names "
    "the model itself (required)."> {
  let sharesFlag = 1;
  let isRequired = 1;
  let comment = "the quantized model, or its folder";
}
def QuantizeReport : Option<"--report", "report", Text<"FILE">,
    "Draw accuracy, errors, ranges and changed samples as an HTML report (default: none)."> {
  let sharesFlag = 1;
  let comment = "page; empty: none";
}
}
let owner = QuantizeOptions in {
def TopK : Option<"--top", "topK", Count<1, 1000>,
    "Count also the answers whose label is among the N largest (default: 5)."> {
  let sharesFlag = 1;
}
def QuantizeJobs : Option<"--jobs", "threads", Count<0, 1024>,
    "Run the model on N samples at the same time; 0 uses every core available to the process (default: 0)."> {
  let sharesFlag = 1;
}
}

def QuantizeJobsFlag : Use<QuantizeJobs> { let initial = "0"; }
def QuantizeVerb : Verb<"quantize", "Quantize a float model to an ONNX model with QuantizeLinear and "
                        "DequantizeLinear, and prove an upper bound on the accuracy loss.",
                        QuantizeFlags> {
  let entries = kModel # [
      Use<Target, "Choose types that this target computes in integers, and predict times on it; `convoy "
          "targets` lists the targets (default: host).">, Cpu] # kImage # [
      Required<Data, "Read the samples from a folder of images, .npy or .pb files, from a .npy file whose "
          "first dimension counts the samples, or from a .json file that describes a data set (required).">,
      Use<Labels, "Read the class of each sample of --data from FILE: a .npy or .u8 file of integers, or text with "
          "LABEL or NAME LABEL per line; without labels, measure the agreement with the float model (default: the "
          "labels of a .json file, else none).">,
      DataSamples, CalibrationData, CalibrationSamples, CheckData, CalibrateShare, SelectShare, MaxDrop,
      Attempts, AllowUnproven, Proof, Ledger, Plan, WeightBits, Ends, MaxWide, Wide, MinFourBitShare, Clipping,
      Rounding, BiasCorrection, PlanMaxRam, MaxLatency, SensitivitySamples, QuantizeOutput, QuantizeReport, TopK,
      QuantizeJobsFlag, Alias<"--threads", QuantizeJobs>, Alias<"--weights", WeightBits>] # kResult;
  let everyday = [Target, Data, Labels, Preprocess, MaxDrop, Attempts, WeightBits, QuantizeOutput, QuantizeReport,
                  ResultJson];
  let checks = ["checkQuantizeFlags(verb, o)"];
}

#endif // CONVOY_OPTIONS_QUANTIZE_TD
