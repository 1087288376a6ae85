// SPDX-License-Identifier: Apache-2.0
//
// Ties a row of the key table to a member of Config, so that one loop can read, fill in and print
// every key.  Used by the rows (keys_*.cc), config_reader and print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "l4lb/config/config.h"

namespace l4lb {

/// A key's value: an enum is the index of its choice, a size is a number of bytes.
using Value = std::variant<bool, int64_t, absl::Duration, std::string, std::vector<std::string>>;

/// The struct that a level's keys fill in: the whole, a listener, a pool or a backend.
using Owner = std::variant<Config*, Config::Listener*, Config::Pool*, Config::Backend*>;

/// A member that holds one value.  `initial` is what config.h initialises it with: the default.
struct Field {
  void (*set)(Owner owner, Value value) = nullptr;
  Value (*get)(Owner owner) = nullptr;
  Value (*initial)() = nullptr;
};

/// A member that is a vector of structs, each the owner of the next level's keys.
struct Elements {
  Owner (*append)(Owner owner) = nullptr;  // Moves the elements before it.
  Owner (*at)(Owner owner, size_t index) = nullptr;
  size_t (*size)(Owner owner) = nullptr;
};

template <typename Class, typename Member>
Class ClassOfMember(Member Class::*);  // Only for decltype.

template <auto first, auto... rest>
struct MemberPath {
  using Root = decltype(ClassOfMember(first));
  static auto& In(Root& root) { return ((root.*first).*....*rest); }
};

/// BindField<&Config::Pool::keepalive, &Config::Keepalive::idle>()
template <auto... path>
constexpr Field BindField() {
  using Path = MemberPath<path...>;
  using Root = typename Path::Root;
  using Member = std::remove_reference_t<decltype(Path::In(std::declval<Root&>()))>;
  using Stored = std::conditional_t<std::is_enum_v<Member>, int64_t, Member>;
  return {
      .set =
          [](Owner owner, Value value) {
            Path::In(*std::get<Root*>(owner)) =
                static_cast<Member>(std::get<Stored>(std::move(value)));
          },
      .get = [](Owner owner) -> Value {
        return static_cast<Stored>(Path::In(*std::get<Root*>(owner)));
      },
      .initial = []() -> Value {
        Root root;
        return static_cast<Stored>(Path::In(root));
      },
  };
}

/// BindElements<&Config::pools>()
template <auto member>
constexpr Elements BindElements() {
  using Root = decltype(ClassOfMember(member));
  return {
      .append = [](Owner owner) -> Owner {
        return &(std::get<Root*>(owner)->*member).emplace_back();
      },
      .at = [](Owner owner, size_t index) -> Owner {
        return &(std::get<Root*>(owner)->*member)[index];
      },
      .size = [](Owner owner) { return (std::get<Root*>(owner)->*member).size(); },
  };
}

}  // namespace l4lb
