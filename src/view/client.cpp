#include "view/client.h"

#include <boost/asio/post.hpp>

#include "view/command.h"

namespace brim::view {

Client::Client(Tcp::socket&& socket, Server::State& server) : stream_(std::move(socket)), server_(server) {}

void Client::accept(Request request) {
  request_ = std::move(request);
  beast::get_lowest_layer(stream_).expires_never();  // the WebSocket has time limits of its own
  stream_.set_option(websocket::stream_base::timeout{std::chrono::seconds(10), std::chrono::seconds(30), true});
  stream_.read_message_max(longestMessage);
  stream_.auto_fragment(false);
  stream_.async_accept(request_, [self = shared_from_this()](error_code error) {
    if (error) return;
    self->open_ = true;
    self->server_.join(self);
    self->receive();
  });
}

void Client::close() {
  error_code ignored;
  beast::get_lowest_layer(stream_).socket().close(ignored);
}

void Client::note(Text t) {
  if (notes_.size() < mostNotes) notes_.push_back(std::move(t));
  send();
}

void Client::receive() {
  stream_.async_read(in_, [self = shared_from_this()](error_code error, std::size_t bytes) { self->received(error, bytes); });
}

// A message that is too long, or no WebSocket at all, arrives here as an error and ends the connection.
void Client::received(error_code error, std::size_t) {
  if (error) {
    open_ = false;
    return server_.leave(shared_from_this());
  }
  const std::string text = beast::buffers_to_string(in_.data());
  in_.consume(in_.size());
  std::string complaint;
  if (!stream_.got_text()) {
    complaint = "messages must be text";
  } else if (text == R"({"type":"seen"})") {
    if (unseen_ > 0) --unseen_;
    send();
  } else {
    complaint = server_.receive(text);
  }
  if (!complaint.empty()) note(std::make_shared<std::string>(noteOf("error", complaint)));
  receive();
}

void Client::send() {
  if (!open_ || out_) return server_.countReady();
  bool binary = false;
  if (hello_) {
    out_ = std::move(hello_);
  } else if (!notes_.empty()) {
    out_ = std::move(notes_.front());
    notes_.pop_front();
  } else if (status_) {
    out_ = std::move(status_);
  } else if (frame_ && unseen_ < window) {
    out_ = std::move(frame_);
    binary = true;
    ++unseen_;
  }
  server_.countReady();
  if (!out_) return;
  stream_.binary(binary);
  stream_.async_write(asio::buffer(*out_), [self = shared_from_this()](error_code error, std::size_t) {
    self->out_.reset();
    if (!error) return self->send();
    self->open_ = false;
    self->close();  // its read ends too, and with it the client
  });
}

}  // namespace brim::view
