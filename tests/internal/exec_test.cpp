// Arrays, reductions and histograms of the machine, on one thread of the host and on several at once.
#include "exec/exec.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <thread>

using namespace brim;

namespace {

struct AddInts {
  BRIM_DEVICE_FN void operator()(double& s, double t) const { s += t; }
};

// v[first + i] = i % 7 + shift
void fillSevens(Array<int>& a, int first, int n, int shift) {
  const auto v = a.view();
  forEach(n, [=] BRIM_KERNEL(int i) { v[first + i] = i % 7 + shift; });
}
double sumOfFirst(const Array<int>& a, int n) {
  const auto v = a.read();
  return sumOf(n, [=] BRIM_KERNEL(int i) { return double(v[i]); });
}
double countSevens(Histogram& h, const Array<int>& a, int n, const std::function<void()>& queued) {
  const auto v = a.read();
  return h.reduceCounting(
      n, 0.0, [=] BRIM_KERNEL(int i) { return double(v[i]); }, AddInts{}, 8, [=] BRIM_KERNEL(int i) { return i % 7; }, queued);
}

// Whole numbers, so every sum is exact. Returns how many results were wrong.
int wrongResults(int shift, int rounds) {
  int wrong = 0;
  Histogram h;
  for (int r = 0; r < rounds; ++r) {
    const int n = 1000 + 977 * ((shift + r) % 50);  // below and above what a staging buffer takes
    Array<int> a;
    a.resize(n);
    fillSevens(a, 0, n, shift);
    a.resize(2 * n);  // the old elements stay
    fillSevens(a, n, n, shift);
    std::vector<int> expected(2 * n);
    for (int i = 0; i < 2 * n; ++i) expected[i] = i % n % 7 + shift;
    const double half = std::accumulate(expected.begin(), expected.begin() + n, 0.0);
    wrong += sumOfFirst(a, 2 * n) != 2 * half;
    wrong += elementOf(a, n + 3) != 3 + shift;
    std::vector<int> out(2 * n);
    copyOut(a, out.data(), out.size());
    wrong += out != expected;

    double during = 0;  // a reduction while the other is under way
    wrong += countSevens(h, a, n, [&] { during = sumOfFirst(a, 2 * n); }) != half;
    wrong += during != 2 * half;
    for (int b = 0; b < 8; ++b) wrong += h.counts()[b] != (b == 7 ? 0 : (n - b + 6) / 7);

    Array<int> b;
    copyIn(b, out.data(), out.size());
    wrong += sumOfFirst(b, 2 * n) != 2 * half;
  }
  return wrong;
}

TEST(Exec, SumsCopiesAndHistogramsAreExactForWholeNumbers) { EXPECT_EQ(wrongResults(1, 50), 0); }

TEST(Exec, ThreadsOfOneProcessGetTheirOwnResults) {
  std::vector<int> wrong(8);
  std::vector<std::thread> threads;
  for (int k = 0; k < int(wrong.size()); ++k) threads.emplace_back([&wrong, k] { wrong[k] = wrongResults(k + 2, 40); });
  for (std::thread& t : threads) t.join();
  for (std::size_t k = 0; k < wrong.size(); ++k) EXPECT_EQ(wrong[k], 0) << "thread " << k;
}

}  // namespace
