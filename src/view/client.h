// Inner parts of the server; included by server.cpp and client.cpp only, since Boost.Beast takes long to compile.
#pragma once
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <set>
#include <thread>

#include "view/folder.h"
#include "view/server.h"

namespace brim::view {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::system::error_code;
using Tcp = asio::ip::tcp;
using Request = http::request<http::empty_body>;
using Text = std::shared_ptr<const std::string>;

/// A page that watches. All members are used by the server's thread alone.
class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(Tcp::socket&&, Server::State&);
  void accept(Request);
  void close();

  // What waits to be sent. A newer hello, status or frame replaces the older one.
  void hello(Text t) { hello_ = std::move(t), send(); }
  void status(Text t) { status_ = std::move(t), send(); }
  void frame(Text t) { frame_ = std::move(t), send(); }
  void note(Text t);
  bool ready() const { return open_ && !frame_ && unseen_ < window; }

 private:
  static constexpr int window = 2;  // frames on the way
  void receive();
  void received(error_code, std::size_t);
  void send();

  websocket::stream<beast::tcp_stream> stream_;
  Server::State& server_;
  Request request_;
  beast::flat_buffer in_;
  Text hello_, status_, frame_, out_;  // out: on the way
  std::deque<Text> notes_;
  int unseen_ = 0;
  bool open_ = false;
};

struct Server::State {
  State(const Settings&, std::function<std::string(std::string_view)>);

  void listen();
  void stop();
  /// A connection that has not asked for anything yet, in the order of arrival. Where there are too many, that which waits
  /// longest of the address with the most is closed: who only connects cannot keep others out.
  struct Waiting {
    asio::ip::address from;
    std::function<void()> close;
    bool closed = false;
  };
  std::list<Waiting>::iterator startWaiting(Waiting);
  void closeIdle();
  bool hostAllowed(const Request&) const;
  bool tokenGiven(const Request&) const;
  bool originAllowed(const Request&) const;
  void join(const std::shared_ptr<Client>&);
  void leave(const std::shared_ptr<Client>&);
  void countReady();
  /// Keeps what comes from the session until the server's thread hands it to all clients.
  void offer(const std::function<void()>& put);
  void flush();

  Settings settings;
  std::function<std::string(std::string_view)> receive;
  bool loopback = true;
  std::string token;
  std::unique_ptr<Folder> folder;
  unsigned short port = 0;
  int connections = 0;
  std::list<Waiting> waiting;
  asio::io_context context{1};  // destroys what still waits in it, so the above must be there longer
  Tcp::acceptor acceptor{context};
  asio::steady_timer pause{context};  // before the next one is accepted, where the system has no room for it
  std::set<std::shared_ptr<Client>> clients;
  Text lastHello, lastStatus, lastFrame;
  std::thread thread;
  std::atomic<int> readyClients = 0;

  std::mutex mutex;  // of what follows
  Text newHello, newStatus, newFrame;
  std::deque<Text> newNotes;
  bool flushing = false;
};

constexpr int mostClients = 16, mostConnections = 64, mostWaiting = 32;
constexpr std::size_t mostNotes = 16;  // that wait for a client

/// The part of a target before "?", and the value of a name behind it ("" if there is none).
std::string pathOf(const Request&);
std::string queryOf(const Request&, const std::string& name);

/// Answers one HTTP connection until it closes or becomes a Client.
void serveConnection(Tcp::socket&&, Server::State&);

}  // namespace brim::view
