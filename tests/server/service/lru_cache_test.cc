#include "server/service/lru_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace slipstream {
namespace {

TEST(LruCache, ForgetsWhatWasUsedLongestAgo) {
  LruCache<std::string, int> cache(30);
  cache.Insert("a", std::make_shared<int>(1), 10);
  cache.Insert("b", std::make_shared<int>(2), 10);
  cache.Insert("c", std::make_shared<int>(3), 10);
  EXPECT_NE(cache.Find("a"), nullptr);
  cache.Insert("d", std::make_shared<int>(4), 10);
  EXPECT_EQ(cache.Find("b"), nullptr);
  EXPECT_EQ(*cache.Find("a"), 1);
  EXPECT_EQ(*cache.Find("d"), 4);
  EXPECT_EQ(cache.Bytes(), 30u);
}

TEST(LruCache, NeverHoldsMoreThanItsBytes) {
  LruCache<int, int> cache(100);
  for (int i = 0; i < 1000; ++i) {
    cache.Insert(i % 37, std::make_shared<int>(i), static_cast<size_t>(1 + i % 50));
    ASSERT_LE(cache.Bytes(), 100u);
  }
  cache.Insert(1, std::make_shared<int>(0), 101);
  EXPECT_EQ(cache.Find(1), nullptr) << "larger than the cache, and what was there is gone";
}

TEST(LruCache, WhatIsForgottenLivesOnWithItsUsers) {
  LruCache<int, int> cache(10);
  cache.Insert(1, std::make_shared<int>(11), 10);
  const std::shared_ptr<int> user = cache.Find(1);
  cache.Erase(1);
  EXPECT_EQ(cache.Find(1), nullptr);
  EXPECT_EQ(*user, 11);
  EXPECT_EQ(cache.Bytes(), 0u);
}

TEST(LruCache, ServesManyThreads) {
  LruCache<int, int> cache(64);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, t] {
      for (int i = 0; i < 5000; ++i) {
        const int key = (i * 7 + t) % 100;
        cache.Insert(key, std::make_shared<int>(key), 4);
        const std::shared_ptr<int> found = cache.Find(key);
        if (found != nullptr) {
          ASSERT_EQ(*found, key);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(cache.Bytes(), 64u);
}

}  // namespace
}  // namespace slipstream
