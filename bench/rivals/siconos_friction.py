#!/usr/bin/python3
"""Siconos' friction solvers on local 3D problems in .dat files, each in a process of its own.

    siconos_friction.py FOLDER OUT.csv [LIMIT_S [LEAST_CONTACTS]]

Columns: problem, contacts, tolerance, solver, solved (by its own word), error (its own), e and e_s (our two residuals of its
answer, by the formulas of the book), iterations, time_s (processor time, best of several solves, reading not counted). A
solver counts as having solved a problem where both of our residuals are below the tolerance; `solved` and `error`
are what Siconos says. Needs Debian's python3-siconos. A solver that crashes or exceeds the limit is a row, not the end.
"""
import multiprocessing as mp
import os
import sys
import time

TOLERANCES = [1e-4, 1e-8]


def options(sn, name, tolerance):
    """A solver's options by a short name."""
    base, _, variant = name.partition("-")
    so = sn.SolverOptions(getattr(sn, "SICONOS_FRICTION_3D_" + base))
    so.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    sweeps = ("NSGS", "NSGSV", "EG", "FPP", "VI_EG", "VI_FPP", "DSFP", "HP")
    so.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 100_000_000 if base in sweeps else 100_000
    if base == "NSGS":
        if variant == "full":
            so.iparam[sn.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL
        elif variant == "shuffle":
            so.iparam[sn.SICONOS_FRICTION_3D_NSGS_SHUFFLE] = sn.SICONOS_FRICTION_3D_NSGS_SHUFFLE_TRUE
        elif variant:
            sn.solver_options_update_internal(so, 0, getattr(sn, "SICONOS_FRICTION_3D_ONECONTACT_" + LOCAL[variant]))
    if base in ("NSN_AC", "NSN_NM", "NSN_FB") and variant == "hybrid":
        so.iparam[sn.SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = sn.SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN
    return so


# local solvers of NSGS
LOCAL = {
    "nsn": "NSN",
    "nsn_gp": "NSN_GP",
    "nsn_gp_hybrid": "NSN_GP_HYBRID",
    "poc": "ProjectionOnCone",
    "pdiag": "ProjectionOnConeWithDiagonalization",
    "pli": "ProjectionOnConeWithLocalIteration",
    "quartic": "QUARTIC",
}

SOLVERS = ["NSGS", "NSGS-full", "NSGS-shuffle"] + ["NSGS-" + name for name in LOCAL] + [
    "NSGSV", "PROX", "NSN_AC", "NSN_AC-hybrid", "NSN_FB", "NSN_FB-hybrid", "NSN_NM", "EG", "FPP", "VI_EG", "VI_FPP",
    "ADMM", "DSFP", "HP", "TFP", "PFP", "ACLMFP", "SOCLCP"]


def read_blocks(path):
    """W by blocks, b and mu of a file that `friction --export` wrote."""
    import numpy as np

    with open(path) as file:
        words = file.read().split()
    d, n, count = int(words[0]), int(words[1]), int(words[5])
    at = 8 + 2 * n + 2
    row_ptr = [int(w) for w in words[at:at + n + 1]]
    at += n + 1
    cols = [int(w) for w in words[at:at + count]]
    at += count
    blocks = []
    for _ in range(count):
        blocks.append(np.array(words[at + 1:at + 1 + d * d], float).reshape(d, d).T)
        at += 1 + d * d
    rows = [i for i in range(n) for _ in range(row_ptr[i + 1] - row_ptr[i])]
    b = np.array(words[at:at + n * d], float).reshape(n, d)
    mu = np.array(words[at + n * d:at + n * d + n], float)
    return rows, cols, np.array(blocks), b, mu


def residuals(problem, r):
    """e = ‖r − P(r − u − μ‖u_T‖n)‖/max(‖b‖, ‖r‖, ‖u‖), and e_s with ρ_i = 1/‖W_ii‖₂ over max(‖r‖, ‖ρ b‖)."""
    import numpy as np

    rows, cols, blocks, b, mu = problem
    r = r.reshape(b.shape)
    u = b.copy()
    np.add.at(u, rows, np.einsum("kij,kj->ki", blocks, r[cols]))
    rho = np.ones(len(b))
    for k, (i, j) in enumerate(zip(rows, cols)):
        if i == j:
            rho[i] = 1.0 / np.linalg.norm(blocks[k], 2)

    def miss(rho):
        y = r - rho[:, None] * u
        y[:, 0] -= rho * mu * np.linalg.norm(u[:, 1:], axis=1)
        size = np.linalg.norm(y[:, 1:], axis=1)
        normal = np.where(size <= mu * y[:, 0], y[:, 0], np.maximum((mu * size + y[:, 0]) / (1 + mu * mu), 0.0))
        shrink = np.where(size <= mu * y[:, 0], 1.0, mu * normal / np.where(size > 0, size, 1.0))
        return np.linalg.norm(r - np.column_stack([normal, shrink[:, None] * y[:, 1:]]))

    norm = np.linalg.norm
    plain, scaled = miss(np.ones(len(b))), miss(rho)
    size = lambda *all: max(max(all), np.finfo(float).tiny)
    load = norm(rho[:, None] * b)
    approach = norm(rho * np.minimum(u[:, 0], 0.0))
    scaled = max(scaled / size(norm(r), load), max(scaled, approach) / size(load) / 1e3)
    return plain / size(norm(b), norm(r), norm(u)), scaled


def solve(path, name, tolerance, queue):
    import numpy as np
    import siconos.numerics as sn

    sn.numerics_set_verbose(0)
    problem = sn.frictionContact_new_from_filename(path)
    nc, dim = problem.numberOfContacts, problem.dimension
    best, total, info, so, r = float("inf"), 0.0, -1, None, None
    while total < 0.15:
        r, u = np.zeros(nc * dim), np.zeros(nc * dim)
        so = options(sn, name, tolerance)
        start = time.process_time()
        info = sn.fc3d_driver(problem, r, u, so)
        spent = time.process_time() - start
        best, total = min(best, spent), total + spent
        if info != 0:
            break
    error = float(so.dparam[sn.SICONOS_DPARAM_RESIDU])
    e, e_s = residuals(read_blocks(path), r)
    queue.put((nc, info == 0 and error <= tolerance, error, e, e_s, int(so.iparam[sn.SICONOS_IPARAM_ITER_DONE]), best))


def main():
    folder, out = sys.argv[1], sys.argv[2]
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else 10.0
    least = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    with open(out, "w") as file:
        print("problem,contacts,tolerance,solver,solved,error,e,e_s,iterations,time_s", file=file)
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name)) as text:
                if int(text.read(40).split()[1]) < least:
                    continue
            for tolerance in TOLERANCES:
                for solver in SOLVERS:
                    queue = mp.Queue()
                    process = mp.Process(target=solve, args=(os.path.join(folder, name), solver, tolerance, queue))
                    process.start()
                    # processor time decides, on a busy machine it is less than the time that passed
                    while process.is_alive() and processor_time(process.pid) < limit + 3.0:
                        process.join(0.05)
                    nan = float("nan")
                    row = (0, False, nan, nan, nan, 0, limit)
                    if process.is_alive():
                        process.kill()
                        process.join()
                    elif not queue.empty():
                        row = queue.get()
                    nc, solved, error, e, e_s, iterations, spent = row
                    print(f"{name[:-4]},{nc},{tolerance:g},{solver},{int(solved)},{error:.3e},{e:.3e},{e_s:.3e},{iterations},{spent:.6e}",
                          file=file, flush=True)


def processor_time(pid):
    """Seconds of processor time of a running process."""
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            return float(file.read().split()[0]) * 1e-9
    except (OSError, ValueError, IndexError):
        return 0.0


if __name__ == "__main__":
    main()
