// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension module convoy_runtime._runtime: the class Runner, the base of convoy_runtime.Model.

#include "ModelRunner.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using convoy::python::ModelRunner;

static constexpr const char *kRunHelp =
    R"(Runs the model and returns {name: array} with one entry per output.

feed: {name: array} with one entry per input. An array of the model's type and shape in row-major
    order is used without a copy; an array in another memory order or byte order is copied. Other
    objects are read by DLPack or by the buffer protocol. Lists and numbers are converted.
out: {name: array} of writable arrays for outputs; the other outputs are new arrays, aligned to 64
    bytes.

Raises ArgumentNameError, ArgumentTypeError or ArgumentValueError with every wrong argument in
`problems`, and Error if the run fails. Other Python threads run meanwhile, and many threads may run
one model. Ctrl-C during a run of more than 0.1 s raises KeyboardInterrupt at once; the run
continues in the background and keeps its arrays.)";

/// Returns the runner of an object. Throws if the object was made without __init__, for example by
/// `Model.__new__(Model)`: pybind11 would convert such an object to memory without a runner.
static ModelRunner &runnerOf(const py::object &self) {
  if (!py::isinstance<ModelRunner>(self)) {
    throw py::type_error(std::string("expected a Model, got ") + Py_TYPE(self.ptr())->tp_name);
  }
  auto *instance = reinterpret_cast<py::detail::instance *>(self.ptr());
  if (!instance->get_value_and_holder().holder_constructed()) {
    convoy::python::raiseError("this object has no model, because __init__ did not run; use "
                               "convoy_runtime.load(path)");
  }
  return self.cast<ModelRunner &>();
}

/// Defines a property that is a text of the table.
template <typename Class, typename Member>
static void defineTableProperty(Class &type, const char *name, Member convoy_model::*member,
                                const char *help) {
  type.def_property_readonly(
      name, [member](const py::object &self) { return runnerOf(self).table().*member; }, help);
}

PYBIND11_MODULE(_runtime, module) {
  module.doc() = "Loads and runs compiled models.";
  module.attr("__version__") = CONVOY_VERSION;
  convoy::python::waitAtExit();

  py::class_<ModelRunner> runner(module, "Runner", py::dynamic_attr(),
                                 "A compiled model; the base class of convoy_runtime.Model.");
  runner.def(py::init(&ModelRunner::load), py::arg("path"), py::arg("hash") = py::none(),
             py::arg("verify") = false);
  runner.def(py::init(&ModelRunner::fromTable), py::arg("table").none(true));
  runner.def(
      "run",
      [](const py::object &self, const py::object &feed, const py::object &out) {
        return runnerOf(self).run(self, feed, out);
      },
      py::arg("feed"), py::arg("out") = py::none(), kRunHelp);
  runner.def_property_readonly(
      "inputs", [](const py::object &self) { return runnerOf(self).inputs(); },
      "The inputs: a tuple of Tensor.");
  runner.def_property_readonly(
      "outputs", [](const py::object &self) { return runnerOf(self).outputs(); },
      "The outputs: a tuple of Tensor.");
  defineTableProperty(runner, "name", &convoy_model::name, "The name of the model.");
  defineTableProperty(runner, "target", &convoy_model::target,
                      "The target that the model was compiled for.");
  defineTableProperty(runner, "features", &convoy_model::features,
                      "The CPU features that the code uses, separated by commas.");
  defineTableProperty(runner, "hash", &convoy_model::hash, "The hash of code and weights.");
  defineTableProperty(runner, "weights_hash", &convoy_model::weights_hash,
                      "The hash of the weights.");
  defineTableProperty(runner, "records", &convoy_model::records,
                      "The hash of the tuning records; empty: none.");
  defineTableProperty(runner, "compiler", &convoy_model::compiler,
                      "The version of Convoy that compiled the model.");
  defineTableProperty(runner, "threads", &convoy_model::threads, "The threads of an inference.");
  defineTableProperty(runner, "workspace_bytes", &convoy_model::workspace_bytes,
                      "The memory of one run, without inputs and outputs.");
  defineTableProperty(runner, "weights_bytes", &convoy_model::weights_bytes,
                      "The size of the weights.");
}
