// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags of the verbs that compile one model and use it: compile, run, check.

#include "BuildArguments.h"
#include "DataArguments.h"
#include "Driver/Pages.h"

namespace convoy::tool {
namespace {

// In the units of the fields: milliseconds.
constexpr DurationKind kMilliseconds{/*stored=*/1e-3, /*plain=*/1e-3};

void addArtefactFlags(CommandLine &line, CLI::App &verb, CompileFlags &o) {
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  flags.text("-o,--output", o.output, "DIR",
             "Write the results to DIR (default: the current directory).");
  flags.choice("--emit", o.emit,
               {{"library", Emit::Library}, {"c", Emit::Source}, {"program", Emit::Program}},
               "Write a shared library, C source, or the program of a device as a file of its own "
               "(default: library; c for a microcontroller).");
  flags.flag("--with-test", o.withTest,
             "Write a test bench with the outputs of the reference; needs --emit=c (default: "
             "off).");
  flags.texts("--input", o.inputs, "[NAME=]FILE",
              "Read an input of the test bench from a .npy, .pb or .raw file or an image, or "
              "generate random[:SEED] (default: random).");
  flags.text("--name", o.name, "NAME",
             "Name the files and the C symbols (default: the name of the model file).");
  rare.choice("--loops", o.loops,
              {{"auto", SourceLoops::Target},
               {"vectors", SourceLoops::Vectors},
               {"plain", SourceLoops::Plain}},
              "Emit C with vector types of GCC and Clang (vectors), with loops over lanes (plain) "
              "or as the target asks (auto); needs --emit=c (default: auto).");
  rare.choice("--weights", o.weights,
              {{"linked", WeightsPlace::Linked}, {"file", WeightsPlace::File}},
              "Link the weights into the library or write them to a file beside it (default: "
              "linked).");
}

void addCompilationFlags(CommandLine &line, CLI::App &verb, CompileFlags &o) {
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  flags.text("--report", o.report, "FILE",
             "Draw the schedule of the threads as an HTML page, which needs --threads; for a "
             "microcontroller, draw the layers and the arena (default: none).");
  flags.alias("--schedule-report", o.report);
  rare.text("--trace", o.trace, "FILE",
            "Write the times of all stages and passes as a trace for ui.perfetto.dev (default: "
            "none).");
  rare.name("--stop-after", o.stopAfter, driver::stageNames(), "STAGE",
            "Print the IR after STAGE and write no files; `convoy --help-stages` lists the "
            "stages (default: off).");
  rare.duration("--deadline", o.deadlineMs, kMilliseconds,
                "Choose cores and power states of the target for the least energy within DURATION "
                "per inference; needs --threads; a number without a unit is in milliseconds "
                "(default: none).");
  rare.flag("--verify-stages", o.verifyStages,
            "Check the contract of each stage after the stage has run (default: off).");
  rare.choice("--sanitize", o.sanitizesThreads, {{"thread", true}},
              "Instrument the generated code with ThreadSanitizer (default: off).");
}

DataForm runDataForm() {
  DataForm form;
  form.labels =
      "Read the class of each sample of --data from FILE: a .npy or .u8 file of integers, or "
      "text with LABEL or NAME LABEL per line; without --data, read the names of the classes, "
      "one per line (default: none).";
  return form;
}

DataForm checkDataForm() {
  DataForm form;
  form.data = "Compare on samples of a data set, which is a folder, a .npy file or a .json file as "
              "in `convoy run` (default: none).";
  form.labels = nullptr;
  form.samples = "Compare on N samples of --data, spread evenly by the hash of their content "
                 "(default: 10).";
  return form;
}

} // namespace

void addCompile(CommandLine &line) {
  auto o = std::make_shared<CompileFlags>();
  CLI::App &verb = line.addVerb(
      "compile", "Compile a model to a library or C source, with a header and weights.",
      [o](Console &console) { return compile(*o, console); });
  BuildForm form;
  form.imageReaders = {"--calibrate", "--input"};
  form.hasLimits = true;
  addBuildFlags(line, verb, o->build, form);
  addArtefactFlags(line, verb, *o);
  addCompilationFlags(line, verb, *o);
  line.addResultFlags(verb, o->json);
}

void addRun(CommandLine &line) {
  auto o = std::make_shared<RunFlags>();
  CLI::App &verb =
      line.addVerb("run", "Compile a model in memory and run it on one input or on a data set.",
                   [o](Console &console) { return run(*o, console); });
  BuildForm form = inputForm();
  form.threads = "Run an inference on N threads; 0 uses every core available to the process "
                 "(default: 0).";
  o->build.threads = 0;
  addBuildFlags(line, verb, o->build, form);
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  flags.texts("--input", o->inputs, "[NAME=]FILE",
              "Read an input from a .npy, .pb or .raw file or a PNG, JPEG or BMP image, or "
              "generate random[:SEED]; repeat the flag for each input (required unless --data is "
              "given).");
  addDataFlags(line, verb, o->data, runDataForm());
  rare.text(
      "--metric", o->metric, "CMD",
      "Run the shell command CMD with a .npy file of the outputs of all samples of --data and, "
      "if there are labels, a .npy file of the labels; CMD prints one number (default: none).");
  flags.count("--top", o->top, {1, 1000000},
              "Print the N largest elements of each output; with --data, count the samples whose "
              "class is among the N largest (default: 5 with --labels or --data, else off).");
  flags.text("-o,--output", o->output, "DIR",
             "Write each output to a file in DIR (default: write no files).");
  rare.choice("--output-format", o->format, {{"npy", TensorFormat::Npy}, {"pb", TensorFormat::Pb}},
              "Write the outputs as NumPy or ONNX tensor files (default: npy).");
  rare.text("--trace", o->trace, "FILE",
            "Run the model repeatedly with probes and write the kernels and waits of each core as "
            "a trace for ui.perfetto.dev (default: none).");
  line.addResultFlags(verb, o->json);
}

void addCheck(CommandLine &line) {
  auto o = std::make_shared<CheckFlags>();
  CLI::App &verb = line.addVerb(
      "check", "Compare the outputs of targets with golden outputs or with the reference.",
      [o](Console &console) { return check(*o, console); });
  BuildForm form = inputForm();
  form.targets = &o->targets;
  addBuildFlags(line, verb, o->build, form);
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  flags.texts("--golden", o->goldens, "DIR",
              "Compare with the golden data in DIR: input_N.pb and output_N.pb, or folders of such "
              "files (default: compare with the reference).");
  flags.texts("--input", o->inputs, "[NAME=]FILE",
              "Read an input from a .npy, .pb or .raw file or a PNG, JPEG or BMP image, or "
              "generate random[:SEED] (default: random).");
  addDataFlags(line, verb, o->data, checkDataForm());
  rare.flag("--layers", o->hasLayers,
            "Report how far each integer layer is from ONNX's arithmetic on the same inputs "
            "(default: off).");
  rare.flag("--exact", o->isExact,
            "Require equal bytes, which integer graphs promise; for float ops behind an integer "
            "graph, such as a softmax, compare their inputs (default: off).");
  line.addResultFlags(verb, o->json);
}

} // namespace convoy::tool
