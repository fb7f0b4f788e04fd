// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements mutations by protobuf reflection and mutations that keep ONNX semantics valid.

#include "tests/fuzz/ModelMutator.h"
#include "Import/OpTable.h"
#include <cmath>
#include <limits>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace convoy::fuzz {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Larger tensors would displace all other parts of an input.
constexpr size_t kMaxStringBytes = 512;

/// Returns whether the importer ignores the field.
static bool isIdle(const FieldDescriptor *field) {
  static const llvm::StringRef kIdle[] = {
      "doc_string",    "producer_name", "producer_version",       "metadata_props",
      "training_info", "model_version", "quantization_annotation"};
  return llvm::is_contained(kIdle, llvm::StringRef(field->name()));
}

/// Returns whether the field is valid only for small positive numbers.
static bool isSize(const FieldDescriptor *field) {
  llvm::StringRef name = field->name();
  return name == "dims" || name == "dim_value" || name == "version";
}

static bool isPresent(const Message &message, const FieldDescriptor *field) {
  const Reflection *reflection = message.GetReflection();
  return field->is_repeated() ? reflection->FieldSize(message, field) > 0
                              : reflection->HasField(message, field);
}

/// Collects all messages of a tree, outermost first.
static void collectMessages(Message &message, std::vector<Message *> &found) {
  found.push_back(&message);
  const Reflection *reflection = message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor *field = message.GetDescriptor()->field(i);
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || isIdle(field)) {
      continue;
    }
    if (!field->is_repeated()) {
      if (reflection->HasField(message, field)) {
        collectMessages(*reflection->MutableMessage(&message, field), found);
      }
      continue;
    }
    for (int k = 0; k < reflection->FieldSize(message, field); ++k) {
      collectMessages(*reflection->MutableRepeatedMessage(&message, field, k), found);
    }
  }
}

static std::vector<Message *> messagesOf(Message &root, const Descriptor *type) {
  std::vector<Message *> found;
  collectMessages(root, found);
  llvm::erase_if(found, [&](Message *message) { return message->GetDescriptor() != type; });
  return found;
}

/// Returns the names of the values in a graph.
static std::vector<std::string> valueNames(const onnx::GraphProto &graph) {
  std::vector<std::string> names = {""};
  for (const auto &input : graph.input()) {
    names.push_back(input.name());
  }
  for (const auto &initializer : graph.initializer()) {
    names.push_back(initializer.name());
  }
  for (const auto &node : graph.node()) {
    names.insert(names.end(), node.output().begin(), node.output().end());
  }
  return names;
}

int64_t ModelMutator::anyInteger(int64_t old) {
  static const int64_t kEdges[] = {INT64_MIN, INT64_MAX, INT32_MIN,        INT32_MAX,
                                   1 << 16,   255,       int64_t(1) << 40, -2};
  switch (below(6)) {
  case 0:
    return kEdges[below(std::size(kEdges))];
  case 1:
    return static_cast<int64_t>(static_cast<uint64_t>(old) + 1);
  case 2:
    return static_cast<int64_t>(static_cast<uint64_t>(old) - 1);
  case 3:
    return static_cast<int64_t>(0 - static_cast<uint64_t>(old));
  default:
    return static_cast<int64_t>(below(8)) - 2;
  }
}

double ModelMutator::anyFloat(double old) {
  static const double kEdges[] = {0.0,   -0.0,  0.5,      1.0,       -1.0, 1e30,
                                  -1e30, 1e-40, INFINITY, -INFINITY, NAN};
  return oneIn(3) ? -old : kEdges[below(std::size(kEdges))];
}

int32_t ModelMutator::anyElementType() {
  // Mostly the element types that most ops accept.
  static const int32_t kUsual[] = {1, 1, 1, 6, 7, 7, 9, 2, 3, 10};
  return oneIn(2) ? kUsual[below(std::size(kUsual))]
                  : static_cast<int32_t>(1 + below(oneIn(8) ? 28 : 26));
}

