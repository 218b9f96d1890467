"""Spin-up of the blade of Simo and Vu-Quoc (1987) without Percussion: how far its tip lags behind the hub at most. Needs numpy and scipy.

  nonlinear   planar Reissner beam, Lagrange elements of order p with p Gauss points, generalized-alpha (spectral radius 0.9)
  hub_frame   small deflections in the hub's frame with w^2 K_G of the tension m w^2 (L^2 - x^2)/2, midpoint rule
  mean_frame  Craig-Bampton modes in the mean frame, T exact, w^2 K_G, the root's turn by `turn` of its modal coordinate, Radau
"""
import numpy as np
import scipy.linalg as sl
from scipy.integrate import solve_ivp

L, EA, GA, EI, M, J = 10.0, 2.8e7, 1e7, 1.4e4, 1.2, 6e-4


def hub(t):
    """Angle, rate and acceleration of the hub."""
    if t >= 15:
        return 6 * t - 45, 6.0, 0.0
    k = 2 * np.pi / 15
    return 0.4 * (t * t / 2 + (np.cos(k * t) - 1) / k**2), 0.4 * (t - np.sin(k * t) / k), 0.4 * (1 - np.cos(k * t))


class Mesh:
    def __init__(self, p, n):
        g, w = np.polynomial.legendre.leggauss(p)
        gm, wm = np.polynomial.legendre.leggauss(p + 1)
        inner = np.polynomial.legendre.legroots(np.polynomial.legendre.legder([0] * p + [1])) if p > 1 else []
        x = np.concatenate([[-1], np.sort(inner), [1]])
        shape, l = np.linalg.inv(np.vander(x, p + 1)), L / n
        self.p, self.n, self.nodes, self.w = p, n, p * n + 1, w * l / 2
        self.N = np.vander(g, p + 1) @ shape
        self.D = np.array([np.polyval(np.polyder(c), g) for c in shape.T]).T * 2 / l
        self.conn = np.array([[p * e + i for i in range(p + 1)] for e in range(n)])
        self.X = np.zeros(self.nodes)
        self.mass = np.zeros((self.nodes, self.nodes))
        Nm = np.vander(gm, p + 1) @ shape
        for e, c in enumerate(self.conn):
            self.X[c] = l * (e + (x + 1) / 2)
            self.mass[np.ix_(c, c)] += Nm.T @ ((wm * l / 2)[:, None] * Nm)

    def inertia(self):
        out = np.zeros((3 * self.nodes,) * 2)
        for k, a in enumerate((M, M, J)):
            out[k::3, k::3] = a * self.mass
        return out


def forces(S, q, tangent):
    """Elastic forces, and their derivative where it is asked for."""
    nj, dof = S.p + 1, (3 * S.conn[:, :, None] + np.arange(3)).reshape(S.n, -1)
    Q = q.reshape(-1, 3)[S.conn]
    d, th = np.einsum("gj,ejk->egk", S.D, Q), np.einsum("gj,ej->eg", S.N, Q[:, :, 2])
    c, s, x, y = np.cos(th), np.sin(th), d[..., 0], d[..., 1]
    e1, e2 = c * x + s * y - 1, -s * x + c * y
    n1, n2 = EA * e1, GA * e2
    B = np.zeros((S.n, S.p, 3, nj, 3))
    B[:, :, 0, :, 0], B[:, :, 0, :, 1], B[:, :, 0, :, 2] = c[..., None] * S.D, s[..., None] * S.D, e2[..., None] * S.N
    B[:, :, 1, :, 0], B[:, :, 1, :, 1], B[:, :, 1, :, 2] = -s[..., None] * S.D, c[..., None] * S.D, -(e1 + 1)[..., None] * S.N
    B[:, :, 2, :, 2] = S.D
    B = B.reshape(S.n, S.p, 3, -1)
    f, K = np.zeros(q.size), np.zeros((q.size,) * 2 if tangent else (0, 0))
    np.add.at(f, dof.ravel(), np.einsum("g,egi,egia->ea", S.w, np.stack([n1, n2, EI * d[..., 2]], -1), B).ravel())
    if tangent:
        Ke = np.einsum("g,egia,i,egib->eab", S.w, B, [EA, GA, EI], B).reshape(S.n, nj, 3, nj, 3)
        for k, h in ((0, -s * n1 - c * n2), (1, c * n1 - s * n2)):
            G = np.einsum("g,eg,gj,gk->ejk", S.w, h, S.D, S.N)
            Ke[:, :, k, :, 2] += G
            Ke[:, :, 2, :, k] += G.transpose(0, 2, 1)
        Ke[:, :, 2, :, 2] += np.einsum("g,eg,gj,gk->ejk", S.w, -n1 * (e1 + 1) - n2 * e2, S.N, S.N)
        for e, own in enumerate(Ke.reshape(S.n, 3 * nj, 3 * nj)):
            K[np.ix_(dof[e], dof[e])] += own
    return f, K


