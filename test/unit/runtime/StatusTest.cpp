// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gtest/gtest.h>
#include <normc/normc.h>
#include <set>
#include <string>

namespace {

TEST(Status, EveryValueHasItsOwnNameAndDescription) {
  std::set<std::string> names, descriptions;
  for (int value = NORMC_STATUS_SUCCESS; value <= NORMC_STATUS_UNSUPPORTED_CPU; ++value) {
    std::string name = normc_status_name(normc_status_t(value));
    EXPECT_EQ(name.rfind("NORMC_STATUS_", 0), 0u) << value;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(descriptions.insert(normc_status_description(normc_status_t(value))).second) << name;
  }
}

TEST(Status, ValuesOfOtherVersions) {
  for (int value : {11, 15}) {
    EXPECT_STREQ(normc_status_name(normc_status_t(value)), "unknown normc status");
    EXPECT_STREQ(normc_status_description(normc_status_t(value)), "This version of normc does not have this status.");
  }
}

TEST(Status, VersionsAgree) {
  EXPECT_STREQ(normc_version(), NORMC_VERSION_STRING);
  EXPECT_STREQ(normc_version(), NORMC_VERSION) << "the build's version and normc/version.h differ";
  EXPECT_EQ(normc_abi_version(), uint32_t(NORMC_ABI_VERSION));
  std::string parts = std::to_string(NORMC_VERSION_MAJOR) + "." + std::to_string(NORMC_VERSION_MINOR) + "." + std::to_string(NORMC_VERSION_PATCH);
  EXPECT_EQ(parts, NORMC_VERSION_STRING);
}

} // namespace