std::string ModelMutator::anyBytes(std::string old, bool keepsSize) {
  if (keepsSize && old.size() >= 8 && oneIn(2)) {
    // One element, like most tensors that determine shapes.
    uint64_t value = static_cast<uint64_t>(anyInteger(1));
    size_t width = size_t(1) << below(4);
    size_t at = below(old.size() / width) * width;
    std::memcpy(&old[at], &value, width);
    return old;
  }
  size_t size = old.size();
  size_t limit = keepsSize ? size : std::max(kMaxStringBytes, size);
  old.resize(std::max<size_t>(limit, 1));
  size_t mutated =
      LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(old.data()), std::min(size, limit), old.size());
  old.resize(keepsSize ? size : mutated);
  return old;
}

void ModelMutator::setString(Message &message, const Field *field, int index) {
  const Reflection *reflection = message.GetReflection();
  std::string old = index < 0 ? reflection->GetString(message, field)
                              : reflection->GetRepeatedString(message, field, index);
  std::string made;
  if (auto *node = dynamic_cast<onnx::NodeProto *>(&message); node && field->name() == "op_type") {
    return replaceOp(*node);
  }
  if (oneIn(2)) {
    std::vector<std::string> names = valueNames(model.graph());
    made = pick(names);
  } else {
    made = anyBytes(old, field->name() == "raw_data" && !oneIn(4));
  }
  // The string may hold any bytes: ONNX uses proto2, which does not require UTF-8.
  if (index < 0) {
    reflection->SetString(&message, field, made);
  } else {
    reflection->SetRepeatedString(&message, field, index, made);
  }
}

/// Sets a scalar; index -1 denotes a field that is not repeated.
void ModelMutator::mutateScalar(Message &message, const Field *field, int index) {
  const Reflection *r = message.GetReflection();
  bool isOne = index < 0;
  switch (field->cpp_type()) {
  case Field::CPPTYPE_INT64: {
    int64_t old = isOne ? r->GetInt64(message, field) : r->GetRepeatedInt64(message, field, index);
    int64_t made = isSize(field) && !oneIn(8) ? 1 + below(24) : anyInteger(old);
    isOne ? r->SetInt64(&message, field, made) : r->SetRepeatedInt64(&message, field, index, made);
    return;
  }
  case Field::CPPTYPE_INT32: {
    bool isType = field->name() == "data_type" || field->name() == "elem_type";
    int32_t made = isType ? anyElementType() : static_cast<int32_t>(anyInteger(1));
    isOne ? r->SetInt32(&message, field, made) : r->SetRepeatedInt32(&message, field, index, made);
    return;
  }
  case Field::CPPTYPE_UINT64: {
    auto made = static_cast<uint64_t>(anyInteger(1));
    isOne ? r->SetUInt64(&message, field, made)
          : r->SetRepeatedUInt64(&message, field, index, made);
    return;
  }
  case Field::CPPTYPE_FLOAT: {
    float old = isOne ? r->GetFloat(message, field) : r->GetRepeatedFloat(message, field, index);
    auto made = static_cast<float>(anyFloat(old));
    isOne ? r->SetFloat(&message, field, made) : r->SetRepeatedFloat(&message, field, index, made);
    return;
  }
  case Field::CPPTYPE_DOUBLE:
    isOne ? r->SetDouble(&message, field, anyFloat(1))
          : r->SetRepeatedDouble(&message, field, index, anyFloat(1));
    return;
  case Field::CPPTYPE_ENUM: {
    int value = static_cast<int>(below(static_cast<size_t>(field->enum_type()->value_count())));
    r->SetEnum(&message, field, field->enum_type()->value(value));
    return;
  }
  case Field::CPPTYPE_STRING:
    return setString(message, field, index);
  default:
    return; // ONNX has no other scalar types.
  }
}

