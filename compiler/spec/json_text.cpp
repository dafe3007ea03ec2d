// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spec/json_text.h"

#include "compiler/spec/fields.h"

#include <llvm/Support/Error.h>
#include <llvm/Support/JSON.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

namespace normc {
namespace {

/// Where the string that begins at text[at] ends: past its closing quote, or at the end of the text.
size_t endOfString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\')
      ++at;
  return std::min(at + 1, text.size());
}

/// A key may be spelled with escapes.
std::string unescaped(std::string_view quoted) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(llvm::StringRef(quoted.data(), quoted.size()));
  if (value)
    if (auto text = value->getAsString())
      return text->str();
  llvm::consumeError(value.takeError());
  return std::string(quoted);
}

/// The value that a message gives to a flag, as JSON; "" where the word is no value but the sentence goes on.
std::string jsonValue(std::string_view word) {
  const bool number = !word.empty() && (std::isdigit(static_cast<unsigned char>(word[0])) || std::isupper(static_cast<unsigned char>(word[0])));
  if (number && word.find(',') == std::string_view::npos)
    return std::string(word);
  if (number) {
    std::string list;
    for (const std::string &part : splitList(word))
      list += (list.empty() ? "[" : ", ") + part;
    return list + "]";
  }
  return word == "dynamic" || word == "off" ? "\"" + std::string(word) + "\"" : "";
}

} // namespace

bool tooDeep(std::string_view text) {
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = endOfString(text, at);
      continue;
    }
    depth += text[at] == '{' || text[at] == '[' ? 1 : text[at] == '}' || text[at] == ']' ? -1 : 0;
    if (depth > kMaxJsonDepth)
      return true;
    ++at;
  }
  return false;
}

std::optional<std::string> duplicateKey(std::string_view text) {
  std::vector<std::set<std::string>> open; // the keys of each object that is open; lists have none
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '"') {
      if (text[at] == '{' || text[at] == '[')
        open.emplace_back();
      else if (text[at] == '}' || text[at] == ']')
        open.pop_back();
      ++at;
      continue;
    }
    const size_t end = endOfString(text, at);
    const size_t next = text.find_first_not_of(" \t\r\n", end);
    if (next != std::string_view::npos && text[next] == ':') {
      std::string key = unescaped(text.substr(at, end - at));
      if (!open.back().insert(key).second)
        return key;
    }
    at = end;
  }
  return std::nullopt;
}

std::string spokenInJson(std::string_view message) {
  std::string text;
  while (true) {
    const size_t dashes = message.find("--");
    text += message.substr(0, dashes);
    if (dashes == std::string_view::npos)
      return text;
    message.remove_prefix(dashes);
    const std::string_view flag = message.substr(2, message.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", 2) - 2);
    const auto fields = kernelFields();
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field &one) { return one.flag == flag && one.group == FieldGroup::What; });
    const size_t length = field == fields.end() ? 2 : 2 + flag.size();
    if (field == fields.end()) {
      text += message.substr(0, length);
      message.remove_prefix(length);
      continue;
    }
    message.remove_prefix(length);
    text += "\"" + std::string(field->json) + "\"";
    if (field->kind == FieldKind::Switch) {
      text += ": true";
      continue;
    }
    if (message.substr(0, 1) != " ")
      continue;
    std::string_view word = message.substr(1, message.find_first_of(" ;", 1) - 1);
    while (!word.empty() && word.back() == ',')
      word.remove_suffix(1);
    if (const std::string value = jsonValue(word); !value.empty()) {
      text += ": " + value;
      message.remove_prefix(1 + word.size());
    }
  }
}

} // namespace normc
