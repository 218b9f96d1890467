// Coloured sweeps over contacts with friction, as percussion-solve does them on threads: the same operations in the same order, so the same bits.
//
//   for each contact of a colour   p <- p + omega (p* - p),   v <- v + M^-1 H^T dp
//   after a sweep                  p <- p + beta (p - p_last),   v likewise
//
// One launch is a team: every warp takes blocks of 32 contacts, and all wait for each other after each colour. What the team decides (beta,
// when to look at the residuals, when to stop) every warp computes for itself from sums by a fixed tree. Operations must not be contracted
// into fused ones, and division and square root must be rounded correctly: NVRTC with --fmad=false, a host compiler with -ffp-contract=off.
// Compiled as C++ a warp is a loop over its 32 lanes; tests/host.cpp runs that.

typedef unsigned int u32;

#ifdef __CUDACC__
#define DEVICE __device__ __forceinline__
#define DEVICE_MEMBER static __device__ __forceinline__
// lanes of a warp that this thread stands for
#define HERE 1
#define PERCUSSION_FOREVER (1.0 / 0.0)
#else
#include <cmath>
#include <cstddef>
#define DEVICE static inline
#define DEVICE_MEMBER static inline
#define HERE 32
#define PERCUSSION_FOREVER (HUGE_VAL)
#endif

const u32 WARP = 32;
const u32 NONE = 0xffffffffu;
// as in packet_team.rs
const u32 LOOK = 40;
const u32 PATIENCE = 250;
const double SHORT = 0.7;
// as in momentum.rs and residual.rs
const double GROWTH = 1.1;
const double EXCUSED = 1e3;
const double ROUND_OFF = 2.220446049250313e-16;
const double SMALLEST = 2.2250738585072014e-308;
const u32 SUMS = 7;

// Where an iteration stands between two launches.
struct State {
    double change, light, omega, best, beta, t, last, plain, scaled;
    u32 iterations, looked, improved, calm, begun, done;
};

// Everything a launch is given; arrays of the problem first, work memory after.
struct Job {
    u32 contacts, bodies, blocks, colours;
    u32 limit, budget, finish, pad;
    double tolerance;
    const u32* colour;       // first block of each colour, and the end of the last; the last colour is one warp's
    const u32* slot;         // contact of each lane of each block
    const double* number;    // [block][field][lane]
    const u32* pair;         // bodies of each contact, NONE where there is none
    const double* H;         // [contact][side][row][6]
    const double* w;         // [contact][3]
    const double* mu;
    const double* b;
    const double* rho;
    const double* inverse_mass;
    const double* inverse_inertia;  // [body][9]
    const double* v0;        // [body][6]
    const u32* start;        // contacts of each body ...
    const u32* held;         // ... as 2 i + side
    double* r;               // [contact][3]: first guess, answer
    double* u;
    double* mover;           // [body][8]: velocity, 1/m, angular velocity, 1/I; the ground last
    double* last_mover;
    u32* body;               // [block][side][lane]
    double* p;               // [block][3][lane]
    double* last_p;
    double* change;          // of each block
    double* sums;            // [7][blocks of contacts]
    double* scratch;
    State* state;
    u32* barrier;
};

// Which warp of how many.
struct Place {
    u32 warp, warps;
#ifndef __CUDACC__
    void (*wait)();
#endif
};

DEVICE u32 lane_of(u32 k) {
#ifdef __CUDACC__
    return k + (threadIdx.x & 31u);
#else
    return k;
#endif
}

// All wait for the last; what was written before is seen after.
DEVICE void wait(const Job& job, const Place& place) {
#ifdef __CUDACC__
    __syncthreads();
    if (threadIdx.x == 0) {
        volatile u32* round = job.barrier + 1;
        u32 now = *round;
        __threadfence();
        if (atomicAdd(job.barrier, 1u) == gridDim.x - 1) {
            job.barrier[0] = 0;
            __threadfence();
            *round = now + 1;
        } else {
            while (*round == now) {
            }
        }
        __threadfence();
    }
    __syncthreads();
#else
    (void)job;
    place.wait();
#endif
}

