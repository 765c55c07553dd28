#include "view/session.h"

#include <chrono>
#include <utility>

#include "view/server.h"

namespace brim::view {

namespace {
constexpr std::size_t longestQueue = 256;
}

std::string Session::receive(std::string_view text) {
  try {
    Command c = parseCommand(text);
    std::lock_guard lock(mutex_);
    if (queue_.size() >= longestQueue) return "too many messages wait already";
    // A drag goes on with the one before, and of a slider's values only the last counts.
    if (!queue_.empty() && queue_.back().kind == c.kind && queue_.back().index == c.index) {
      Command& last = queue_.back();
      using enum Command::Kind;
      if (c.kind == drag) {
        for (std::size_t k = 0; k < 3; ++k) last.by[k] += c.by[k];
        return "";
      }
      if (c.kind == set && c.name == last.name) {
        last.value = c.value;
        return "";
      }
    }
    if (!queue_.empty() && c.kind == Command::Kind::seek && queue_.back().kind == c.kind)
      queue_.back() = c;
    else
      queue_.push_back(std::move(c));
  } catch (const BadMessage& e) {
    return e.what();
  }
  change_.notify_all();
  return "";
}

void Session::start(Audience& audience) {
  audience_ = &audience;
  thread_ = std::thread([this] { guarded(); });
}

void Session::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  change_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::deque<Command> Session::take(double seconds) {
  std::unique_lock lock(mutex_);
  if (seconds > 0) change_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return stop_ || !queue_.empty(); });
  return std::exchange(queue_, {});
}

// Nothing that goes wrong in here may end the server: the page tells it.
void Session::guarded() {
  try {
    work();
  } catch (const std::exception& e) {
    audience_->note(noteOf("error", e.what()));
  }
}

}  // namespace brim::view
