// SPDX-License-Identifier: Apache-2.0
// The page of `serve` has scenes to choose from, that of --html has what was found.

if (data.scenes) {
  controls();
} else {
  document.getElementById("report").append(...reportOf(data));
}
