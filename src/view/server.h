// The viewer's server: its pages and the opened folder over HTTP, everything live over one WebSocket a client.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "view/audience.h"

namespace brim::view {

/// One thread serves all clients and never waits for any of them. Each client has at most two frames on the way that it has not
/// said to have seen, and one more in hand, which newer ones replace: who is slow gets fewer frames.
///
///   GET /                the page; its script and style
///   GET /folder/PATH     files of the opened folder
///   GET /live            the WebSocket
///
/// Requests must name this machine as their host (against DNS rebinding), and WebSockets must come from this server's own page
/// or from no page at all. /folder and /live ask for the token that address() has (?token=... or the header X-Brim-Token): other
/// users of this machine reach the port too. Where the address is not of the loop-back interface, any host's name will do.
/// A request must be there within seconds; of connections that ask for nothing, the oldest are closed when there are many.
class Server final : public Audience {
 public:
  struct Settings {
    std::string address = "127.0.0.1";
    unsigned short port = 8642;  // 0: any that is free
    int tries = 1;               // so many ports from that one on
    std::string folder;          // "": none
  };

  /// `receive` gets the text of every message, in the server's thread, and returns a complaint to send back, or "".
  /// Throws Failure if no port can be had.
  Server(const Settings&, std::function<std::string(std::string_view)> receive);
  ~Server() override;

  unsigned short port() const;
  /// "http://127.0.0.1:8642/?token=..."
  std::string address() const;
  bool open() const;  // to other machines

  void hello(std::string) override;
  void status(std::string) override;
  void note(std::string) override;
  void frame(std::string) override;
  bool ready() const override;

  struct State;  // in server.cpp, which alone knows Boost

 private:
  std::unique_ptr<State> state_;
};

/// {"type": "note", "level": "error", "text": ...}
std::string noteOf(const std::string& level, const std::string& text);

}  // namespace brim::view
