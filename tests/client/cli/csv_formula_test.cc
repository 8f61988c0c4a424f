#include "client/cli/csv_formula.h"

#include <gtest/gtest.h>

namespace slipstream::cli {
namespace {

TEST(CsvFormula, IsGuardedByAnApostrophe) {
  for (const char* cell : {"=cmd|' /C calc'!A0", "+1+1", "-a", "@SUM(A1)", "\t=1", "\r=1", "-"}) {
    EXPECT_EQ(GuardFormula(cell), std::string("'") + cell);
  }
}

TEST(CsvFormula, NumbersAndPlainTextStayAsTheyAre) {
  for (const char* cell :
       {"", "-1.5", "+3", "-inf", "-1e-5", "rbf", "a=b", "it's", "'", "'quoted'"}) {
    EXPECT_EQ(GuardFormula(cell), cell);
    EXPECT_EQ(UnguardFormula(cell), cell);
  }
}

TEST(CsvFormula, WhatIsGuardedIsReadBackExactly) {
  for (const char* cell : {"=1", "'=1", "''-x", "-5", "'-5", "+", "'", "''"}) {
    EXPECT_EQ(UnguardFormula(GuardFormula(cell)), cell);
  }
}

}  // namespace
}  // namespace slipstream::cli