// The sum over the lanes of a warp: x_k + x_{k+16}, then 8, 4, 2, 1.
DEVICE double halved(double* x) {
#ifdef __CUDACC__
    double sum = x[0];
    for (u32 half = WARP / 2; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);
    return __shfl_sync(0xffffffffu, sum, 0);
#else
    for (u32 half = WARP / 2; half > 0; half /= 2)
        for (u32 k = 0; k < half; ++k) x[k] += x[k + half];
    return x[0];
#endif
}

// Between two packets of one warp that may share a body.
DEVICE void settle_warp() {
#ifdef __CUDACC__
    __threadfence_block();
    __syncwarp();
#endif
}

DEVICE bool first_lane(u32 k) { return lane_of(k) == 0; }
DEVICE double larger(double a, double b) { return a > b ? a : b; }

// Sums of `lists` lists of `count` numbers each by the fixed tree, known to every warp.
DEVICE void tree_sums(const Job& job, const Place& place, const double* list, u32 lists, u32 count, double* out) {
    double* next_list = job.scratch;
    while (count > WARP * WARP) {
        u32 next = (count + WARP - 1) / WARP;
        for (u32 g = place.warp; g < next * lists; g += place.warps) {
            u32 q = g / next, group = g % next;
            double x[HERE];
            for (u32 k = 0; k < HERE; ++k) {
                u32 at = WARP * group + lane_of(k);
                x[k] = at < count ? list[(size_t)q * count + at] : 0.0;
            }
            double sum = halved(x);
            for (u32 k = 0; k < HERE; ++k)
                if (first_lane(k)) next_list[(size_t)q * next + group] = sum;
        }
        wait(job, place);
        list = next_list;
        next_list += (size_t)lists * next;
        count = next;
    }
    for (u32 q = 0; q < lists; ++q) {
        double keep[HERE] = {0.0};
        for (u32 group = 0; WARP * group < count; ++group) {
            double x[HERE];
            for (u32 k = 0; k < HERE; ++k) {
                u32 at = WARP * group + lane_of(k);
                x[k] = at < count ? list[(size_t)q * count + at] : 0.0;
            }
            double sum = halved(x);
            for (u32 k = 0; k < HERE; ++k)
                if (lane_of(k) == group) keep[k] = sum;
        }
        out[q] = halved(keep);
    }
}

// A body's velocity and angular velocity.
struct Mover {
    double v[3], m, w[3], j;
};

DEVICE Mover get(const Job& job, u32 body) {
    Mover x;
    const double* at = job.mover + 8 * (size_t)body;
#ifdef __CUDACC__
    const double2* two = (const double2*)at;
    double2 a = two[0], b = two[1], c = two[2], d = two[3];
    x.v[0] = a.x, x.v[1] = a.y, x.v[2] = b.x, x.m = b.y, x.w[0] = c.x, x.w[1] = c.y, x.w[2] = d.x, x.j = d.y;
#else
    for (u32 k = 0; k < 3; ++k) x.v[k] = at[k], x.w[k] = at[4 + k];
    x.m = at[3], x.j = at[7];
#endif
    return x;
}

DEVICE void put(const Job& job, u32 body, const Mover& x) {
    // the ground does not move
    if (body == job.bodies) return;
    double* at = job.mover + 8 * (size_t)body;
#ifdef __CUDACC__
    double2* two = (double2*)at;
    two[0] = make_double2(x.v[0], x.v[1]);
    two[1] = make_double2(x.v[2], x.m);
    two[2] = make_double2(x.w[0], x.w[1]);
    two[3] = make_double2(x.w[2], x.j);
#else
    for (u32 k = 0; k < 3; ++k) at[k] = x.v[k], at[4 + k] = x.w[k];
#endif
}

DEVICE double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

