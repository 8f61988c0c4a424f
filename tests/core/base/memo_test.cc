#include "core/base/memo.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/out_of_memory.h"
#include "gtest/gtest.h"
#include "tests/testing/allocation_limit.h"

namespace slipstream {
namespace {

// A key that is compared, as std::hash does not take it.
using Pair = std::pair<int, int>;

TEST(Memo, EvictsTheLeastRecentlyUsed) {
  Memo<std::string, int> memo(30);
  memo.Put("a", std::make_shared<int>(1), 10);
  memo.Put("b", std::make_shared<int>(2), 10);
  memo.Put("c", std::make_shared<int>(3), 10);
  EXPECT_NE(memo.Find("a"), nullptr);
  memo.Put("d", std::make_shared<int>(4), 10);
  EXPECT_EQ(memo.Find("b"), nullptr);
  EXPECT_EQ(*memo.Find("a"), 1);
  EXPECT_EQ(*memo.Find("d"), 4);
  EXPECT_EQ(memo.cost(), 30u);
}

TEST(Memo, EvictsTheLeastRecentlyUsedOfComparedKeys) {
  Memo<Pair, int> memo(2);
  memo.Put({0, 1}, std::make_shared<int>(1));
  memo.Put({0, 2}, std::make_shared<int>(2));
  EXPECT_EQ(*memo.Find({0, 1}), 1);
  memo.Put({0, 3}, std::make_shared<int>(3));
  EXPECT_EQ(memo.Find({0, 2}), nullptr);
  EXPECT_EQ(*memo.Find({0, 1}), 1);
  EXPECT_EQ(*memo.Find({0, 3}), 3);
}

TEST(Memo, NeverCostsMoreThanItsCapacity) {
  Memo<int, int> memo(100);
  for (int i = 0; i < 1000; ++i) {
    memo.Put(i % 37, std::make_shared<int>(i), static_cast<size_t>(1 + i % 50));
    ASSERT_LE(memo.cost(), 100u);
  }
  memo.Put(1, std::make_shared<int>(0), 101);
  EXPECT_EQ(memo.Find(1), nullptr) << "larger than the memo, and the value before it is gone";
}

TEST(Memo, AnEntryForWhichMemoryRunsOutIsNotThereAndTheOthersStay) {
  constexpr int kEntries = 100;
  Memo<int, const int> memo(2 * kEntries);
  for (int key = 0; key < kEntries; ++key) {
    const auto value = std::make_shared<const int>(key);
    bool is_kept = false;
    for (int allocations = 0; !is_kept; ++allocations) {
      const AllocationLimit limit(allocations);
      is_kept = OrOutOfMemory([&] {
                  memo.Put(key, value);
                  return absl::OkStatus();
                }).ok();
    }
  }
  EXPECT_EQ(memo.cost(), size_t{kEntries});
  for (int key = 0; key < kEntries; ++key) {
    const std::shared_ptr<const int> found = memo.Find(key);
    ASSERT_NE(found, nullptr) << key;
    EXPECT_EQ(*found, key);
  }
}

TEST(Memo, AnEvictedValueLivesOnWithItsUsers) {
  Memo<int, int> memo(10);
  memo.Put(1, std::make_shared<int>(11), 10);
  const std::shared_ptr<int> user = memo.Find(1);
  memo.Erase(1);
  EXPECT_EQ(memo.Find(1), nullptr);
  EXPECT_EQ(*user, 11);
  EXPECT_EQ(memo.cost(), 0u);
}

TEST(Memo, ChangesAllValuesAndEvictsThoseThatCannotBeChanged) {
  Memo<int, int> hashed(40);
  Memo<Pair, int> compared(40);
  for (int i = 0; i < 4; ++i) {
    hashed.Put(i, std::make_shared<int>(i), 10);
    compared.Put({i, i}, std::make_shared<int>(i), 10);
  }
  const auto change = [](int& value) {
    value += 100;
    return value != 102;
  };
  hashed.ChangeAll(change);
  compared.ChangeAll(change);
  EXPECT_EQ(hashed.Find(2), nullptr);
  EXPECT_EQ(compared.Find({2, 2}), nullptr);
  for (int i : {0, 1, 3}) {
    EXPECT_EQ(*hashed.Find(i), 100 + i);
    EXPECT_EQ(*compared.Find({i, i}), 100 + i);
  }
  EXPECT_EQ(hashed.cost(), 30u);
}

TEST(Memo, MakesAValueOnceAndKeepsNoError) {
  Memo<std::string, int> memo(2);
  int made = 0;
  const auto make = [&]() -> absl::StatusOr<std::shared_ptr<int>> {
    if (++made == 1) return absl::UnavailableError("not yet");
    return std::make_shared<int>(made);
  };
  EXPECT_TRUE(absl::IsUnavailable(memo.Get("a", make).status()));
  EXPECT_EQ(**memo.Get("a", make), 2);
  EXPECT_EQ(**memo.Get("a", make), 2);
  EXPECT_EQ(made, 2);
}

TEST(Memo, AValueThatIsMadeTwiceAtOnceIsThereOnce) {
  Memo<std::string, int> memo(2);
  memo.Put("other", std::make_shared<int>(0));
  const auto first = std::make_shared<int>(1);
  const auto made = memo.Get("a", [&]() -> absl::StatusOr<std::shared_ptr<int>> {
    memo.Put("a", first);  // Another thread's, and no lock is held.
    return std::make_shared<int>(2);
  });
  EXPECT_EQ(*made, first);
  EXPECT_EQ(memo.Find("a"), first);
  EXPECT_NE(memo.Find("other"), nullptr) << "evicted for nothing new";
}

using Buffer = std::vector<int>;

Memo<std::string, Buffer>::Growth GrowthOfBuffers() {
  return {[](const std::string&, const Buffer& buffer) { return buffer.size(); },
          [](const Buffer& buffer) { const_cast<Buffer&>(buffer).resize(1); }, 2};
}

TEST(Memo, ShrinksValuesBeforeItEvictsOneInUse) {
  Memo<std::string, Buffer> memo(10, GrowthOfBuffers());
  const auto a = std::make_shared<Buffer>(4);
  const auto b = std::make_shared<Buffer>(4);
  memo.Put("a", a);
  memo.Put("b", b);
  EXPECT_EQ(memo.cost(), 8u);
  b->resize(8);
  EXPECT_EQ(memo.Find("b"), b);
  EXPECT_EQ(a->size(), 1u) << "the least recently used first";
  EXPECT_EQ(b->size(), 8u);
  EXPECT_EQ(memo.cost(), 9u);
  memo.Put("c", std::make_shared<Buffer>(10));
  EXPECT_NE(memo.Find("a"), nullptr);
  EXPECT_LE(memo.cost(), 10u);
}

TEST(Memo, EvictsUnusedEntriesBeforeItShrinksOthers) {
  Memo<std::string, Buffer> memo(10, GrowthOfBuffers());
  memo.Put("old", std::make_shared<Buffer>(4));
  const auto used = std::make_shared<Buffer>(6);
  memo.Put("used", used);
  for (int i = 0; i < 8; ++i) memo.Find("used");
  used->resize(9);
  memo.Find("used");
  EXPECT_EQ(memo.Find("old"), nullptr);
  EXPECT_EQ(used->size(), 9u);
}

TEST(Memo, KeepsAValueOnlyIfThereIsRoomBesideThoseInUseWhereToldTo) {
  Memo<std::string, Buffer> memo(2, GrowthOfBuffers());
  EXPECT_TRUE(memo.PutIfThereIsRoom("a", std::make_shared<Buffer>(6)));
  EXPECT_TRUE(memo.PutIfThereIsRoom("b", std::make_shared<Buffer>(6))) << "both shrink";
  EXPECT_FALSE(memo.PutIfThereIsRoom("c", std::make_shared<Buffer>(6)));
  EXPECT_EQ(memo.Find("c"), nullptr);
  EXPECT_NE(memo.Find("a"), nullptr);
  EXPECT_EQ(memo.cost(), 2u);
  // Nobody asks for "b" while another one is asked for in vain.
  for (int i = 0; i < 8; ++i) memo.Find("c");
  EXPECT_NE(memo.Find("a"), nullptr);
  EXPECT_TRUE(memo.PutIfThereIsRoom("c", std::make_shared<Buffer>(6)));
  EXPECT_EQ(memo.Find("b"), nullptr);
  EXPECT_NE(memo.Find("a"), nullptr);
}

TEST(Memo, KeepsTheLastGrowingValueHoweverLarge) {
  Memo<std::string, Buffer> memo(0, GrowthOfBuffers());
  memo.Put("a", std::make_shared<Buffer>(4));
  EXPECT_NE(memo.Find("a"), nullptr);
  memo.Put("b", std::make_shared<Buffer>(4));
  EXPECT_EQ(memo.Find("a"), nullptr);
  EXPECT_NE(memo.Find("b"), nullptr);
}

TEST(Memo, ServesManyThreads) {
  Memo<int, int> memo(64);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&memo, &wrong, t] {
      for (int i = 0; i < 5000; ++i) {
        const int key = (i * 7 + t) % 100;
        memo.Put(key, std::make_shared<int>(key), 4);
        const std::shared_ptr<int> found = memo.Find(key);
        if (found != nullptr && *found != key) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(memo.cost(), 64u);
}

}  // namespace
}  // namespace slipstream
