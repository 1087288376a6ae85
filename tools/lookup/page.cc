// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/page.h"

#include <cmath>
#include <vector>

#include "tools/kit/page.h"
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

}  // namespace

std::string PageText(const Options& options, const Survey& survey) {
  return kit::FillPage(kPageParts, PageData(options, survey).dump());
}

}  // namespace l4lb::lookup