DEVICE void cross(const double* a, const double* b, double* c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

DEVICE double positive(double x) { return x > 0.0 ? x : 0.0; }

// What brings a vector of that square into the disk.
DEVICE double cut(double square, double bound) { return square > bound * bound ? bound / sqrt(square) : 1.0; }

// Numbers that are read once in a sweep do not push the bodies out of the cache.
DEVICE double once(const double* x) {
#ifdef __CUDACC__
    return __ldcs(x);
#else
    return *x;
#endif
}

// packet_ball.rs
struct Balls {
    static const u32 FIELDS = 11;

    DEVICE_MEMBER double visit(const Job& job, const double* field, u32 a, u32 b, double* p, double omega) {
        double n[3], w[3];
        for (u32 j = 0; j < 3; ++j) n[j] = once(field + WARP * j), w[j] = once(field + WARP * (5 + j));
        double arm_a = once(field + WARP * 3), arm_b = once(field + WARP * 4);
        double mass_n = once(field + WARP * 8), mass_t = once(field + WARP * 9), mu = once(field + WARP * 10);
        Mover A = get(job, a), B = get(job, b);
        double roll[3], turn[3], u[3], x[3], delta[3], moment[3];
        for (u32 j = 0; j < 3; ++j) roll[j] = arm_a * A.w[j] + arm_b * B.w[j];
        cross(roll, n, turn);
        for (u32 j = 0; j < 3; ++j) u[j] = A.v[j] - B.v[j] - turn[j] + w[j];

        double u_n = dot(u, n), p_n = dot(p, n);
        double normal = positive(p_n - mass_n * u_n);
        for (u32 j = 0; j < 3; ++j) x[j] = (p[j] - p_n * n[j]) - mass_t * (u[j] - u_n * n[j]);
        double keep = cut(dot(x, x), mu * normal);
        for (u32 j = 0; j < 3; ++j) delta[j] = omega * (normal * n[j] + keep * x[j] - p[j]);
        for (u32 j = 0; j < 3; ++j) p[j] = p[j] + delta[j];

        cross(n, delta, moment);
        double turn_a = arm_a * A.j, turn_b = arm_b * B.j;
        for (u32 j = 0; j < 3; ++j) {
            A.v[j] = A.v[j] + A.m * delta[j];
            A.w[j] = A.w[j] - turn_a * moment[j];
            B.v[j] = B.v[j] - B.m * delta[j];
            B.w[j] = B.w[j] - turn_b * moment[j];
        }
        put(job, a, A);
        put(job, b, B);
        return dot(delta, delta);
    }

    // n, s, t of contact i
    DEVICE_MEMBER void directions(const Job& job, u32 i, double d[3][3]) {
        u32 side = job.pair[2 * (size_t)i] == NONE ? 1 : 0;
        double sign = side == 0 ? 1.0 : -1.0;
        const double* rows = job.H + 36 * (size_t)i + 18 * side;
        for (u32 k = 0; k < 3; ++k)
            for (u32 j = 0; j < 3; ++j) d[k][j] = sign * rows[6 * k + j];
    }

    DEVICE_MEMBER void impulse(const Job& job, u32 i, const double* r, double* p) {
        double d[3][3];
        directions(job, i, d);
        for (u32 j = 0; j < 3; ++j) p[j] = r[0] * d[0][j] + r[1] * d[1][j] + r[2] * d[2][j];
    }

    DEVICE_MEMBER void components(const Job& job, u32 i, const double* p, double* r) {
        double d[3][3];
        directions(job, i, d);
        for (u32 k = 0; k < 3; ++k) r[k] = dot(p, d[k]);
    }
};

// packet_solid.rs
struct Solids {
    static const u32 FIELDS = 57;

    DEVICE_MEMBER double visit(const Job& job, const double* field, u32 a, u32 b, double* p, double omega) {
        const double* D = field;
        const double* A_a = field + WARP * 9;
        const double* A_b = field + WARP * 18;
        const double* Y_a = field + WARP * 27;
        const double* Y_b = field + WARP * 36;
        const double* rest = field + WARP * 45;
        Mover A = get(job, a), B = get(job, b);
        double v[3], u[3], d[9];
        for (u32 k = 0; k < 9; ++k) d[k] = once(D + WARP * k);
        for (u32 j = 0; j < 3; ++j) v[j] = A.v[j] - B.v[j];
        for (u32 k = 0; k < 3; ++k) {
            double x[3], y[3];
            for (u32 j = 0; j < 3; ++j) x[j] = once(A_a + WARP * (3 * k + j)), y[j] = once(A_b + WARP * (3 * k + j));
            u[k] = dot(d + 3 * k, v) + dot(x, A.w) + dot(y, B.w) + once(rest + WARP * k);
        }
        double mass_n = once(rest + WARP * 3), mass_t = once(rest + WARP * 4);
        double normal = positive(p[0] - mass_n * u[0]);
        double change = normal - p[0];
        double u_s = u[1] + once(rest + WARP * 5) * change, u_t = u[2] + once(rest + WARP * 6) * change;
        double bound = once(rest + WARP * 11) * normal;
        double x = p[1] - (once(rest + WARP * 7) * u_s + once(rest + WARP * 8) * u_t);
        double y = p[2] - (once(rest + WARP * 9) * u_s + once(rest + WARP * 10) * u_t);
        bool slips = x * x + y * y > bound * bound;
        double c = p[1] - mass_t * u_s, e = p[2] - mass_t * u_t;
        double keep = cut(c * c + e * e, bound);
        double next[3] = {normal, slips ? keep * c : x, slips ? keep * e : y}, delta[3], push[3];
        for (u32 k = 0; k < 3; ++k) delta[k] = omega * (next[k] - p[k]);
        for (u32 k = 0; k < 3; ++k) p[k] = p[k] + delta[k];

        for (u32 j = 0; j < 3; ++j) push[j] = d[j] * delta[0] + d[3 + j] * delta[1] + d[6 + j] * delta[2];
        for (u32 j = 0; j < 3; ++j) {
            A.v[j] = A.v[j] + A.m * push[j];
            B.v[j] = B.v[j] - B.m * push[j];
        }
        for (u32 k = 0; k < 3; ++k)
            for (u32 j = 0; j < 3; ++j) {
                A.w[j] = A.w[j] + delta[k] * once(Y_a + WARP * (3 * k + j));
                B.w[j] = B.w[j] + delta[k] * once(Y_b + WARP * (3 * k + j));
            }
        put(job, a, A);
        put(job, b, B);
        return dot(delta, delta);
    }

    DEVICE_MEMBER void impulse(const Job&, u32, const double* r, double* p) {
        for (u32 k = 0; k < 3; ++k) p[k] = r[k];
    }

    DEVICE_MEMBER void components(const Job&, u32, const double* p, double* r) {
        for (u32 k = 0; k < 3; ++k) r[k] = p[k];
    }
};

// The nearest point of Coulomb's cone (cone.rs).
DEVICE void project(double mu, const double* x, double* y) {
    double square = 0.0;
    for (u32 k = 1; k < 3; ++k) square += x[k] * x[k];
    double size = sqrt(square);
    y[0] = y[1] = y[2] = 0.0;
    if (mu * size <= -x[0]) return;
    if (size <= mu * x[0]) {
        for (u32 k = 0; k < 3; ++k) y[k] = x[k];
        return;
    }
    y[0] = (mu * size + x[0]) / (1.0 + mu * mu);
    double along = size > 0.0 ? mu * y[0] / size : 0.0;
    for (u32 k = 1; k < 3; ++k) y[k] = along * x[k];
}

// |r - P(r - rho (u + shift n))|^2
DEVICE double natural(double mu, const double* r, const double* u, double rho) {
    double x[3], y[3], sum = 0.0;
    x[0] = r[0] - rho * (u[0] + mu * sqrt(u[1] * u[1] + u[2] * u[2]));
    for (u32 k = 1; k < 3; ++k) x[k] = r[k] - rho * u[k];
    project(mu, x, y);
    for (u32 k = 0; k < 3; ++k) sum += (r[k] - y[k]) * (r[k] - y[k]);
    return sum;
}

// sqrt(sum/scale) (residual.rs)
DEVICE double relative(double sum, double scale) {
    if (sum == 0.0) return 0.0;
    return scale > SMALLEST ? sqrt(sum / scale) : sqrt(sum);
}

// v0 + M^-1 H^T r of one body, over its contacts in their order.
DEVICE void exact_velocity(const Job& job, u32 body) {
    double f[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (u32 at = job.start[body]; at < job.start[body + 1]; ++at) {
        u32 code = job.held[at];
        const double* r = job.r + 3 * (size_t)(code / 2);
        if (r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0) continue;
        const double* rows = job.H + 18 * (size_t)code;
        for (u32 k = 0; k < 3; ++k)
            for (u32 j = 0; j < 6; ++j) f[j] += r[k] * rows[6 * k + j];
    }
    double m = job.inverse_mass[body];
    const double* J = job.inverse_inertia + 9 * (size_t)body;
    const double* v0 = job.v0 + 6 * (size_t)body;
    double* x = job.mover + 8 * (size_t)body;
    for (u32 j = 0; j < 3; ++j) {
        x[j] = v0[j] + m * f[j];
        x[4 + j] = v0[3 + j] + (J[3 * j] * f[3] + J[3 * j + 1] * f[4] + J[3 * j + 2] * f[5]);
    }
}

// Velocity of contact i into u, and its seven squares.
DEVICE void judge_contact(const Job& job, u32 i, double* squares) {
    double u[3] = {0.0, 0.0, 0.0};
    for (u32 side = 0; side < 2; ++side) {
        u32 body = job.pair[2 * (size_t)i + side];
        if (body == NONE) continue;
        const double* rows = job.H + 36 * (size_t)i + 18 * side;
        const double* x = job.mover + 8 * (size_t)body;
        for (u32 k = 0; k < 3; ++k) {
            const double* h = rows + 6 * k;
            u[k] += h[0] * x[0] + h[1] * x[1] + h[2] * x[2] + h[3] * x[4] + h[4] * x[5] + h[5] * x[6];
        }
    }
    const double *r = job.r + 3 * (size_t)i, *b = job.b + 3 * (size_t)i;
    double mu = job.mu[i], rho = job.rho[i];
    for (u32 k = 0; k < 3; ++k) {
        u[k] = u[k] + job.w[3 * (size_t)i + k];
        job.u[3 * (size_t)i + k] = u[k];
    }
    double closing = rho * (u[0] < 0.0 ? u[0] : 0.0);
    squares[0] = natural(mu, r, u, 1.0);
    squares[1] = natural(mu, r, u, rho);
    squares[2] = closing * closing;
    for (u32 q = 3; q < SUMS; ++q) squares[q] = 0.0;
    for (u32 k = 0; k < 3; ++k) {
        squares[3] += b[k] * b[k];
        squares[4] += r[k] * r[k];
        squares[5] += u[k] * u[k];
        squares[6] += (rho * b[k]) * (rho * b[k]);
    }
}

// Both residuals from the seven sums.
DEVICE void residuals(const double* s, State& state) {
    double total = s[0] + s[1] + s[3] + s[4] + s[5] + s[6];
    if (!(total - total == 0.0)) {
        state.plain = state.scaled = PERCUSSION_FOREVER;
        return;
    }
    double lost = ROUND_OFF * ROUND_OFF * s[4];
    double least = relative(larger(larger(s[1], s[2]), lost), s[6]) / EXCUSED;
    double scaled = larger(relative(s[1], larger(s[4], s[6])), least);
    state.plain = relative(s[0], larger(larger(s[3], s[4]), s[5]));
    state.scaled = scaled;
}

DEVICE double worst(const State& state) { return larger(state.plain, state.scaled); }

template <class Kind>
struct Team {
    // First guesses inside their cones, bodies at rest in their free motion.
    DEVICE_MEMBER void begin(const Job& job, const Place& place) {
        for (u32 block = place.warp; block < job.blocks; block += place.warps)
            for (u32 k = 0; k < HERE; ++k) {
                u32 lane = lane_of(k), i = job.slot[WARP * (size_t)block + lane];
                double r[3], p[3] = {0.0, 0.0, 0.0};
                for (u32 side = 0; side < 2; ++side) {
                    u32 body = i == NONE ? NONE : job.pair[2 * (size_t)i + side];
                    job.body[(2 * (size_t)block + side) * WARP + lane] = body == NONE ? job.bodies : body;
                }
                if (i != NONE) {
                    project(job.mu[i], job.r + 3 * (size_t)i, r);
                    Kind::impulse(job, i, r, p);
                }
                for (u32 j = 0; j < 3; ++j) {
                    size_t at = (3 * (size_t)block + j) * WARP + lane;
                    job.p[at] = p[j];
                    job.last_p[at] = p[j];
                }
            }
        for (u32 first = WARP * place.warp; first <= job.bodies; first += WARP * place.warps)
            for (u32 k = 0; k < HERE; ++k) {
                u32 body = first + lane_of(k);
                if (body > job.bodies) continue;
                double* x = job.mover + 8 * (size_t)body;
                for (u32 j = 0; j < 8; ++j) x[j] = 0.0;
                if (body == job.bodies) continue;
                for (u32 j = 0; j < 3; ++j) {
                    x[j] = job.v0[6 * (size_t)body + j];
                    x[4 + j] = job.v0[6 * (size_t)body + 3 + j];
                }
                x[3] = job.inverse_mass[body];
                x[7] = job.inverse_inertia[9 * (size_t)body];
            }
        wait(job, place);
    }

    DEVICE_MEMBER double visit(const Job& job, u32 block, u32 lane, const State& state) {
        if (job.slot[WARP * (size_t)block + lane] == NONE) return 0.0;
        double* p_at = job.p + 3 * (size_t)block * WARP + lane;
        double* last_at = job.last_p + 3 * (size_t)block * WARP + lane;
        u32 a = job.body[2 * (size_t)block * WARP + lane], b = job.body[(2 * (size_t)block + 1) * WARP + lane];
        double p[3];
        for (u32 j = 0; j < 3; ++j) {
            double now = p_at[WARP * j];
            p[j] = now;
            if (state.iterations > 0) {
                // what the momentum made of the last sweep
                p[j] = now + (now - last_at[WARP * j]) * state.beta;
                last_at[WARP * j] = now;
            }
        }
        double change = Kind::visit(job, job.number + (size_t)Kind::FIELDS * WARP * block + lane, a, b, p, state.omega);
        for (u32 j = 0; j < 3; ++j) p_at[WARP * j] = p[j];
        return change;
    }

    // All contacts once; |dp|^2.
    DEVICE_MEMBER double sweep(const Job& job, const Place& place, const State& state) {
        for (u32 c = 0; c < job.colours; ++c) {
            bool lone = c + 1 == job.colours;
            u32 begin = job.colour[c], end = job.colour[c + 1];
            if (lone && place.warp > 0) begin = end;
            for (u32 block = begin + place.warp; block < end; block += lone ? 1 : place.warps) {
                double change[HERE];
                for (u32 k = 0; k < HERE; ++k) {
                    change[k] = 0.0;
                    if (!lone) change[k] = visit(job, block, lane_of(k), state);
                }
                // what found no colour: four at a time
                for (u32 packet = 0; lone && packet < WARP / 4; ++packet) {
                    for (u32 k = 0; k < HERE; ++k)
                        if (lane_of(k) / 4 == packet) change[k] = visit(job, block, lane_of(k), state);
                    settle_warp();
                }
                double sum = halved(change);
                for (u32 k = 0; k < HERE; ++k)
                    if (first_lane(k)) job.change[block] = sum;
            }
            wait(job, place);
        }
        double sum;
        tree_sums(job, place, job.change, 1, job.blocks, &sum);
        return sum;
    }

    // The bodies' part of p <- p + beta (p - p_last); that of the impulses waits for their next visit.
    DEVICE_MEMBER void extrapolate(const Job& job, const Place& place, double beta, bool start) {
        for (u32 first = WARP * place.warp; first < job.bodies; first += WARP * place.warps)
            for (u32 k = 0; k < HERE; ++k) {
                u32 body = first + lane_of(k);
                if (body >= job.bodies) continue;
                double *x = job.mover + 8 * (size_t)body, *last = job.last_mover + 8 * (size_t)body;
                for (u32 j = 0; j < 7; ++j) {
                    if (j == 3) continue;
                    double now = x[j];
                    if (!start) x[j] = now + beta * (now - last[j]);
                    last[j] = now;
                }
            }
        wait(job, place);
    }

    // Impulses and exact velocities of the present sweep, and the residuals.
    DEVICE_MEMBER void judge(const Job& job, const Place& place, State& state) {
        for (u32 block = place.warp; block < job.blocks; block += place.warps)
            for (u32 k = 0; k < HERE; ++k) {
                u32 lane = lane_of(k), i = job.slot[WARP * (size_t)block + lane];
                if (i == NONE) continue;
                double p[3], r[3];
                for (u32 j = 0; j < 3; ++j) p[j] = job.p[(3 * (size_t)block + j) * WARP + lane];
                Kind::components(job, i, p, r);
                if (r[0] <= 0.0) r[0] = r[1] = r[2] = 0.0;
                for (u32 j = 0; j < 3; ++j) job.r[3 * (size_t)i + j] = r[j];
            }
        wait(job, place);
        for (u32 first = WARP * place.warp; first < job.bodies; first += WARP * place.warps)
            for (u32 k = 0; k < HERE; ++k)
                if (first + lane_of(k) < job.bodies) exact_velocity(job, first + lane_of(k));
        wait(job, place);
        u32 groups = (job.contacts + WARP - 1) / WARP;
        for (u32 group = place.warp; group < groups; group += place.warps) {
            double squares[SUMS][HERE];
            for (u32 k = 0; k < HERE; ++k) {
                double own[SUMS] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
                u32 i = WARP * group + lane_of(k);
                if (i < job.contacts) judge_contact(job, i, own);
                for (u32 q = 0; q < SUMS; ++q) squares[q][k] = own[q];
            }
            for (u32 q = 0; q < SUMS; ++q) {
                double sum = halved(squares[q]);
                for (u32 k = 0; k < HERE; ++k)
                    if (first_lane(k)) job.sums[(size_t)q * groups + group] = sum;
            }
        }
        wait(job, place);
        double sums[SUMS];
        tree_sums(job, place, job.sums, SUMS, groups, sums);
        residuals(sums, state);
    }

    // beta after a sweep (momentum.rs).
    DEVICE_MEMBER double momentum(State& state, double change) {
        bool grew = change > GROWTH * state.last;
        state.last = change;
        if (grew) {
            state.t = larger(0.5 * state.t, 1.0);
            return 0.0;
        }
        double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * state.t * state.t));
        double beta = (state.t - 1.0) / next;
        state.t = next;
        return beta;
    }

    // Where the residuals stop falling the momentum ends, then updates are shortened (packet_team.rs).
    DEVICE_MEMBER void look(const Job& job, const Place& place, State& state, double change) {
        state.looked = state.iterations;
        judge(job, place, state);
        if (worst(state) <= job.tolerance) return;
        double part = job.tolerance / worst(state);
        part = part < 0.02 ? 0.02 : part > 0.9 ? 0.9 : part;
        state.light = change * (part * part);
        if (worst(state) < 0.67 * state.best) {
            state.best = worst(state);
            state.improved = state.iterations;
        } else if (state.iterations - state.improved >= PATIENCE) {
            state.omega = state.calm ? SHORT : 1.0;
            state.calm = 1;
            state.improved = state.iterations;
        }
    }

    // Sweeps until both residuals are within the tolerance, or the budget of this launch is spent.
    DEVICE_MEMBER void iterate(const Job& job, const Place& place) {
        State state = *job.state;
        if (!state.begun) {
            begin(job, place);
            state.omega = 1.0, state.t = 1.0, state.beta = 0.0;
            state.last = state.light = PERCUSSION_FOREVER;
            state.iterations = state.looked = state.improved = state.calm = state.done = 0;
            state.begun = 1;
            judge(job, place, state);
            state.best = worst(state);
            extrapolate(job, place, 0.0, true);
        }
        u32 budget = job.budget;
        bool judged = false;
        while (!job.finish && budget > 0) {
            if (state.iterations >= job.limit || worst(state) <= job.tolerance) {
                state.done = 1;
                break;
            }
            double change = sweep(job, place, state);
            judged = false;
            --budget;
            ++state.iterations;
            state.change = change;
            if (!(change - change == 0.0)) {
                state.done = 1;
                break;
            }
            if (change <= state.light || state.iterations - state.looked >= LOOK || state.iterations == job.limit) {
                look(job, place, state, change);
                judged = true;
                if (worst(state) <= job.tolerance) {
                    state.done = 1;
                    break;
                }
            }
            if (state.iterations == job.limit) {
                state.done = 1;
                break;
            }
            double beta = momentum(state, change);
            state.beta = state.calm ? 0.0 : beta;
            extrapolate(job, place, state.beta, false);
        }
        if ((state.done || job.finish) && !judged) judge(job, place, state);
        // everybody has read the state
        wait(job, place);
        for (u32 k = 0; k < HERE; ++k)
            if (place.warp == 0 && first_lane(k)) *job.state = state;
    }
};

#ifdef __CUDACC__
DEVICE Place here() {
    Place place;
    place.warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    place.warps = gridDim.x * blockDim.x / WARP;
    return place;
}

extern "C" __global__ void __launch_bounds__(THREADS, TEAMS) sweep_balls(const Job job) {
    Team<Balls>::iterate(job, here());
}

extern "C" __global__ void __launch_bounds__(THREADS, TEAMS) sweep_solids(const Job job) {
    Team<Solids>::iterate(job, here());
}
#endif
