// The kernels on this processor: reads a job from standard input, does it with as many warps as the argument says, writes the answer.

#include "../src/sweeps.cu"

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static std::barrier<>* meeting;

template <class T>
static std::vector<T> take(std::size_t n) {
    std::vector<T> x(n);
    if (std::fread(x.data(), sizeof(T), n, stdin) != n) std::abort();
    return x;
}

template <class T>
static void give(const T* x, std::size_t n) {
    if (std::fwrite(x, sizeof(T), n, stdout) != n) std::abort();
}

int main(int, char** arguments) {
    u32 warps = (u32)std::atoi(arguments[1]);
    // contacts, bodies, blocks, colours, limit, whether they are solids, length of held
    auto head = take<u32>(7);
    auto tolerance = take<double>(1);
    std::size_t n = head[0], bodies = head[1], blocks = head[2];
    u32 fields = head[5] ? Solids::FIELDS : Balls::FIELDS;
    auto colour = take<u32>(head[3] + 1), slot = take<u32>(32 * blocks), pair = take<u32>(2 * n);
    auto start = take<u32>(bodies + 1), held = take<u32>(head[6]);
    auto number = take<double>(32 * fields * blocks), H = take<double>(36 * n), w = take<double>(3 * n);
    auto mu = take<double>(n), b = take<double>(3 * n), rho = take<double>(n), mass = take<double>(bodies);
    auto inertia = take<double>(9 * bodies), v0 = take<double>(6 * bodies), r = take<double>(3 * n);

    std::vector<double> u(3 * n), mover(8 * (bodies + 1)), last_mover(mover.size()), p(96 * blocks), last_p(p.size());
    std::vector<double> change(blocks), sums(SUMS * (n / 32 + 1)), scratch(SUMS * ((n + blocks) / 16 + 64));
    std::vector<u32> body(64 * blocks);
    State state = {};
    Job job = {(u32)n, (u32)bodies, (u32)blocks, head[3], head[4], 7, 0, 0, tolerance[0], colour.data(), slot.data(),
               number.data(), pair.data(), H.data(), w.data(), mu.data(), b.data(), rho.data(), mass.data(), inertia.data(),
               v0.data(), start.data(), held.data(), r.data(), u.data(), mover.data(), last_mover.data(), body.data(),
               p.data(), last_p.data(), change.data(), sums.data(), scratch.data(), &state, nullptr};
    while (!state.done) {
        // launches of different length, as a device may have them
        job.budget = job.budget % 50 + 7;
        std::barrier<> all(warps);
        meeting = &all;
        std::vector<std::thread> team;
        for (u32 k = 0; k < warps; ++k)
            team.emplace_back([&job, k, warps, &head] {
                Place place = {k, warps, [] { meeting->arrive_and_wait(); }};
                head[5] ? Team<Solids>::iterate(job, place) : Team<Balls>::iterate(job, place);
            });
        for (auto& thread : team) thread.join();
    }
    give(&state.iterations, 1);
    double residuals[2] = {state.plain, state.scaled};
    give(residuals, 2);
    give(r.data(), r.size());
    give(u.data(), u.size());
    give(mover.data(), 8 * bodies);
}
