// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/nghttpx.h"

#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "glog/logging.h"
#include "l4lb/net/listen.h"
#include "l4lb/net/unique_fd.h"
#include "tools/skew/proxy_process.h"

namespace l4lb::skew {
namespace {

constexpr int kMostPorts = 5;

// HTTP/1.0, since its API keeps the connection of a later version, even one that asks it not to.
constexpr char kQuestion[] = "GET /api/v1beta1/configrevision HTTP/1.0\r\n\r\n";

std::string ReplaceBackends(absl::string_view body) {
  return absl::StrCat("POST /api/v1beta1/backendconfig HTTP/1.0\r\nContent-Length: ", body.size(),
                      "\r\n\r\n", body);
}

// As nghttpx writes it: "127.0.0.1,80".
std::string HostAndPort(const SocketAddress& address) {
  std::string text = address.ToString();
  text[text.rfind(':')] = ',';
  return text;
}

std::string BackendOption(const Endpoint& endpoint) {
  return absl::StrCat("backend=", HostAndPort(endpoint.address), ";;proto=h2");
}

class Nghttpx final : public Middle {
 public:
  Nghttpx(std::unique_ptr<ProxyProcess> process, const SocketAddress& address,
          const std::vector<Endpoint>& all, const std::vector<int>& in_use)
      : process_(std::move(process)),
        address_(address),
        all_(all),
        in_use_(in_use.begin(), in_use.end()) {}

  std::vector<SocketAddress> targets() const final { return {address_}; }

  absl::Status Add(int backend) final {
    in_use_.insert(backend);
    return Tell();
  }

  absl::Status Remove(int backend) final {
    in_use_.erase(backend);
    // An empty list would mean 127.0.0.1,80.
    if (in_use_.empty()) return absl::FailedPreconditionError("nghttpx needs a backend");
    return Tell();
  }

 private:
  absl::Status Tell() {
    std::string body;
    for (const int backend : in_use_) {
      absl::StrAppend(&body, BackendOption(all_[static_cast<size_t>(backend)]), "\n");
    }
    const absl::StatusOr<std::string> answer = process_->Ask(ReplaceBackends(body));
    if (!answer.ok()) return answer.status();
    if (absl::StrContains(answer->substr(0, answer->find('\n')), " 200 ")) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("nghttpx refuses new backends: ", *answer));
  }

  const std::unique_ptr<ProxyProcess> process_;
  const SocketAddress address_;
  const std::vector<Endpoint> all_;
  std::set<int> in_use_;
};

// It can be handed no listener; the port that was free a moment ago is so most of the time.
absl::StatusOr<SocketAddress> FreeAddress() {
  SocketAddress any_port;
  std::string error;
  CHECK(SocketAddress::Parse("127.0.0.1:0", &any_port, &error)) << error;
  const absl::StatusOr<UniqueFd> listener = Listen(any_port, {});
  if (!listener.ok()) return listener.status();
  return LocalAddress(listener->get());
}

// Without the machine's configuration, and in one process, which is the one that we end.
std::vector<std::string> Command(const std::string& path, const SocketAddress& address,
                                 const std::string& control_path) {
  return {path,
          "--conf=/dev/null",
          "--single-process",
          "--workers=1",
          "--log-level=ERROR",
          absl::StrCat("--frontend=", HostAndPort(address), ";no-tls"),
          absl::StrCat("--frontend=unix:", control_path, ";api;no-tls"),
          "--frontend-http2-read-timeout=1h",
          "--backend-read-timeout=1h"};
}

absl::StatusOr<std::unique_ptr<Middle>> StartOnFreePort(const std::string& path,
                                                        const std::vector<Endpoint>& all,
                                                        const std::vector<int>& in_use) {
  const absl::StatusOr<SocketAddress> address = FreeAddress();
  if (!address.ok()) return address.status();
  absl::StatusOr<std::unique_ptr<ProxyProcess>> process = ProxyProcess::Prepare();
  if (!process.ok()) return process.status();
  std::vector<std::string> command = Command(path, *address, (*process)->control_path());
  for (const int backend : in_use) {
    command.push_back(absl::StrCat("--", BackendOption(all[static_cast<size_t>(backend)])));
  }
  const absl::Status status = (*process)->Run(command, kQuestion);
  if (!status.ok()) return status;
  return std::make_unique<Nghttpx>(*std::move(process), *address, all, in_use);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Middle>> StartNghttpx(const std::string& path,
                                                     const std::vector<Endpoint>& all,
                                                     const std::vector<int>& in_use) {
  absl::StatusOr<std::unique_ptr<Middle>> started;
  for (int i = 0; i < kMostPorts && !started.ok(); ++i) {
    started = StartOnFreePort(path, all, in_use);
    // Only one that ended by itself may have found its port taken.
    if (!absl::IsUnavailable(started.status())) break;
  }
  return started;
}

}  // namespace l4lb::skew
