// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/haproxy.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "glog/logging.h"
#include "l4lb/net/listen.h"
#include "l4lb/net/unique_fd.h"
#include "tools/kit/files.h"
#include "tools/skew/proxy_process.h"

namespace l4lb::skew {
namespace {

// One thread, as the balancer of the other modes has.  Without a limit of its own HAProxy reserves
// memory for all the files that the machine allows.  A connection that fails is shown and not tried
// again: backends do not fail here.  $0: the control socket.  $1: the listener.
constexpr char kHead[] = R"(global
  nbthread 1
  fd-hard-limit 20000
  stats socket "$0" mode 600 level admin
defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  retries 0
  http-reuse always
frontend clients
  bind fd@$1 proto h2
  default_backend skew
backend skew
  balance roundrobin
)";

// Names of our own: those of the endpoints may be no words of this language.
std::string ServerName(size_t backend) { return absl::StrCat("backend", backend); }

std::string ConfigText(const std::vector<Endpoint>& all, const std::vector<int>& in_use,
                       const std::string& control_path, int listener) {
  std::string text = absl::Substitute(kHead, control_path, listener);
  for (size_t i = 0; i < all.size(); ++i) {
    const bool used = std::count(in_use.begin(), in_use.end(), static_cast<int>(i)) > 0;
    absl::StrAppend(&text, "  server ", ServerName(i), " ", all[i].address.ToString(), " proto h2",
                    used ? "" : " disabled", "\n");
  }
  return text;
}

class Haproxy final : public Middle {
 public:
  Haproxy(std::unique_ptr<ProxyProcess> process, const SocketAddress& address)
      : process_(std::move(process)), address_(address) {}

  std::vector<SocketAddress> targets() const final { return {address_}; }
  absl::Status Add(int backend) final { return SetState(backend, "ready"); }
  absl::Status Remove(int backend) final { return SetState(backend, "drain"); }

 private:
  // HAProxy says something only when it refuses.
  absl::Status SetState(int backend, absl::string_view state) {
    const std::string command = absl::StrCat(
        "set server skew/", ServerName(static_cast<size_t>(backend)), " state ", state);
    const absl::StatusOr<std::string> answer = process_->Ask(absl::StrCat(command, "\n"));
    if (!answer.ok()) return answer.status();
    const absl::string_view text = absl::StripAsciiWhitespace(*answer);
    if (text.empty()) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("HAProxy refuses \"", command, "\": ", text));
  }

  const std::unique_ptr<ProxyProcess> process_;
  const SocketAddress address_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Middle>> StartHaproxy(const std::string& path,
                                                     const std::vector<Endpoint>& all,
                                                     const std::vector<int>& in_use) {
  SocketAddress any_port;
  std::string error;
  CHECK(SocketAddress::Parse("127.0.0.1:0", &any_port, &error)) << error;
  // It is handed over: so nobody can take its port in between.
  const absl::StatusOr<UniqueFd> listener = Listen(any_port, {});
  if (!listener.ok()) return listener.status();
  absl::StatusOr<std::unique_ptr<ProxyProcess>> process = ProxyProcess::Prepare();
  if (!process.ok()) return process.status();
  const std::string config = (*process)->PathOf("haproxy.cfg");
  const absl::Status written =
      kit::WriteFile(config, ConfigText(all, in_use, (*process)->control_path(), listener->get()));
  if (!written.ok()) return written;
  // -db: in the foreground, in one process.
  const absl::Status status =
      (*process)->Run({path, "-db", "-f", config}, "show info\n", listener->get());
  if (!status.ok()) return status;
  return std::make_unique<Haproxy>(*std::move(process), LocalAddress(listener->get()));
}

}  // namespace l4lb::skew
