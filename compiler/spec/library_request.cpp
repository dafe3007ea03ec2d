// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spec/library_request.h"

#include "compiler/spec/json_text.h"
#include "compiler/support/error.h"

#include <llvm/Support/JSON.h>

#include <algorithm>

namespace normc {
namespace {

namespace json = llvm::json;

std::string kindName(const json::Value &value) {
  switch (value.kind()) {
  case json::Value::Null:
    return "null";
  case json::Value::Boolean:
    return "a boolean";
  case json::Value::Number:
    return "a number";
  case json::Value::String:
    return "a string";
  case json::Value::Array:
    return "a list";
  case json::Value::Object:
    return "an object";
  }
  return "of unknown kind";
}

/// Where in the file something is, for messages: "kernels.json: kernel 2".
struct Place {
  std::string text;

  [[noreturn]] void bad(const std::string &what, std::vector<std::string> notes = {}) const {
    throw Error(DiagCode::BadJson, text + ": " + what, std::move(notes));
  }
};

/// An error that speaks of flags, for who wrote a file.
Error inJson(const Place &place, const Error &error) {
  std::vector<std::string> notes = error.notes();
  std::transform(notes.begin(), notes.end(), notes.begin(), spokenInJson);
  return {error.code(), place.text + ": " + spokenInJson(error.what()), std::move(notes)};
}

[[noreturn]] void wrongType(const Place &place, std::string_view key, const json::Value &value, const std::string &expected) {
  place.bad("'" + std::string(key) + "' is " + kindName(value) + ", but must be " + expected);
}

std::string numberOf(const json::Value &value) {
  if (std::optional<int64_t> whole = value.getAsInteger())
    return std::to_string(*whole);
  if (std::optional<uint64_t> whole = value.getAsUINT64())
    return std::to_string(*whole);
  return numberText(*value.getAsNumber());
}

/// The value as the command line would spell it.
std::string fieldText(const Place &place, const Field &field, const json::Value &value) {
  auto word = [&](const json::Value &one) -> std::optional<std::string> {
    if (auto text = one.getAsString())
      return text->str();
    if ((field.kind == FieldKind::Number || field.kind == FieldKind::NumberList) && one.kind() == json::Value::Number)
      return numberOf(one);
    return std::nullopt;
  };
  switch (field.kind) {
  case FieldKind::Switch:
    if (auto on = value.getAsBoolean())
      return *on ? "true" : "false";
    wrongType(place, field.json, value, "true or false");
  case FieldKind::Number:
    if (value.kind() == json::Value::Number)
      return numberOf(value);
    wrongType(place, field.json, value, "a number");
  case FieldKind::Positional:
  case FieldKind::Word:
    if (auto text = word(value))
      return *text;
    wrongType(place, field.json, value, "a string");
  case FieldKind::WordList:
  case FieldKind::NumberList:
    break;
  }
  const std::string expected = field.kind == FieldKind::NumberList ? "a number, \"dynamic\" or a list of these" : "a string or a list of strings";
  if (auto text = word(value))
    return *text;
  const json::Array *list = value.getAsArray();
  if (!list)
    wrongType(place, field.json, value, expected);
  std::string joined;
  for (const json::Value &one : *list) {
    auto text = word(one);
    if (!text)
      place.bad("'" + std::string(field.json) + "' contains " + kindName(one) + ", but must be " + expected);
    joined.append(joined.empty() ? "" : ",").append(*text);
  }
  if (list->empty())
    place.bad("'" + std::string(field.json) + "' is an empty list");
  return joined;
}

[[noreturn]] void unknownKey(const Place &place, const std::string &key, const std::vector<std::string> &known) {
  std::vector<std::string> notes = suggestion(key, known);
  notes.push_back("known keys: " + quotedList(known, "and"));
  throw Error(DiagCode::UnknownField, place.text + ": unknown key '" + key + "'", std::move(notes));
}

KernelRequest readKernel(const Place &place, const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    place.bad("is " + kindName(value) + ", but must be an object such as {\"op\": \"layer_norm\", \"hidden\": 768}");
  std::vector<std::string> known;
  for (const Field &field : kernelFields())
    if (field.group == FieldGroup::What)
      known.emplace_back(field.json);
  for (const auto &entry : *object)
    if (std::find(known.begin(), known.end(), entry.first.str()) == known.end())
      unknownKey(place, entry.first.str(), known);
  KernelRequest request;
  for (const Field &field : kernelFields()) {
    const json::Value *given = object->get(llvm::StringRef(field.json.data(), field.json.size()));
    if (!given || field.group != FieldGroup::What)
      continue;
    try {
      setField(request, field, fieldText(place, field, *given));
    } catch (const Error &error) {
      if (error.code() == DiagCode::BadJson)
        throw;
      throw inJson(place, error);
    }
  }
  if (!request.has("op"))
    place.bad("has no 'op'", {"known operations: " + quotedList(opNames(), "and")});
  return request;
}

std::vector<KernelRequest> readKernels(const std::string &file, const json::Value &value) {
  const json::Array *list = value.getAsArray();
  if (!list)
    wrongType({file}, "kernels", value, "a list of objects");
  if (list->empty())
    Place{file}.bad("the list of kernels is empty");
  std::vector<KernelRequest> kernels;
  for (const json::Value &kernel : *list)
    kernels.push_back(readKernel({file + ": kernel " + std::to_string(kernels.size() + 1)}, kernel));
  return kernels;
}

} // namespace

LibraryRequest parseLibraryRequest(std::string_view text, const std::string &file) {
  const Place place{file};
  if (tooDeep(text))
    place.bad("lists and objects are nested deeper than " + std::to_string(kMaxJsonDepth));
  llvm::Expected<json::Value> parsed = json::parse(llvm::StringRef(text.data(), text.size()));
  if (!parsed)
    place.bad("not JSON: " + llvm::toString(parsed.takeError()));
  if (const std::optional<std::string> key = duplicateKey(text))
    place.bad("an object has the key '" + *key + "' twice");
  LibraryRequest library;
  if (parsed->getAsArray()) {
    library.kernels = readKernels(file, *parsed);
    return library;
  }
  const json::Object *object = parsed->getAsObject();
  if (!object)
    place.bad("is " + kindName(*parsed) + ", but must be a list of kernels or an object with a key 'kernels'");
  for (const auto &entry : *object) {
    const std::string key = entry.first.str();
    if (key == "kernels") {
      library.kernels = readKernels(file, entry.second);
    } else if (key == "name") {
      library.name = fieldText(place, kernelField("name"), entry.second);
    } else if (key == "targets") {
      library.targets = splitList(fieldText(place, kernelField("target"), entry.second));
    } else {
      unknownKey(place, key, {"name", "targets", "kernels"});
    }
  }
  if (!object->get("kernels"))
    place.bad("has no key 'kernels'", {"it lists the kernels: {\"kernels\": [{\"op\": \"layer_norm\", \"hidden\": 768}]}"});
  if (!library.name.empty())
    verifyName(library.name);
  return library;
}

std::vector<KernelSpec> expandKernel(const LibraryRequest &library, size_t index, const std::string &file) {
  try {
    return expand(library.kernels.at(index));
  } catch (const Error &error) {
    throw inJson({file + ": kernel " + std::to_string(index + 1)}, error);
  }
}

} // namespace normc