void ModelMutator::mutateRepeated(Message &message, const Field *field) {
  const Reflection *reflection = message.GetReflection();
  int size = reflection->FieldSize(message, field);
  auto any = static_cast<int>(below(static_cast<size_t>(size)));
  bool isMessage = field->cpp_type() == Field::CPPTYPE_MESSAGE;
  unsigned choice = below(4);
  if (size > 0 && choice == 0) {
    reflection->SwapElements(&message, field, any, size - 1);
    reflection->RemoveLast(&message, field);
  } else if (size > 1 && choice == 1) {
    reflection->SwapElements(&message, field, any, static_cast<int>(below(size)));
  } else if (isMessage) {
    std::vector<Message *> models = messagesOf(model, field->message_type());
    // Copies first, because adding an element may move the existing elements.
    std::unique_ptr<Message> copy(models.empty() ? nullptr : pick(models)->New());
    if (copy) {
      copy->CopyFrom(*pick(models));
      reflection->AddMessage(&message, field)->CopyFrom(*copy);
    }
  } else if (size == 0 || choice == 2) {
    switch (field->cpp_type()) {
    case Field::CPPTYPE_INT64:
      return reflection->AddInt64(&message, field, anyInteger(1));
    case Field::CPPTYPE_INT32:
      return reflection->AddInt32(&message, field, static_cast<int32_t>(anyInteger(1)));
    case Field::CPPTYPE_FLOAT:
      return reflection->AddFloat(&message, field, static_cast<float>(anyFloat(1)));
    case Field::CPPTYPE_STRING:
      reflection->AddString(&message, field, "");
      return setString(message, field, size);
    default:
      return;
    }
  } else {
    mutateScalar(message, field, any);
  }
}

void ModelMutator::mutateField(Message &message, const Field *field) {
  const Reflection *reflection = message.GetReflection();
  if (field->is_repeated()) {
    return mutateRepeated(message, field);
  }
  if (field->cpp_type() != Field::CPPTYPE_MESSAGE) {
    return oneIn(20) ? reflection->ClearField(&message, field) : mutateScalar(message, field, -1);
  }
  if (reflection->HasField(message, field) && oneIn(10)) {
    return reflection->ClearField(&message, field);
  }
  std::vector<Message *> models = messagesOf(model, field->message_type());
  std::unique_ptr<Message> copy(models.empty() ? nullptr : pick(models)->New());
  if (copy) {
    copy->CopyFrom(*pick(models));
    reflection->MutableMessage(&message, field)->CopyFrom(*copy);
  }
}

void ModelMutator::reshape(onnx::TensorProto &tensor) {
  tensor.clear_dims();
  for (unsigned rank = below(5); rank > 0; --rank) {
    tensor.add_dims(oneIn(12) ? 0 : 1 + below(4));
  }
  fill(tensor, oneIn(2) ? anyElementType() : tensor.data_type());
}

void ModelMutator::fill(onnx::TensorProto &tensor, int32_t type) {
  std::optional<ElementType> element = elementTypeFromOnnx(type);
  tensor.set_data_type(type);
  size_t count = 1;
  for (int64_t dim : tensor.dims()) {
    count = dim < 0 || dim > 1000 || count > 1000 ? 0 : count * static_cast<size_t>(dim);
  }
  tensor.clear_float_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
  tensor.clear_double_data();
  tensor.clear_uint64_data();
  tensor.clear_string_data();
  tensor.clear_raw_data();
  if (element == ElementType::String) {
    for (size_t i = 0; i < count; ++i) {
      tensor.add_string_data(oneIn(2) ? "a" : std::to_string(below(9)));
    }
  } else if (element == ElementType::F32) {
    for (size_t i = 0; i < count; ++i) {
      tensor.add_float_data(static_cast<float>(below(7)) - 2);
    }
  } else if (element && *element != ElementType::Undefined) {
    size_t bits = static_cast<size_t>(bitWidth(*element));
    std::string bytes((count * bits + 7) / 8, '\0');
    size_t width = std::max<size_t>(bits / 8, 1);
    for (size_t i = 0; i < bytes.size(); i += width) {
      bytes[i] = static_cast<char>(below(5));
    }
    tensor.set_raw_data(bytes);
  }
}

void ModelMutator::remakeType(onnx::TypeProto::Tensor &type) {
  type.set_elem_type(anyElementType());
  type.clear_shape();
  if (oneIn(8)) {
    return; // The rank is unknown.
  }
  type.mutable_shape();
  for (unsigned rank = below(5); rank > 0; --rank) {
    auto *dim = type.mutable_shape()->add_dim();
    oneIn(8) ? dim->set_dim_param("n") : dim->set_dim_value(oneIn(12) ? 0 : 1 + below(4));
  }
}

void ModelMutator::replaceOp(onnx::NodeProto &node) {
  const import::OpRow *row = import::allOps()[below(import::allOps().size())];
  node.set_op_type(row->name.str());
  node.set_domain(row->domain.str());
}