def nonlinear(p, n, h, T=7.5, rho=0.9):
    S = Mesh(p, n)
    mass, free = S.inertia(), slice(3, None)
    q = np.zeros(3 * S.nodes)
    q[0::3] = S.X
    v, a, al = np.zeros((3, q.size))
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    ga, be = 0.5 - am + af, 0.25 * (1 - am + af) ** 2
    bp, gp, least = (1 - am) / (h * h * be * (1 - af)), ga / (h * be), (0.0, 0.0)
    for i in range(round(T / h)):
        th, _, acceleration = hub((i + 1) * h)
        al1 = (af * a - am * al) / (1 - am)
        q, v, a1 = q + h * v + h * h * ((0.5 - be) * al + be * al1), v + h * ((1 - ga) * al + ga * al1), np.zeros(q.size)
        told = np.array([0, 0, th]) - q[:3]
        q[:3] += told
        v[:3] += gp * told
        a1[:3] = 0, 0, acceleration
        for _ in range(12):
            f, K = forces(S, q, True)
            d = -np.linalg.solve((bp * mass + K)[free, free], (mass @ a1 + f)[free])
            q[free] += d
            v[free] += gp * d
            a1[free] += bp * d
            if abs(d).max() < 1e-12:
                break
        a, al = a1, ((1 - af) * a1 + af * a - am * al) / (1 - am)
        least = min(least, (-np.sin(th) * q[-3] + np.cos(th) * q[-2], (i + 1) * h))
    return least


def hub_frame(p, n, h, T=7.5):
    S, least = Mesh(p, n), (0.0, 0.0)
    K, KG, mass, Y = np.zeros((4,) + (3 * S.nodes,) * 2)
    for c in S.conn:
        own = (3 * c[:, None] + np.arange(3)).ravel()
        Bv = np.zeros((p, own.size))
        Bv[:, 1::3], Bv[:, 2::3] = S.D, -S.N
        K[np.ix_(own, own)] += GA * Bv.T @ (S.w[:, None] * Bv)
        for k, a in ((0, EA), (2, EI)):
            K[np.ix_(3 * c + k, 3 * c + k)] += a * S.D.T @ (S.w[:, None] * S.D)
        tension = 0.5 * M * (L * L - (S.N @ S.X[c]) ** 2)
        KG[np.ix_(3 * c + 1, 3 * c + 1)] += S.D.T @ ((S.w * tension)[:, None] * S.D)
    mass, around = S.inertia(), S.inertia()
    around[2::3, 2::3] = 0
    Y[0::3, 1::3], Y[1::3, 0::3] = -M * S.mass, M * S.mass
    out, across = np.zeros((2, 3 * S.nodes))
    out[0::3], across[1::3], across[2::3] = M * S.mass @ S.X, -M * S.mass @ S.X, -J * S.mass.sum(1)
    mass, Y, K, soft = (A[3:, 3:] for A in (mass, Y, K, KG - around))
    q, v = np.zeros((2, len(K)))
    for i in range(round(T / h)):
        _, w, dw = hub((i + 0.5) * h)
        at = K + w * w * soft + dw * Y
        mean = np.linalg.solve(2 * mass / h + 2 * w * Y + at * h / 2, 2 * mass @ v / h + w * w * out[3:] + dw * across[3:] - at @ q)
        q, v = q + h * mean, 2 * mean - v
        least = min(least, (q[-2], (i + 1) * h))
    return least


