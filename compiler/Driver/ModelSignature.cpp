// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of arguments and results tell which tensor of a collection they are
// (Import/ElementName.h).

#include "Driver/ModelSignature.h"
#include "Driver/ImportRequested.h"
#include "Import/ElementName.h"
#include "Import/OnnxProto.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mlir;

namespace convoy::driver {
namespace {

using Tensors = std::map<std::string, Datum>;

/// Adds the tensors of a value by the names of the arguments that take them.
void addTensors(const std::string &name, const Datum &value, Tensors &tensors) {
  if (value.isTensor()) {
    tensors[name] = value;
  } else if (value.isOptional() && !value.elements.empty()) {
    addTensors(name, value.elements.front(), tensors);
  } else if (value.isSequence()) {
    for (auto [i, element] : llvm::enumerate(value.elements)) {
      addTensors(import::elementName(name, i), element, tensors);
    }
  }
}

bool hasTensorsOf(const std::string &name, ArrayRef<std::string> names) {
  return llvm::any_of(names,
                      [&](const std::string &given) { return import::isNameWithin(given, name); });
}

/// Builds a value of the given kinds from the results of a function.
Datum valueOf(const std::string &name, ArrayRef<Datum::Kind> kinds, ArrayRef<std::string> names,
              ArrayRef<Datum> results) {
  if (kinds.size() == 1) {
    return results[llvm::find(names, name) - names.begin()];
  }
  std::vector<Datum> elements;
  if (kinds.front() == Datum::Kind::Optional) {
    if (hasTensorsOf(name, names)) {
      elements.push_back(valueOf(name, kinds.drop_front(), names, results));
    }
    return Datum::optional(std::move(elements));
  }
  for (std::string inner = import::elementName(name, 0); hasTensorsOf(inner, names);
       inner = import::elementName(name, elements.size())) {
    elements.push_back(valueOf(inner, kinds.drop_front(), names, results));
  }
  return Datum::sequence(std::move(elements));
}

bool isTensor(Type type) { return isa<TensorType>(type); }

} // namespace

std::vector<ModelSignature::Form>
ModelSignature::formsOf(ArrayRef<const onnx::ValueInfoProto *> values) {
  std::vector<Form> forms;
  for (const onnx::ValueInfoProto *value : values) {
    Form &form = forms.emplace_back();
    form.name = value->name();
    const onnx::TypeProto *type = &value->type();
    while (type->has_sequence_type() || type->has_optional_type()) {
      bool isSequence = type->has_sequence_type();
      form.kinds.push_back(isSequence ? Datum::Kind::Sequence : Datum::Kind::Optional);
      type = isSequence ? &type->sequence_type().elem_type() : &type->optional_type().elem_type();
    }
    form.kinds.push_back(Datum::Kind::Tensor);
  }
  return forms;
}

ModelSignature::ModelSignature(const import::Model &model, func::FuncOp main)
    : inputs(driver::argumentNames(main)), outputs(driver::resultNames(main)), arguments(inputs),
      results(outputs) {
  FunctionType type = main.getFunctionType();
  std::vector<Form> taken = formsOf(freeInputs(model));
  std::vector<Form> given = formsOf(driver::outputsOf(model));
  auto isCollection = [](const Form &form) { return form.kinds.size() > 1; };
  hasStrings = llvm::any_of(driver::outputsOf(model), [](const onnx::ValueInfoProto *value) {
    return value->type().tensor_type().elem_type() == onnx::TensorProto::STRING;
  });
  isFlat = (llvm::any_of(taken, isCollection) || llvm::any_of(given, isCollection)) &&
           llvm::all_of(type.getInputs(), isTensor) && llvm::all_of(type.getResults(), isTensor);
  if (!isFlat) {
    return;
  }
  inputForms = std::move(taken);
  outputForms = std::move(given);
  inputs.clear();
  outputs.clear();
  for (const Form &form : inputForms) {
    if (hasTensorsOf(form.name, arguments)) {
      inputs.push_back(form.name);
    }
  }
  for (const Form &form : outputForms) {
    outputs.push_back(form.name);
  }
}

void ModelSignature::checkCollections(const NamedData &data, Problems &problems) const {
  for (const Form &form : inputForms) {
    auto given = data.find(form.name);
    if (form.kinds.size() == 1 || given == data.end()) {
      continue;
    }
    Tensors tensors;
    addTensors(form.name, given->second, tensors);
    auto isTaken = [&](const auto &entry) { return llvm::is_contained(arguments, entry.first); };
    int64_t count = llvm::count_if(
        arguments, [&](const std::string &name) { return import::isNameWithin(name, form.name); });
    if (count != static_cast<int64_t>(tensors.size()) || !llvm::all_of(tensors, isTaken)) {
      problems.addError("input '" + form.name + "' contains " + std::to_string(tensors.size()) +
                        " tensors, but the model was compiled for " + std::to_string(count) +
                        "; compile it for this data, or give --target=reference");
    }
  }
}

std::vector<Datum> ModelSignature::argumentsOf(const NamedData &data, Problems &problems) const {
  Tensors flat;
  if (isFlat) {
    checkCollections(data, problems);
    for (const auto &[name, value] : data) {
      addTensors(name, value, flat);
    }
  }
  const Tensors &known = isFlat ? flat : data;
  bool isMismatch = problems.hasErrors();
  std::vector<Datum> values;
  for (const std::string &name : arguments) {
    auto it = known.find(name);
    if (it != known.end()) {
      values.push_back(it->second);
    } else if (!isMismatch) {
      problems.addError("no data for input '" + name + "'; give it with --input " + name + "=FILE");
    }
  }
  return values;
}

std::vector<Datum> ModelSignature::outputsOf(std::vector<Datum> values) const {
  if (!isFlat) {
    return values;
  }
  std::vector<Datum> grouped;
  for (const Form &form : outputForms) {
    grouped.push_back(valueOf(form.name, form.kinds, results, values));
  }
  return grouped;
}

} // namespace convoy::driver