void ModelMutator::rewireNode(onnx::NodeProto &node) {
  std::vector<std::string> names = valueNames(model.graph());
  int count = node.input_size();
  if (count == 0 || oneIn(3)) {
    node.add_input(pick(names));
  } else {
    node.set_input(static_cast<int>(below(static_cast<size_t>(count))), pick(names));
  }
}

void ModelMutator::retype() {
  std::vector<Message *> messages;
  collectMessages(model, messages);
  int32_t to = anyElementType();
  int32_t from = 0;
  for (Message *message : messages) {
    auto *tensor = dynamic_cast<onnx::TensorProto *>(message);
    auto *type = dynamic_cast<onnx::TypeProto::Tensor *>(message);
    int32_t old = tensor ? tensor->data_type() : type ? type->elem_type() : 0;
    if (old == 0 || (from != 0 && old != from)) {
      continue;
    }
    from = old;
    tensor ? fill(*tensor, to) : type->set_elem_type(to);
  }
}

/// Returns whether the message type holds most of a model's semantics.
static bool isRich(const Message &message) {
  return dynamic_cast<const onnx::NodeProto *>(&message) ||
         dynamic_cast<const onnx::AttributeProto *>(&message) ||
         dynamic_cast<const onnx::TensorProto *>(&message) ||
         dynamic_cast<const onnx::TypeProto::Tensor *>(&message);
}

void ModelMutator::mutate() {
  if (oneIn(12)) {
    return retype();
  }
  std::vector<Message *> messages;
  collectMessages(model, messages);
  if (!oneIn(5)) {
    llvm::erase_if(messages, [](Message *message) { return !isRich(*message); });
  }
  if (messages.empty()) {
    return;
  }
  Message &message = *pick(messages);
  if (auto *tensor = dynamic_cast<onnx::TensorProto *>(&message); tensor && !oneIn(4)) {
    return reshape(*tensor);
  }
  if (auto *type = dynamic_cast<onnx::TypeProto::Tensor *>(&message); type && !oneIn(4)) {
    return remakeType(*type);
  }
  if (auto *node = dynamic_cast<onnx::NodeProto *>(&message); node && oneIn(2)) {
    return oneIn(2) ? replaceOp(*node) : rewireNode(*node);
  }
  std::vector<const Field *> fields;
  bool wantsPresent = !oneIn(4);
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const Field *field = message.GetDescriptor()->field(i);
    if (!isIdle(field) && (!wantsPresent || isPresent(message, field))) {
      fields.push_back(field);
    }
  }
  if (!fields.empty()) {
    mutateField(message, pick(fields));
  }
}

/// Appends the nodes of another graph under new names. Some inputs of the other graph become values
/// of this graph.
void ModelMutator::appendGraph(onnx::GraphProto other) {
  onnx::GraphProto &graph = *model.mutable_graph();
  std::vector<std::string> names = valueNames(graph);
  std::string prefix = "p" + std::to_string(below(100));
  for (onnx::ValueInfoProto &input : *other.mutable_input()) {
    input.set_name(prefix + input.name());
  }
  for (onnx::TensorProto &initializer : *other.mutable_initializer()) {
    initializer.set_name(prefix + initializer.name());
  }
  for (onnx::ValueInfoProto &output : *other.mutable_output()) {
    output.set_name(prefix + output.name());
  }
  for (onnx::NodeProto &node : *other.mutable_node()) {
    for (std::string &input : *node.mutable_input()) {
      input = input.empty() ? "" : oneIn(3) ? pick(names) : prefix + input;
    }
    for (std::string &output : *node.mutable_output()) {
      output = output.empty() ? "" : prefix + output;
    }
  }
  graph.MergeFrom(other);
}

void ModelMutator::cross(const onnx::ModelProto &other) {
  if (oneIn(2)) {
    return appendGraph(other.graph());
  }
  onnx::ModelProto source = other;
  std::vector<Message *> messages;
  collectMessages(source, messages);
  const Message &given = *pick(messages);
  std::vector<Message *> targets = messagesOf(model, given.GetDescriptor());
  if (targets.empty()) {
    return mutate();
  }
  pick(targets)->CopyFrom(given);
}

} // namespace convoy::fuzz
