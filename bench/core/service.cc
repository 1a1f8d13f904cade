// A service with 100,000 connections and 500 requests a millisecond. Each connection has an idle timer of 60 s that
// each of its requests refreshes. Each request has a deadline, which the response cancels in 95 of 100 cases. In the
// steady state about 900,000 timers are pending.
#include <array>
#include <cstdint>
#include <vector>

#include "designs/all.h"
#include "workload.h"

namespace timeout_wheel::bench {
namespace {

constexpr std::size_t kConnections = 100000;
constexpr std::size_t kRequestsPerTick = 500;
constexpr Tick kIdle = 60000;
constexpr Tick kWarmUp = 30000;
constexpr Tick kTimed = 2000;
constexpr Tick kLatest = 200;  // a response takes 1 to 200 ms
// The requests are repeated. Their number is prime to the requests of a tick, so that the thinned warm-up reaches each
// connection.
constexpr std::size_t kRequestsMade = 2000003;
constexpr std::uint32_t kNoResponse = 0;

// All random values are made before the clock starts.
struct Request {
  std::uint32_t connection;
  std::uint16_t response;  // after so many ms, or kNoResponse
  std::uint16_t deadline_class;
};

std::vector<Request> MakeRequests() {
  std::mt19937_64 random(5);
  std::vector<Request> requests(kRequestsMade);
  for (Request& request : requests) {
    const std::uint64_t number = random();
    request.connection = static_cast<std::uint32_t>(number % kConnections);
    request.response =
        (number >> 32) % 100 < 5 ? kNoResponse : static_cast<std::uint16_t>(1 + (number >> 44) % kLatest);
    request.deadline_class = static_cast<std::uint16_t>(number >> 20);
  }
  return requests;
}

template <class D>
class Service {
 public:
  explicit Service(Cell& cell) : cell_(cell), requests_(MakeRequests()), design_(1000000) {
    for (std::size_t i = 0; i < kConnections; ++i)
      idle_.push_back(design_.Schedule(kIdle / 2 + kIdle / 2 * i / kConnections));
    for (auto& due : responses_) due.reserve(kRequestsPerTick * 2);
  }

  void Run() {
    // All requests without an answer are made, and one in ten of the others. This is enough to scatter the records, and
    // the steady state is the same.
    for (Tick i = 0; i < kWarmUp; ++i) {
      if (!Step(10)) return;
    }
    requests_done_ = 0;
    longest_ = Longest();
    const Stopwatch watch;
    for (Tick i = 0; i < kTimed; ++i) {
      if (!Step(1)) return;
    }
    cell_.Report(watch.Seconds(), static_cast<double>(requests_done_));
    cell_.Count("longest", longest_.seconds() * 1e9);
    if (D::kTraits.exact && expired_ != owed_) cell_.Fail("a deadline was lost");
  }

 private:
  Tick Delay(const Request& request) const {
    return cell_.delays == Delays::k30s ? 30000 : 1000 + request.deadline_class % 59000;
  }

  // Returns false if the cell is over its limit.
  bool Step(std::size_t answered_one_in) {
    ++now_;
    auto& due = responses_[now_ % responses_.size()];
    for (const auto& handle : due) design_.Cancel(handle);
    due.clear();
    for (std::size_t i = 0; i < kRequestsPerTick; ++i) {
      const Request& request = requests_[next_];
      next_ = next_ + 1 == requests_.size() ? 0 : next_ + 1;
      if (request.response != kNoResponse && answered_one_in > 1 && i % answered_one_in != 0) continue;
      Accept(request);
    }
    owed_ += unanswered_[now_];
    longest_.Advance(design_, now_, [this](auto handle) {
      benchmark::DoNotOptimize(handle);
      ++expired_;
    });
    return now_ % 64 != 0 || !cell_.Over();
  }
  void Accept(const Request& request) {
    ++requests_done_;
    auto& idle = idle_[request.connection];
    idle = design_.Reschedule(idle, now_ + kIdle);
    auto handle = design_.Schedule(now_ + Delay(request));
    if (request.response == kNoResponse) {
      ++unanswered_[now_ + Delay(request)];
    } else {
      responses_[(now_ + request.response) % responses_.size()].push_back(handle);
    }
  }

  Cell& cell_;
  std::vector<Request> requests_;
  D design_;
  std::vector<typename D::Handle> idle_;
  std::array<std::vector<typename D::Handle>, 256> responses_;
  Tick now_ = 0;
  std::size_t next_ = 0;
  std::size_t requests_done_ = 0;
  std::size_t expired_ = 0;
  std::size_t owed_ = 0;  // the unanswered deadlines that are due
  std::vector<std::uint16_t> unanswered_ = std::vector<std::uint16_t>(kWarmUp + kTimed + 60001);  // by deadline
  Longest longest_;
};

}  // namespace

void RegisterService() {
  AllDesigns<ForEach, Nothing>::Rows("service", {Delays::k30s, Delays::kUniform}, {kConnections},
                                     []<class D>(Cell& cell) { Service<D>(cell).Run(); });
}

}  // namespace timeout_wheel::bench
