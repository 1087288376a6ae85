// SPDX-License-Identifier: Apache-2.0
//
// Finds what a path names in a status.  Used by the handlers.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "l4lb/admin/request.h"
#include "l4lb/config/suggest.h"
#include "l4lb/config/utf8.h"
#include "l4lb/observe/status.h"

namespace l4lb {

/// `what`: "pool".  nullptr: there is none of the name; `error` names the nearest.
template <typename Status>
const Status* FindNamed(absl::string_view what, const std::string& name,
                        const std::vector<Status>& all, RequestError* error) {
  std::vector<absl::string_view> names;
  for (const Status& one : all) {
    if (one.name == name) return &one;
    names.push_back(one.name);
  }
  std::string right = DidYouMean(name, names);
  if (right.empty() && names.size() <= 8) {
    std::vector<std::string> shown;
    for (absl::string_view candidate : names) shown.push_back(Printable(candidate));
    right = names.empty() ? absl::StrCat("there is no ", what)
                          : absl::StrCat("there is ", JoinNames(shown, "and", shown.size()));
  }
  *error = {.status = 404, .what = absl::StrCat("no ", what, " ", Quoted(name)), .right = right};
  return nullptr;
}

}  // namespace l4lb
