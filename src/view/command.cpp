#include "view/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace brim::view {

using nlohmann::json;

namespace {

constexpr int deepest = 2;  // a list within the object

// nlohmann's parser tells the depth of what it enters, so that a tower of brackets is refused before it is built.
json parsed(std::string_view text) {
  if (text.size() > longestMessage) throw BadMessage("the message is too long");
  const auto guard = [](int depth, json::parse_event_t, json&) {
    if (depth > deepest) throw BadMessage("the message is nested too deeply");
    return true;
  };
  json message;
  try {
    message = json::parse(text.begin(), text.end(), guard);
  } catch (const json::exception&) {
    throw BadMessage("the message is no JSON");
  }
  if (!message.is_object()) throw BadMessage("the message is no JSON object");
  return message;
}

const json& member(const json& message, const char* name) {
  const auto at = message.find(name);
  if (at == message.end()) throw BadMessage(fmt::format("\"{}\" is missing", name));
  return *at;
}

double number(const json& value, const char* name, double low, double high) {
  const double x = value.is_number() ? value.get<double>() : NAN;
  if (!(x >= low && x <= high)) throw BadMessage(fmt::format("\"{}\" must be a number from {} to {}", name, low, high));
  return x;
}

int whole(const json& value, const char* name, int low, int high) {
  const double x = number(value, name, low, high);
  if (x != std::floor(x)) throw BadMessage(fmt::format("\"{}\" must be a whole number", name));
  return int(x);
}

// Names of solvers and parameters, and words that parameters may be: nothing that could end a TOML string.
std::string plain(const json& value, const char* name, bool dots = false) {
  const auto fine = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           (dots && (c == '.' || c == '[' || c == ']'));
  };
  if (value.is_string())
    if (const auto& s = value.get_ref<const std::string&>();
        !s.empty() && s.size() <= 80 && std::all_of(s.begin(), s.end(), fine))
      return s;
  throw BadMessage(fmt::format("\"{}\" must be a plain word", name));
}

// Numbers with all their digits; 5 stays 5, so that whole numbers are read as such.
std::string tomlOf(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_string()) return '"' + plain(value, "value") + '"';
  if (value.is_number()) {
    const double x = number(value, "value", -1e300, 1e300);
    return x == std::floor(x) && std::abs(x) < 1e15 ? fmt::format("{:.0f}", x) : fmt::format("{}", x);
  }
  if (!value.is_array() || value.empty() || value.size() > 3)
    throw BadMessage("\"value\" must be a number, a word, true, false, or a list of up to three numbers");
  std::string list;
  for (const json& entry : value) {
    number(entry, "value", -1e300, 1e300);
    list += (list.empty() ? "[" : ", ") + tomlOf(entry);
  }
  return list + "]";
}

struct Form {
  Command::Kind kind;
  std::set<std::string> members;
};

const std::map<std::string, Form>& forms() {
  using enum Command::Kind;
  static const std::map<std::string, Form> all = {
      {"run", {run, {}}},
      {"pause", {pause, {}}},
      {"step", {step, {"count"}}},
      {"reset", {reset, {}}},
      {"solver", {solver, {"name"}}},
      {"set", {set, {"path", "value"}}},
      {"drag", {drag, {"solid", "by"}}},
      {"motor", {motor, {"joint", "speed"}}},
      {"colour", {colour, {"by"}}},
      {"pace", {pace, {"limit"}}},
      {"seek", {seek, {"frame"}}},
      {"advance", {advance, {"time"}}},
      {"loop", {loop, {"on"}}},
      {"arrows", {arrows, {"on"}}},
      {"tell", {tell, {}}},
      {"seen", {seen, {}}},
  };
  return all;
}

Quantity quantityOf(const json& value) {
  const std::string name = plain(value, "by");
  if (name == "speed") return Quantity::speed;
  if (name == "density") return Quantity::density;
  if (name == "pressure") return Quantity::pressure;
  throw BadMessage("\"by\" must be speed, density or pressure");
}

}  // namespace

Command parseCommand(std::string_view text) {
  const json message = parsed(text);
  const json& type = member(message, "type");
  const auto form = type.is_string() ? forms().find(type.get<std::string>()) : forms().end();
  if (form == forms().end()) throw BadMessage("\"type\" is not known");
  for (const auto& [name, value] : message.items())
    if (name != "type" && !form->second.members.count(name))
      throw BadMessage(fmt::format("\"{}\" has no such member as it was given", form->first));

  Command c;
  c.kind = form->second.kind;
  using enum Command::Kind;
  switch (c.kind) {
    case run:
    case pause:
    case reset:
    case seen:
    case tell:
      break;
    case step:
      c.index = whole(member(message, "count"), "count", 1, 1000);
      break;
    case solver:
      c.name = plain(member(message, "name"), "name");
      break;
    case set:
      c.name = plain(member(message, "path"), "path", true);
      c.value = tomlOf(member(message, "value"));
      break;
    case drag: {
      c.index = whole(member(message, "solid"), "solid", 0, 65535);
      const json& by = member(message, "by");
      if (!by.is_array() || by.size() != 3) throw BadMessage("\"by\" must be a list of three numbers");
      for (std::size_t k = 0; k < 3; ++k) c.by[k] = number(by[k], "by", -1e6, 1e6);
      break;
    }
    case motor:
      c.index = whole(member(message, "joint"), "joint", 0, 65535);
      c.number = number(member(message, "speed"), "speed", -1e6, 1e6);
      break;
    case colour:
      c.quantity = quantityOf(member(message, "by"));
      break;
    case pace:
      c.number = number(member(message, "limit"), "limit", 0, 1000);
      break;
    case seek:
      c.index = whole(member(message, "frame"), "frame", 0, 1 << 30);
      break;
    case advance:
      c.number = number(member(message, "time"), "time", 0, 1e9);
      break;
    case loop:
    case arrows: {
      const json& on = member(message, "on");
      if (!on.is_boolean()) throw BadMessage("\"on\" must be true or false");
      c.on = on.get<bool>();
      break;
    }
  }
  return c;
}

}  // namespace brim::view
