// One HTTP connection: its requests answered one after the other, until it closes or becomes a WebSocket.
#include <unistd.h>

#include <array>
#include <optional>

#include "view/client.h"
#include "view/page.h"

namespace brim::view {

std::string pathOf(const Request& request) {
  const std::string target(request.target());
  return target.substr(0, target.find('?'));
}

std::string queryOf(const Request& request, const std::string& name) {
  const std::string target(request.target());
  for (std::size_t at = target.find('?'); at != target.npos; at = target.find('&', at + 1))
    if (target.compare(at + 1, name.size() + 1, name + "=") == 0) {
      const std::size_t from = at + 2 + name.size();
      return target.substr(from, target.find('&', from) - from);
    }
  return "";
}

namespace {

const char* typeOf(const std::string& path) {
  const auto ends = [&](const char* ending) { return path.ends_with(ending); };
  return ends(".png")                    ? "image/png"
         : ends(".json")                 ? "application/json"
         : ends(".csv") || ends(".toml") ? "text/plain; charset=utf-8"
                                         : "application/octet-stream";
}

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket&& socket, Server::State& server) : stream_(std::move(socket)), server_(server) {
    ++server_.connections;
    error_code ignored;
    from_ = stream_.socket().remote_endpoint(ignored).address();
  }
  ~Connection() { --server_.connections; }

  void read() {
    parser_.emplace();
    parser_->header_limit(8192);
    parser_->body_limit(0);
    stream_.expires_after(std::chrono::seconds(10));
    const auto waits = server_.startWaiting({from_, [this] { stream_.close(); }});
    http::async_read(stream_, in_, *parser_, [self = shared_from_this(), waits](error_code error, std::size_t) {
      self->server_.waiting.erase(waits);
      if (!error) return self->answer(self->parser_->release());
      if (error == http::error::header_limit || error == http::error::body_limit)
        self->refuse({}, http::status::payload_too_large, "The request is too large.");
      else if (error.category() == http::make_error_code(http::error::bad_method).category() &&
               error != http::error::end_of_stream && error != http::error::partial_message)
        self->refuse({}, http::status::bad_request, "This is no HTTP request.");
    });
  }

 private:
  void answer(Request request) {
    using http::status;
    const std::string path = pathOf(request);
    if (!server_.hostAllowed(request))
      return refuse(request, status::forbidden, "This server answers only to the name of the machine it runs on.");
    if (path == "/live") return answerLive(std::move(request));
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return refuse(request, status::method_not_allowed, "Only GET is served here.");
    if (const Asset* asset = findAsset(path)) return answerAsset(request, *asset);
    if (path.starts_with("/folder/") && server_.folder) {
      if (!server_.tokenGiven(request)) return refuse(request, status::forbidden, "The token is missing or wrong.");
      return answerFile(request, path.substr(8));
    }
    refuse(request, status::not_found, "There is nothing here.");
  }

  void answerLive(Request request) {
    using http::status;
    if (!websocket::is_upgrade(request)) return refuse(request, status::upgrade_required, "This is a WebSocket.");
    if (!server_.originAllowed(request)) return refuse(request, status::forbidden, "Another site's page may not watch.");
    if (!server_.tokenGiven(request)) return refuse(request, status::forbidden, "The token is missing or wrong.");
    if (server_.clients.size() >= mostClients) return refuse(request, status::service_unavailable, "Too many pages watch.");
    std::make_shared<Client>(stream_.release_socket(), server_)->accept(std::move(request));
  }

  void answerAsset(const Request& request, const Asset& asset) {
    http::response<http::span_body<const char>> response(http::status::ok, request.version());
    response.set(http::field::content_type, {asset.type.data(), asset.type.size()});
    if (request.method() == http::verb::get) response.body() = {asset.content.data(), asset.content.size()};
    write(request, std::move(response), asset.content.size());
  }

  void answerFile(const Request& request, const std::string& encoded) {
    const auto path = decodePath(encoded);
    const int fd = path ? server_.folder->open(*path) : -1;
    if (fd < 0) return refuse(request, http::status::not_found, "There is no such file in the folder.");
    beast::file_posix file;
    file.native_handle(fd);
    http::response<http::file_body> response(http::status::ok, request.version());
    error_code error;
    response.body().reset(std::move(file), error);
    if (error) return refuse(request, http::status::not_found, "The file cannot be read.");
    const auto size = response.body().size();
    response.set(http::field::content_type, typeOf(*path));
    if (request.method() == http::verb::head) response.body().close();
    write(request, std::move(response), size);
  }

  void refuse(const Request& request, http::status status, const char* text) {
    http::response<http::string_body> response(status, request.version());
    response.set(http::field::content_type, "text/plain; charset=utf-8");
    response.body() = request.method() == http::verb::head ? "" : std::string(text) + "\n";
    response.keep_alive(false);
    write(request, std::move(response), response.body().size());
  }

  // The page needs nothing but itself, and no other page may frame or read it.
  template <class Response>
  void write(const Request& request, Response&& r, std::uint64_t size) {
    auto response = std::make_shared<std::decay_t<Response>>(std::move(r));
    response->set(http::field::server, "brim");
    response->set(http::field::cache_control, "no-store");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Referrer-Policy", "no-referrer");
    response->set("Cross-Origin-Resource-Policy", "same-origin");
    response->set("Content-Security-Policy",
                  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
                  "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    if (request.version() != 0 && response->result() == http::status::ok) response->keep_alive(request.keep_alive());
    response->content_length(size);
    const bool head = request.method() == http::verb::head;
    stream_.expires_after(std::chrono::seconds(60));
    const auto done = [self = shared_from_this(), response](error_code error, std::size_t) {
      if (!error && response->keep_alive()) return self->read();
      error_code ignored;
      self->stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
      if (!error) self->drain(64);
    };
    if (!head) return http::async_write(stream_, *response, done);
    auto header = std::make_shared<http::response_serializer<typename std::decay_t<Response>::body_type>>(*response);
    http::async_write_header(stream_, *header, [done, header](error_code error, std::size_t n) { done(error, n); });
  }

  // Closing with unread bytes would take the answer away from who still sends; so some of them are read first.
  void drain(int times) {
    stream_.expires_after(std::chrono::seconds(2));
    stream_.async_read_some(asio::buffer(rest_), [self = shared_from_this(), times](error_code error, std::size_t) {
      if (!error && times > 0) self->drain(times - 1);
    });
  }

  beast::tcp_stream stream_;
  Server::State& server_;
  asio::ip::address from_;
  std::array<char, 8192> rest_;
  beast::flat_buffer in_{8192 + 4096};
  std::optional<http::request_parser<http::empty_body>> parser_;
};

}  // namespace

void serveConnection(Tcp::socket&& socket, Server::State& server) {
  std::make_shared<Connection>(std::move(socket), server)->read();
}

}  // namespace brim::view
