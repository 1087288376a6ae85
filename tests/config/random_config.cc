// SPDX-License-Identifier: Apache-2.0
#include "tests/config/random_config.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "l4lb/config/admin_address.h"
#include "l4lb/config/key_table.h"

namespace l4lb {
namespace {

/// Never the same twice; of letters that YAML treats specially, too.
std::string RandomText(Dice* dice, int number) {
  constexpr absl::string_view kParts[] = {
      "a", "Z", "0", "-", "_", ".", "\"", "\\", "'",  ": ",     "#",      " #",   "*", "&",
      "!", "%", "@", "`", "{", "[", ",",  "?",  "| ", "\u00e4", "\u65e5", "null", "~"};
  std::string text;
  const int64_t parts = dice->Between(0, 8);
  for (int64_t i = 0; i < parts; ++i) {
    const absl::string_view part = kParts[dice->Below(std::size(kParts))];
    text.append(part.data(), part.size());
  }
  return absl::StrCat(text, number, dice->Chance(0.2) ? " " : "");
}

class Maker {
 public:
  explicit Maker(Dice* dice) : dice_(dice) {}

  void Fill(absl::string_view level, Owner owner) {
    for (const Key* key : KeysOfLevel(level)) {
      if (key->type == KeyType::kMapping) {
        Fill(ChildLevel(*key), owner);
      } else if (key->type == KeyType::kList) {
        for (int64_t i = dice_->Between(1, 4); i > 0; --i) {
          Fill(ChildLevel(*key), key->elements.append(owner));
        }
      } else if (key->required || dice_->Chance(0.7)) {
        key->field.set(owner, RandomValue(*key));
      }
    }
  }

 private:
  std::string RandomIp() {
    ++number_;
    if (dice_->Chance(0.3)) return absl::StrCat("2001:db8::", number_ % 9999 + 1);
    return absl::StrCat("10.1.", number_ / 256 % 256, ".", number_ % 256);
  }

  std::string RandomHost() {
    return absl::StrCat("db-", ++number_, dice_->Chance(0.5) ? ".example" : "");
  }

  std::string RandomBackend() {
    if (dice_->Chance(0.3)) return absl::StrCat(RandomHost(), ":", dice_->Between(1, 65535));
    return RandomAddress();
  }

  std::string RandomAddress() {
    const int port = ++number_ % 65535 + 1;
    if (dice_->Chance(0.1)) return absl::StrCat("unix:/run/a b #", number_, "/\"s'");
    if (dice_->Chance(0.3)) return absl::StrCat("[2001:db8::", dice_->Below(9999), "]:", port);
    return absl::StrCat("10.0.", dice_->Below(256), ".", dice_->Below(256), ":", port);
  }

  std::string RandomAscii(KeyType type) {
    std::string text;
    for (int64_t i = dice_->Between(0, 12); i > 0; --i) {
      const bool word = type == KeyType::kWord;
      text.push_back(static_cast<char>(dice_->Between(word ? '!' : 1, word ? '~' : 127)));
    }
    return text;
  }

  Value RandomValue(const Key& key) {
    const int64_t number =
        dice_->Between((key.min + key.step - 1) / key.step, key.max / key.step) * key.step;
    switch (key.type) {
      case KeyType::kBool:
        return dice_->Chance(0.5);
      case KeyType::kDuration:
        return absl::Milliseconds(number);
      case KeyType::kSessions:
        if (dice_->Chance(0.3)) return absl::InfiniteDuration();
        return dice_->Chance(0.3) ? absl::ZeroDuration() : absl::Milliseconds(number);
      case KeyType::kEnum:
        return static_cast<int64_t>(dice_->Below(key.choices.size()));
      case KeyType::kName:
      case KeyType::kPath:
      case KeyType::kUser:
        return RandomText(dice_, ++number_);
      case KeyType::kText:
      case KeyType::kWord:
        return RandomAscii(key.type);
      case KeyType::kHostAddress:
        return dice_->Chance(0.5) ? "" : RandomIp();
      case KeyType::kAdminAddress:
        return dice_->Chance(0.3) ? std::string("off") : RandomAddress();
      case KeyType::kFileMode:
        return absl::StrFormat("%04o", dice_->Below(512));
      case KeyType::kBackendAddress:
        return RandomBackend();
      case KeyType::kSourceAddresses: {
        std::vector<std::string> hosts;
        while (dice_->Chance(0.5)) hosts.push_back(RandomIp());
        return hosts;
      }
      case KeyType::kBindAddresses: {
        std::vector<std::string> addresses = {RandomAddress()};
        while (dice_->Chance(0.4)) addresses.push_back(RandomAddress());
        return addresses;
      }
      default:
        return !key.word.empty() && dice_->Chance(0.3) ? key.word_value : number;
    }
  }

  Dice* const dice_;
  int number_ = 0;
};

void KeepSendExpectValid(Dice* dice, Config::HealthCheck* check) {
  (dice->Chance(0.5) ? check->send : check->send_hex).clear();
  (dice->Chance(0.5) ? check->expect : check->expect_regex).clear();
  if (!check->send_hex.empty()) check->send_hex = "50 49 4e47";
  if (!check->expect_regex.empty()) check->expect_regex = R"(^\+PONG|"\xff\\)";
  if (check->expect.size() > static_cast<size_t>(check->limit)) check->limit = 4096;
}

/// What belongs to the type stays, and what hangs together is put right.
void KeepCheckValid(Dice* dice, Config::HealthCheck* check) {
  const Config::HealthCheck random = *check;
  if (random.type == Config::CheckType::kNone) {
    *check = {};
    return;
  }
  check->timeout = std::min(random.timeout, random.interval);
  check->fast_interval = std::min(random.fast_interval, random.interval);
  check->port = check->address.empty() ? 0 : dice->Between(1, 65535);  // Of UNIX backends, too.
  if (random.detector.type == Config::DetectorType::kCount) check->detector = {};
  if (random.type == Config::CheckType::kSendExpect) {
    KeepSendExpectValid(dice, check);
  } else {
    check->send = check->send_hex = check->expect = check->expect_regex = "";
  }
  check->host = "";
  check->status = Config::HealthCheck().status;
  if (random.type == Config::CheckType::kHttp) {
    check->host = random.host;
    check->status = dice->Chance(0.5) ? "200,204,300-399" : "599";
  }
  check->path = absl::StrCat("/", random.type == Config::CheckType::kHttp ? random.path : "");
}

void KeepHealthValid(Dice* dice, Config::Pool* pool) {
  KeepCheckValid(dice, &pool->health_check);
  pool->eject.max = std::max(pool->eject.base, pool->eject.max);
  pool->backends[0].backup = false;
}

}  // namespace

Config RandomConfig(Dice* dice) {
  Config config;
  Maker(dice).Fill("", &config);
  const bool has_token = !config.admin.token_file.empty() || !config.admin.read_token_file.empty();
  if (!has_token && IsReachable(config.admin.bind)) config.admin.bind = "[::1]:0";
  constexpr int64_t kPrimes[] = {2, 101, 2039, 65537, 655373};
  for (Config::Pool& pool : config.pools) pool.table_size = kPrimes[dice->Below(5)];
  for (Config::Listener& listener : config.listeners) {
    listener.pool = config.pools[dice->Below(config.pools.size())].name;
    if (listener.name.empty()) listener.name = listener.bind[0];
  }
  for (Config::Pool& pool : config.pools) {
    KeepHealthValid(dice, &pool);
    for (Config::Backend& backend : pool.backends) {
      if (backend.name.empty()) backend.name = backend.address;
    }
  }
  return config;
}

}  // namespace l4lb