def mean_frame(n, fixed, turn):
    """`turn` of x = psi eta, with its first two derivatives; one-point elements, lumped mass."""
    l, N = L / n, 3 * (n + 1)
    K, G, m = np.zeros((N, N)), np.zeros((N, N)), np.zeros(N)
    for e in range(n):
        B = np.zeros((3, 6))
        B[range(3), range(3)], B[range(3), range(3, 6)], B[1, [2, 5]] = -1 / l, 1 / l, -0.5
        own = slice(3 * e, 3 * e + 6)
        K[own, own] += l * B.T @ np.diag([EA, GA, EI]) @ B
        k = 0.5 * M * (L * L - (l * (e + 0.5)) ** 2) / l
        G[np.ix_([3 * e + 1, 3 * e + 4], [3 * e + 1, 3 * e + 4])] += k * np.array([[1, -1], [-1, 1]])
        m[own] += np.tile([M * l / 2, M * l / 2, J * l / 2], 2)
    ends, inner = [0, 1, 2, N - 3, N - 2, N - 1], list(range(3, N - 3))
    T = np.zeros((N, 6 + fixed))
    T[ends, range(6)] = 1
    T[np.ix_(inner, range(6))] = -np.linalg.solve(K[np.ix_(inner, inner)], K[np.ix_(inner, ends)])
    T[np.ix_(inner, range(6, 6 + fixed))] = sl.eigh(K[np.ix_(inner, inner)], np.diag(m[inner]))[1][:, :fixed]
    w2, P = sl.eigh(T.T @ K @ T, T.T @ (m[:, None] * T))
    P, W = T @ P[:, 3:], w2[3:]
    KG, k = P.T @ G @ P, len(W)
    r, S = np.stack([np.linspace(0, L, n + 1), np.zeros(n + 1)], 1), np.array([[0, -1.0], [1, 0]])
    B, Psi, psi0, mi, Ji = np.stack([P[0::3] - P[0], P[1::3] - P[1]], 1), P[2::3], P[2], m[0::3], m[2::3]

    def rates(t, y):
        eta, momentum = y[:k], y[k:]
        _, first, second = turn(psi0 @ eta)
        psi, w0 = first * psi0, hub(t)[1]
        p = r + B @ eta
        Sp, D, stiff = p @ S.T, Psi - psi, eta @ KG @ eta
        C = B - Sp[:, :, None] * psi
        A = np.einsum("i,ica,icb->ab", mi, C, C) + (D.T * Ji) @ D - np.outer(psi, psi) * stiff
        rate = np.linalg.solve(A, momentum - w0 * (np.einsum("i,ica,ic->a", mi, C, Sp) + D.T @ Ji + psi * stiff))
        w, V = w0 - psi @ rate, w0 * Sp + C @ rate
        spin = np.einsum("i,ic,ic->", mi, V, Sp) + Ji @ (w0 + D @ rate) - w * stiff
        Q = w * np.einsum("i,ic,ica->a", mi, V, np.einsum("cd,ida->ica", S, B)) - W * eta - w * w * (KG @ eta)
        return np.r_[rate, Q - spin * second * (psi0 @ rate) * psi0]

    run = solve_ivp(rates, (0, 7.5), np.zeros(2 * k), method="Radau", rtol=1e-8, atol=1e-11, dense_output=True)
    least = (0.0, 0.0)
    for t in np.linspace(6, 7.5, 1501):
        eta = run.sol(t)[:k]
        a, p = -turn(psi0 @ eta)[0], r[-1] + B[-1] @ eta
        least = min(least, (np.sin(a) * p[0] + np.cos(a) * p[1], t))
    return least


if __name__ == "__main__":
    for a in ((3, 4, 0.01), (3, 4, 0.005), (3, 8, 0.005), (3, 4, 0.0025)):
        print("nonlinear ", a, "%.5f m at %.3f s" % nonlinear(*a), flush=True)
    for a in ((3, 4, 0.002), (3, 8, 0.002)):
        print("hub frame ", a, "%.5f m at %.3f s" % hub_frame(*a), flush=True)
    turns = {"turns": lambda x: (x, 1.0, 0.0), "sines": lambda x: (np.arcsin(x), (1 - x * x) ** -0.5, x * (1 - x * x) ** -1.5)}
    for n in (16, 32, 64, 128):
        for name, turn in turns.items():
            print("mean frame", n, name, "%.5f m at %.3f s" % mean_frame(n, 5, turn), flush=True)
