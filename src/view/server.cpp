#include "view/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "brim/error.h"
#include "view/client.h"

namespace brim::view {

std::string noteOf(const std::string& level, const std::string& text) {
  // Texts may quote what a stranger sent; what is no UTF-8 in them is replaced.
  return nlohmann::json{{"type", "note"}, {"level", level}, {"text", text}}.dump(-1, ' ', false,
                                                                                 nlohmann::json::error_handler_t::replace);
}

namespace {

std::string randomToken() {
  std::random_device random;
  std::string token;
  for (int k = 0; k < 4; ++k) token += fmt::format("{:08x}", random());
  return token;
}

// As long for a nearly right token as for a wrong one.
bool equal(const std::string& a, const std::string& b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) difference |= static_cast<unsigned char>(a[k] ^ b[k]);
  return difference == 0;
}

}  // namespace

Server::State::State(const Settings& s, std::function<std::string(std::string_view)> r) : settings(s), receive(std::move(r)) {
  if (!settings.folder.empty()) folder = std::make_unique<Folder>(settings.folder);
  error_code error;
  const auto address = asio::ip::make_address(settings.address, error);
  if (error) throw Failure(fmt::format("\"{}\" is no address to listen on; 127.0.0.1 or 0.0.0.0, for example", settings.address));
  loopback = address.is_loopback();
  token = randomToken();
  for (int k = 0; k < settings.tries; ++k) {
    const Tcp::endpoint end(address, settings.port ? static_cast<unsigned short>(settings.port + k) : 0);
    acceptor.open(end.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(end, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) break;
    error_code ignored;
    acceptor.close(ignored);
  }
  if (error)
    throw Failure(fmt::format("cannot listen on {} port {}: {}; --port N takes another, 0 any that is free", settings.address,
                              settings.port, error.message()));
  port = acceptor.local_endpoint().port();
}

void Server::State::listen() {
  acceptor.async_accept([this](error_code error, Tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) {  // no room for another socket
      pause.expires_after(std::chrono::milliseconds(100));
      return pause.async_wait([this](error_code ended) {
        if (!ended) listen();
      });
    }
    if (connections < mostConnections) {
      socket.set_option(Tcp::no_delay(true), error);
      serveConnection(std::move(socket), *this);
    }
    listen();
  });
}

std::list<Server::State::Waiting>::iterator Server::State::startWaiting(Waiting one) {
  waiting.push_back(std::move(one));
  closeIdle();
  return std::prev(waiting.end());
}

void Server::State::closeIdle() {
  std::map<asio::ip::address, int> count;
  int all = 0, most = 0;
  for (const Waiting& w : waiting)
    if (!w.closed) ++all, most = std::max(most, ++count[w.from]);
  if (all <= mostWaiting) return;
  const auto idle =
      std::find_if(waiting.begin(), waiting.end(), [&](const Waiting& w) { return !w.closed && count[w.from] == most; });
  idle->closed = true;
  idle->close();  // it leaves the list when its read ends
}

void Server::State::stop() {
  asio::post(context, [this] {
    error_code ignored;
    acceptor.close(ignored);
    for (const auto& client : clients) client->close();
    context.stop();
  });
  if (thread.joinable()) thread.join();
  clients.clear();
}

// Another site's page can make its own name point to 127.0.0.1 and read what we answer; but it cannot forge this header.
bool Server::State::hostAllowed(const Request& request) const {
  if (!loopback) return true;
  const std::string host(request[http::field::host]);
  const std::string own = settings.address.find(':') == std::string::npos ? settings.address : "[" + settings.address + "]";
  for (const std::string& name : {std::string("127.0.0.1"), std::string("localhost"), std::string("[::1]"), own})
    if (host == fmt::format("{}:{}", name, port) || (port == 80 && host == name)) return true;
  return false;
}

// In a header, or in the address where a page cannot give headers (WebSockets).
bool Server::State::tokenGiven(const Request& request) const {
  return equal(std::string(request["X-Brim-Token"]), token) || equal(queryOf(request, "token"), token);
}

bool Server::State::originAllowed(const Request& request) const {
  const auto origin = request.find(http::field::origin);
  return origin == request.end() || origin->value() == "http://" + std::string(request[http::field::host]);
}

void Server::State::join(const std::shared_ptr<Client>& client) {
  clients.insert(client);
  if (lastHello) client->hello(lastHello);
  if (lastStatus) client->status(lastStatus);
  if (lastFrame) client->frame(lastFrame);
  countReady();
}

void Server::State::leave(const std::shared_ptr<Client>& client) {
  clients.erase(client);
  countReady();
}

void Server::State::countReady() {
  int n = 0;
  for (const auto& client : clients) n += client->ready();
  readyClients = n;
}

void Server::State::offer(const std::function<void()>& put) {
  std::lock_guard lock(mutex);
  put();
  if (!flushing) asio::post(context, [this] { flush(); });
  flushing = true;
}

void Server::State::flush() {
  Text hello, status, frame;
  std::deque<Text> notes;
  {
    std::lock_guard lock(mutex);
    hello.swap(newHello), status.swap(newStatus), frame.swap(newFrame), notes.swap(newNotes);
    flushing = false;
  }
  if (hello) lastHello = hello;
  if (status) lastStatus = status;
  if (frame) lastFrame = frame;
  const auto all = clients;  // a failing client leaves the set
  for (const auto& client : all) {
    if (hello) client->hello(hello);
    for (const Text& note : notes) client->note(note);
    if (status) client->status(status);
    if (frame) client->frame(frame);
  }
}

Server::Server(const Settings& settings, std::function<std::string(std::string_view)> receive)
    : state_(std::make_unique<State>(settings, std::move(receive))) {
  state_->listen();
  state_->thread = std::thread([state = state_.get()] { state->context.run(); });
}

Server::~Server() { state_->stop(); }

unsigned short Server::port() const { return state_->port; }
bool Server::open() const { return !state_->loopback; }

std::string Server::address() const {
  // An address that stands for all of them is of no use to others; the machine's name may be.
  const auto given = asio::ip::make_address(state_->settings.address);
  const std::string a = given.is_unspecified() ? asio::ip::host_name() : state_->settings.address;
  const std::string host = a.find(':') == a.npos ? a : "[" + a + "]";
  return fmt::format("http://{}:{}/?token={}", host, port(), state_->token);
}

void Server::hello(std::string s) {
  state_->offer([&] { state_->newHello = std::make_shared<std::string>(std::move(s)); });
}
void Server::status(std::string s) {
  state_->offer([&] { state_->newStatus = std::make_shared<std::string>(std::move(s)); });
}
void Server::frame(std::string s) {
  state_->offer([&] { state_->newFrame = std::make_shared<std::string>(std::move(s)); });
}
void Server::note(std::string s) {
  state_->offer([&] {
    if (state_->newNotes.size() < mostNotes) state_->newNotes.push_back(std::make_shared<std::string>(std::move(s)));
  });
}
bool Server::ready() const { return state_->readyClients > 0; }

}  // namespace brim::view
