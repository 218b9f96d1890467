#!/usr/bin/python3
"""Siconos' friction solvers on local 3D problems in .dat files, each in a process of its own.

    siconos_friction.py FOLDER OUT.csv [LIMIT_S]

Columns: problem, contacts, tolerance, solver, solved, error, iterations, time_s (processor time, best of several
solves, reading not counted). Needs Debian's python3-siconos. A solver that crashes or exceeds the limit is a row, not the end.
"""
import multiprocessing as mp
import os
import sys
import time

TOLERANCES = [1e-4, 1e-8]


def options(sn, name, tolerance):
    """A solver's options by a short name."""
    ids = {
        "NSGS": sn.SICONOS_FRICTION_3D_NSGS,
        "PROX": sn.SICONOS_FRICTION_3D_PROX,
        "NSN_AC": sn.SICONOS_FRICTION_3D_NSN_AC,
        "NSN_FB": sn.SICONOS_FRICTION_3D_NSN_FB,
        "NSN_NM": sn.SICONOS_FRICTION_3D_NSN_NM,
        "EG": sn.SICONOS_FRICTION_3D_EG,
        "VI_EG": sn.SICONOS_FRICTION_3D_VI_EG,
        "ADMM": sn.SICONOS_FRICTION_3D_ADMM,
        "DSFP": sn.SICONOS_FRICTION_3D_DSFP,
        "TFP": sn.SICONOS_FRICTION_3D_TFP,
    }
    base, _, variant = name.partition("-")
    so = sn.SolverOptions(ids[base])
    so.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    so.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 100_000_000 if base in ("NSGS", "EG", "VI_EG", "DSFP") else 100_000
    if base == "NSGS":
        if variant == "full":
            so.iparam[sn.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL
        if variant == "nsn":
            sn.solver_options_update_internal(so, 0, sn.SICONOS_FRICTION_3D_ONECONTACT_NSN)
    return so


SOLVERS = ["NSGS", "NSGS-full", "NSGS-nsn", "PROX", "NSN_AC", "NSN_FB", "NSN_NM", "EG",
           "VI_EG", "ADMM", "DSFP", "TFP"]


def solve(path, name, tolerance, queue):
    import numpy as np
    import siconos.numerics as sn

    sn.numerics_set_verbose(0)
    problem = sn.frictionContact_new_from_filename(path)
    nc, dim = problem.numberOfContacts, problem.dimension
    best, total, info, so = float("inf"), 0.0, -1, None
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
    queue.put((nc, info == 0 and error <= tolerance, error, int(so.iparam[sn.SICONOS_IPARAM_ITER_DONE]), best))


def main():
    folder, out = sys.argv[1], sys.argv[2]
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else 10.0
    with open(out, "w") as file:
        print("problem,contacts,tolerance,solver,solved,error,iterations,time_s", file=file)
        for name in sorted(os.listdir(folder)):
            for tolerance in TOLERANCES:
                for solver in SOLVERS:
                    queue = mp.Queue()
                    process = mp.Process(target=solve, args=(os.path.join(folder, name), solver, tolerance, queue))
                    process.start()
                    process.join(limit + 3.0)
                    row = (0, False, float("nan"), 0, limit)
                    if process.is_alive():
                        process.kill()
                        process.join()
                    elif not queue.empty():
                        row = queue.get()
                    print(f"{name[:-4]},{row[0]},{tolerance:g},{solver},{int(row[1])},{row[2]:.3e},{row[3]},{row[4]:.6e}",
                          file=file, flush=True)


if __name__ == "__main__":
    main()
