// Whether a sanitizer watches. It finds a fault where code runs once, and has it run some ten times
// as long; so tests that show what many steps reach take fewer of them there.
#ifndef SLIPSTREAM_TESTS_TESTING_SANITIZED_H_
#define SLIPSTREAM_TESTS_TESTING_SANITIZED_H_

namespace slipstream {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // GCC's.
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)  // Clang's.
inline constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_SANITIZED_H_
