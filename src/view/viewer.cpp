#include "brim/view.h"
#include "view/server.h"
#include "view/session.h"

namespace brim {

struct Viewer::Parts {
  Parts(std::unique_ptr<view::Session> s, const ViewSettings& settings, const std::string& folder)
      : session(std::move(s)), server({settings.address, settings.port, settings.tries, folder}, [this](std::string_view text) {
          return session->receive(text);
        }) {}
  ~Parts() { session->stop(); }

  std::unique_ptr<view::Session> session;
  view::Server server;
};

Viewer::Viewer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Viewer::Viewer(Viewer&&) noexcept = default;
Viewer::~Viewer() = default;

Viewer Viewer::live(const std::string& file, const std::vector<Setting>& settings, const Options& machine, bool paused,
                    const ViewSettings& where) {
  return Viewer(std::make_unique<Parts>(view::liveSession(file, settings, machine, paused), where, ""));
}

Viewer Viewer::playback(const std::string& folder, const ViewSettings& where) {
  return Viewer(std::make_unique<Parts>(view::playback(folder), where, folder));
}

std::string Viewer::address() const { return parts_->server.address(); }
bool Viewer::open() const { return parts_->server.open(); }
void Viewer::start() { parts_->session->start(parts_->server); }

}  // namespace brim
