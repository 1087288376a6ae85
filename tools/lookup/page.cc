// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/page.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tools/lookup/json.h"
#include "tools/lookup/pictures.h"
#include "tools/lookup/web_parts.h"

namespace l4lb::lookup {
namespace {

using Json = nlohmann::ordered_json;

// Three decimals are more than a dot shows.
Json Rounded(const std::vector<double>& shares) {
  Json json = Json::array();
  for (const double share : shares) json.push_back(std::round(share * 1000) / 1000);
  return json;
}

Json PageData(const Options& options, const Survey& survey) {
  Json data = JsonOf(options, survey);
  for (size_t i = 0; i < survey.rows.size(); ++i) {
    data["rows"][i]["shares"] = Rounded(survey.rows[i].shares);
  }
  data["maglev"] = MaglevPicture();
  data["ring"] = RingPicture();
  return data;
}

// Data that may stand between <script> and </script>.
std::string InsideScript(const std::string& json) {
  return absl::StrReplaceAll(json, {{"</", "<\\/"}, {"<!--", "<\\u0021--"}});
}

void Put(const std::string& place, std::string_view text, std::string* page) {
  const size_t at = page->find(place);
  if (at != std::string::npos) page->replace(at, place.size(), text);
}

absl::Status ResultOf(const std::string& path, const std::ofstream& file) {
  if (file) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(errno)));
}

}  // namespace

std::string PageText(const Options& options, const Survey& survey) {
  std::string page(kPageTemplate);
  Put("{{style}}", kPageStyle, &page);
  Put("{{script}}", kPageScript, &page);
  Put("{{data}}", InsideScript(PageData(options, survey).dump()), &page);
  return page;
}

absl::Status CheckWritable(const std::string& path) {
  return ResultOf(path, std::ofstream(path, std::ios::binary | std::ios::app));
}

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  return ResultOf(path, file);
}

}  // namespace l4lb::lookup
