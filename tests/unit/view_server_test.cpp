// The viewer's server as strangers meet it, over real sockets.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "view/command.h"
#include "view/frame_message.h"
#include "view/server.h"

using namespace brim;
using namespace brim::view;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

/// A socket and the little of HTTP and WebSockets that a test needs.
class Peer {
 public:
  explicit Peer(unsigned short port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval limit = {60, 0};  // so that a mistake ends the test; no answer takes a busy machine so long
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    connected = ::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~Peer() { ::close(fd_); }
  Peer(const Peer&) = delete;

  bool send(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t n = ::send(fd_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (n <= 0) return false;
      at += std::size_t(n);
    }
    return true;
  }
  /// Exactly so many bytes; fewer where the connection ended.
  std::string take(std::size_t count) {
    std::string out(count, 0);
    std::size_t at = 0;
    while (at < count) {
      const ssize_t n = ::recv(fd_, out.data() + at, count - at, 0);
      if (n <= 0) break;
      at += std::size_t(n);
    }
    out.resize(at);
    return out;
  }
  std::string head() {
    std::string out;
    while (!out.ends_with("\r\n\r\n")) {
      const std::string c = take(1);
      if (c.empty()) break;
      out += c;
    }
    return out;
  }
  /// The status of an answer, and its body.
  int status(std::string* body = nullptr) {
    const std::string h = head();
    int code = 0;
    std::sscanf(h.c_str(), "HTTP/1.1 %d", &code);
    std::size_t length = 0;
    if (const auto at = h.find("Content-Length: "); at != h.npos) length = std::stoul(h.substr(at + 16));
    const std::string b = take(length);
    if (body) *body = b;
    return code;
  }

  void frame(int opcode, const std::string& payload, std::uint64_t claimed = 0, bool masked = true) {
    const std::uint64_t n = claimed ? claimed : payload.size();
    std::string out(1, char(0x80 | opcode));
    const char bit = masked ? char(0x80) : char(0);
    if (n < 126) {
      out += char(bit | char(n));
    } else if (n < 65536) {
      out += char(bit | 126);
      for (int k = 1; k >= 0; --k) out += char(n >> 8 * k);
    } else {
      out += char(bit | 127);
      for (int k = 7; k >= 0; --k) out += char(n >> 8 * k);
    }
    if (masked) out += std::string(4, '\0');
    send(out + payload);
  }
  void text(const std::string& t) { frame(1, t); }
  struct Message {
    int opcode = -1;  // -1: the connection ended or was silent
    std::string payload;
  };
  Message receive() {
    const std::string h = take(2);
    if (h.size() < 2) return {};
    std::uint64_t n = std::uint8_t(h[1]) & 127;
    if (n >= 126) {
      const std::string more = take(n == 126 ? 2 : 8);
      n = 0;
      for (const char c : more) n = n << 8 | std::uint8_t(c);
    }
    Message m{h[0] & 15, take(n)};
    return m;
  }

  bool connected = false;

 private:
  int fd_;
};

/// A request without a token.
std::string strange(unsigned short port, const std::string& target, const std::string& more = "", const std::string& host = "") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", target, host.empty() ? fmt::format("127.0.0.1:{}", port) : host,
                     more);
}
const std::string upgrade =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// Waits until it holds; gives up after minutes, which no busy machine needs.
bool until(const std::function<bool()>& condition) {
  for (int k = 0; k < 12000 && !condition(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

class ViewServer : public testing::Test {
 protected:
  fs::path root = fs::temp_directory_path() / ("brim_view_server_" + std::to_string(getpid()));
  std::unique_ptr<Server> server;

  void SetUp() override {
    fs::create_directories(root / "run");
    std::ofstream(root / "run/statistics.csv") << "time\n1\n";
    std::ofstream(root / "secret.txt") << "secret";
    fs::create_symlink("../secret.txt", root / "run/link.txt");
    start("127.0.0.1");
  }
  void TearDown() override {
    server.reset();
    fs::remove_all(root);
  }
  void start(const std::string& address) {
    server.reset();
    Server::Settings settings;
    settings.address = address;
    settings.port = 0;
    settings.folder = (root / "run").string();
    server = std::make_unique<Server>(settings, [](std::string_view text) -> std::string {
      try {
        parseCommand(text);
        return "";
      } catch (const BadMessage& e) {
        return e.what();
      }
    });
  }
  unsigned short port() const { return server->port(); }
  std::string token() const { return server->address().substr(server->address().find("token=") + 6); }
  /// A request as the server's own page makes it.
  std::string get(unsigned short port, const std::string& target, const std::string& more = "", const std::string& host = "") {
    return strange(port, target, more + "X-Brim-Token: " + token() + "\r\n", host);
  }
  int ask(const std::string& request, std::string* body = nullptr) {
    Peer peer(port());
    peer.send(request);
    return peer.status(body);
  }
  /// A client that watches.
  std::unique_ptr<Peer> watch(const std::string& target = "/live") {
    auto peer = std::make_unique<Peer>(port());
    peer->send(get(port(), target, upgrade));
    EXPECT_NE(peer->head().find(" 101 "), std::string::npos);
    return peer;
  }
  void expectAlive() {
    EXPECT_EQ(ask(get(port(), "/")), 200);
    const auto peer = watch();
    peer->text(R"({"type":"dance"})");
    for (Peer::Message m = peer->receive();; m = peer->receive()) {
      ASSERT_NE(m.opcode, -1);
      if (m.payload.find("not known") != std::string::npos) break;
    }
  }
};

TEST_F(ViewServer, ServesItsPageAndTheOpenedFolderAndNothingElse) {
  std::string body;
  EXPECT_EQ(ask(get(port(), "/"), &body), 200);
  EXPECT_NE(body.find("<canvas"), std::string::npos);
  EXPECT_EQ(ask(get(port(), "/view.js"), &body), 200);
  EXPECT_GT(body.size(), 100000u);
  EXPECT_EQ(ask(get(port(), "/view.css")), 200);
  EXPECT_EQ(ask(get(port(), "/folder/statistics.csv"), &body), 200);
  EXPECT_EQ(body, "time\n1\n");
  const std::string bad[] = {"/index.html",
                             "/etc/passwd",
                             "//etc/passwd",
                             "/../secret.txt",
                             "/folder/",
                             "/folder/..",
                             "/folder/../secret.txt",
                             "/folder/%2e%2e/secret.txt",
                             "/folder/%2e%2e%2fsecret.txt",
                             "/folder/%252e%252e/secret.txt",
                             "/folder/..%5csecret.txt",
                             "/folder/link.txt",
                             "/folder//etc/passwd",
                             "/folder/%2fetc%2fpasswd",
                             "/folder/./statistics.csv",
                             "/folder/statistics.csv%00.png",
                             "/folder" + (root / "secret.txt").string(),
                             "/view.js/",
                             "/favicon.ico",
                             "http://127.0.0.1/etc/passwd",
                             "*"};
  for (const std::string& target : bad) {
    EXPECT_EQ(ask(get(port(), target), &body), 404) << target;
    EXPECT_EQ(body.find("secret"), std::string::npos) << target;
  }
  EXPECT_EQ(ask(fmt::format("POST / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", port())), 405);
  EXPECT_EQ(ask(fmt::format("DELETE /folder/statistics.csv HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", port())), 405);
  EXPECT_TRUE(fs::exists(root / "run/statistics.csv"));
}

TEST_F(ViewServer, AnswersOnlyToItsOwnNameAndItsOwnPage) {
  EXPECT_EQ(ask(get(port(), "/", "", fmt::format("localhost:{}", port()))), 200);
  // A site that lets its own name point here.
  for (const std::string& host : {std::string("evil.example"), fmt::format("evil.example:{}", port()), std::string("127.0.0.1"),
                                  fmt::format("127.0.0.1.evil.example:{}", port())})
    for (const char* target : {"/", "/folder/statistics.csv", "/live"})
      EXPECT_EQ(ask(get(port(), target, upgrade, host)), 403) << host;
  EXPECT_EQ(ask("GET / HTTP/1.1\r\n\r\n"), 403);
  EXPECT_EQ(ask(get(port(), "/live", upgrade + "Origin: http://evil.example\r\n")), 403);
  EXPECT_EQ(ask(get(port(), "/live", upgrade + "Origin: null\r\n")), 403);
  EXPECT_EQ(ask(get(port(), "/live", upgrade + fmt::format("Origin: http://127.0.0.1:{}\r\n", port()))), 101);
  EXPECT_EQ(ask(get(port(), "/live")), 426);
}

TEST_F(ViewServer, WhoeverConnectsNeedsTheToken) {
  for (const char* address : {"127.0.0.1", "0.0.0.0"}) {
    start(address);
    EXPECT_EQ(server->open(), address != std::string("127.0.0.1"));
    const std::string right = token();
    ASSERT_EQ(right.size(), 32u);
    const std::string wrong = std::string(32, right[0] == '0' ? '1' : '0');
    const std::string bad[] = {
        "", "?token=", "?token=" + wrong, "?token=" + right.substr(0, 31), "?token=" + right + "0", "?tokens=" + right};
    for (const std::string& given : bad) {
      EXPECT_EQ(ask(strange(port(), "/live" + given, upgrade)), 403) << given;
      EXPECT_EQ(ask(strange(port(), "/folder/statistics.csv" + given)), 403) << given;
    }
    EXPECT_EQ(ask(strange(port(), "/folder/statistics.csv", "X-Brim-Token: " + wrong + "\r\n")), 403);
    EXPECT_EQ(ask(strange(port(), "/folder/statistics.csv", "X-Brim-Token: " + right + "\r\n")), 200);
    EXPECT_EQ(ask(strange(port(), "/folder/statistics.csv?token=" + right)), 200);
    EXPECT_EQ(ask(strange(port(), "/live?a=b&token=" + right, upgrade)), 101);
    EXPECT_EQ(ask(strange(port(), "/live?token=" + right, upgrade + "Origin: http://evil.example\r\n")), 403);
    start(address);
    EXPECT_EQ(server->address().find(right), std::string::npos);  // another one each time
  }
  start("0.0.0.0");
  EXPECT_EQ(ask(get(port(), "/live", upgrade, "desk.example:80")), 101);
}

TEST_F(ViewServer, AThousandIdleConnectionsKeepNobodyOut) {
  rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
  setrlimit(RLIMIT_NOFILE, &files);
  std::vector<std::unique_ptr<Peer>> idle;
  for (int k = 0; k < 1000; ++k) {
    idle.push_back(std::make_unique<Peer>(port()));
    if (k % 3 == 0) idle.back()->send("GET / HT");
    if (k % 100 == 99) {
      EXPECT_EQ(ask(get(port(), "/")), 200) << k;
    }
  }
  const auto peer = watch();
  expectAlive();
}

TEST_F(ViewServer, SurvivesWhatIsNoHttp) {
  std::mt19937 random(3);
  for (int k = 0; k < 60; ++k) {
    Peer peer(port());
    std::string junk(1 + random() % 3000, ' ');
    for (char& c : junk) c = char(random());
    if (k % 3 == 0) junk = "GET / HTTP/1.1\r\n" + junk;
    peer.send(junk);
  }
  EXPECT_EQ(ask(get(port(), "/", "X: " + std::string(100000, 'a') + "\r\n")), 413);
  EXPECT_EQ(ask("GET /" + std::string(50000, 'a') + " HTTP/1.1\r\n\r\n"), 413);
  EXPECT_EQ(ask(fmt::format("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 99999999999\r\n\r\n", port())), 413);
  EXPECT_EQ(ask("hello\r\n\r\n"), 400);
  expectAlive();
}

TEST_F(ViewServer, SurvivesBrokenHugeAndHostileMessages) {
  server->hello("{}");
  std::mt19937 random(5);
  for (int k = 0; k < 40; ++k) {  // random bytes where frames should be
    const auto peer = watch();
    std::string junk(1 + random() % 2000, ' ');
    for (char& c : junk) c = char(random());
    peer->send(junk);
  }
  for (int k = 0; k < 30; ++k) {  // frames in good order with random text
    const auto peer = watch();
    std::string junk(random() % 300, ' ');
    for (char& c : junk) c = char(random());
    peer->text(junk);
    peer->frame(2, junk);
    peer->frame(int(random() % 16), junk);
  }
  // A frame that claims to be huge ends the connection at once: nothing is set aside for it.
  for (const std::uint64_t size : {std::uint64_t(longestMessage + 1), std::uint64_t(1) << 31, std::uint64_t(1) << 62}) {
    const auto peer = watch();
    peer->frame(1, "x", size);
    Peer::Message m;
    do m = peer->receive();
    while (m.opcode == 1);
    EXPECT_TRUE(m.opcode == 8 || m.opcode == -1) << size;
  }
  {
    const auto peer = watch();
    peer->frame(1, R"({"type":"pause"})", 0, false);  // clients must mask
    Peer::Message m;
    do m = peer->receive();
    while (m.opcode == 1);
    EXPECT_TRUE(m.opcode == 8 || m.opcode == -1);
  }
  const auto peer = watch();
  peer->text(std::string(1000, '[') + std::string(1000, ']'));
  peer->text(R"({"type":"set","path":"a.b","value":{"a":{"b":{}}}})");
  int complaints = 0;
  while (complaints < 2) {
    const Peer::Message m = peer->receive();
    ASSERT_EQ(m.opcode, 1);
    complaints += m.payload.find("\"error\"") != std::string::npos;
  }
  expectAlive();
}

TEST_F(ViewServer, MoreClientsThanItTakesAreTurnedAwayAndMakeRoomWhenTheyGo) {
  std::vector<std::unique_ptr<Peer>> all;
  for (int k = 0; k < 16; ++k) all.push_back(watch());
  EXPECT_TRUE(until([&] { return ask(get(port(), "/live", upgrade)) == 503; }));
  all.clear();
  EXPECT_TRUE(until([&] { return ask(get(port(), "/live", upgrade)) == 101; }));
}

std::string numbered(std::uint32_t k, std::size_t size) {
  std::string s(size, '\0');
  std::memcpy(s.data(), &k, sizeof k);
  return s;
}

TEST_F(ViewServer, ASlowClientMissesFramesAndGetsTheLatestWhenItIsBack) {
  const auto slow = watch();
  ASSERT_TRUE(until([&] { return server->ready(); }));
  // It never says that it has seen one: two are sent and the third waits, replaced by all that follow.
  for (std::uint32_t k = 0; k < 300; ++k) {
    server->frame(numbered(k, 1 << 20));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(until([&] { return !server->ready(); }));
  // Which two those are depends on what fits between the two sockets; of the others it gets the last.
  std::vector<std::uint32_t> got;
  while (got.empty() || got.back() != 299) {
    if (got.size() == 2) {
      EXPECT_FALSE(server->ready());
      slow->text(R"({"type":"seen"})");
    }
    const auto m = slow->receive();
    ASSERT_EQ(m.opcode, 2);
    std::uint32_t number;
    std::memcpy(&number, m.payload.data(), 4);
    if (!got.empty()) {
      EXPECT_LT(got.back(), number);
    }
    got.push_back(number);
  }
  EXPECT_LE(got.size(), 3u);
}

TEST_F(ViewServer, AHundredThousandParticlesArriveFrameAfterFrame) {
  const auto peer = watch();
  Snapshot s;
  const std::size_t n = 100000;
  s.id.resize(n), s.position.resize(3 * n), s.velocity.resize(3 * n), s.density.resize(n), s.pressure.resize(n);
  for (std::size_t k = 0; k < 3 * n; ++k) s.position[k] = double(k % 977) / 977;
  std::atomic<bool> stop = false;
  std::thread session([&] {
    for (std::uint32_t k = 0; !stop; ++k) {
      while (!server->ready() && !stop) std::this_thread::sleep_for(std::chrono::microseconds(200));
      server->frame(encodeFrameMessage(s, {0, 0, 0}, Quantity::speed, {}, k));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  // How many a second is recorded, and judged by who reads it: it is a fact about the machine too.
  const auto start = Clock::now();
  const int wanted = 40;
  int frames = 0;
  std::int64_t last = -1;
  while (frames < wanted) {
    const auto m = peer->receive();
    if (m.opcode == 1) continue;
    if (m.opcode != 2) {
      ADD_FAILURE() << "the connection ended after " << frames << " frames";
      break;
    }
    EXPECT_EQ(m.payload.size(), frameMessageHeader + 8 * n + 4);
    std::uint32_t number;
    std::memcpy(&number, m.payload.data() + 12, 4);
    EXPECT_GT(std::int64_t(number), last);
    last = number;
    ++frames;
    peer->text(R"({"type":"seen"})");
  }
  stop = true;
  session.join();
  const double rate = frames / std::chrono::duration<double>(Clock::now() - start).count();
  RecordProperty("frames_per_second", std::to_string(rate));
  std::printf("%.0f frames of 100,000 particles a second\n", rate);
}

}  // namespace
