//! The error codes, one list: number, title, what it means and what to do.

/// A code such as `E120`: E1xx input, E2xx numerical failure, E3xx files, W4xx warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(&'static str);

macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal, $explanation:literal;)*) => {
        impl Code {
            $(#[doc = $title] pub const $name: Code = Code($number);)*

            /// Every code with its title and its explanation, in order.
            pub const ALL: &'static [(Code, &'static str, &'static str)] =
                &[$((Code::$name, $title, $explanation)),*];
        }
    };
}

codes! {
    UNREADABLE = "E100", "a file cannot be read",
        "The file does not exist, is a folder, or may not be read. Check the path; paths inside a scenario are taken from the scenario's folder. `percussion list scenarios` names the built-in ones.";
    SYNTAX = "E101", "the scenario is not valid TOML",
        "The text breaks TOML's grammar at the place shown: often a missing quote, bracket or equals sign, or a key given twice.";
    UNKNOWN_KEY = "E102", "an unknown key",
        "No key of that name exists in this table. Nothing is ignored in silence: a misspelt `restitution` would otherwise become the default. `percussion list schema` shows every key.";
    WRONG_TYPE = "E103", "a missing key, or a value of the wrong kind",
        "A required key is absent, or its value has the wrong kind, for example text where a number belongs.";
    UNKNOWN_SCHEME = "E104", "an unknown scheme",
        "`percussion list schemes` names them all.";
    UNKNOWN_SOLVER = "E105", "a solver that is unknown, or does not solve problems of this kind",
        "`percussion list solvers` names them all; docs/book/contact-problems.md says which problems each of them solves.";
    UNKNOWN_KIND = "E106", "an unknown kind of model",
        "The kinds this version knows are `linear` (matrices), `bar` (an elastic bar in finite elements), `pendulum`, `rocking-block`, `beam` (a pinned, geometrically exact one), `solid` (finite elements on a mesh), `formula` (energies and gaps as formulas) and `bodies` (rigid bodies in the plane and in space, with beams and solids among them).";
    BAD_OVERRIDE = "E107", "a --set that cannot be applied",
        "Write --set key=value with a dotted key, such as --set scheme.theta=0.6 or --set model.contact.0.restitution=0.5; the value is TOML.";
    NOT_FINITE = "E110", "a number is NaN or infinite",
        "Every number of a scenario, and every entry of a matrix file, must be finite.";
    BAD_SHAPE = "E111", "a matrix or vector has the wrong size",
        "M, C and K are n × n; force, q0, v0, each contact's normal and each joint's row have n entries.";
    MASS_NOT_SYMMETRIC = "E112", "the mass matrix is not symmetric",
        "Kinetic energy ½ vᵀMv fixes M = Mᵀ. Check the entries named.";
    MASS_NOT_POSITIVE = "E113", "the mass matrix is not positive definite",
        "Some motion would have zero or negative kinetic energy. The coordinate named is where a Cholesky factorisation stops: give it a positive mass.";
    STIFFNESS_NOT_SYMMETRIC = "E114", "the stiffness matrix is not symmetric",
        "Without K = Kᵀ there is no potential energy and no ledger. Put follower or circulatory forces elsewhere.";
    BAD_MATRIX_FILE = "E116", "a Matrix Market file cannot be understood",
        "Real, integer and pattern-free coordinate or array files, general or symmetric, are read; sizes are checked before memory is allocated.";
    OUTSIDE_FOLDER = "E117", "a file outside the scenario's folder",
        "A scenario may only read files in its own folder and below, so that a scenario from elsewhere cannot read yours.";
    TOO_LARGE = "E118", "larger than this version accepts",
        "The size named exceeds the limit named. Use a coarser model, or sparse files instead of written-out matrices.";
    RESTITUTION = "E120", "a coefficient of restitution outside [0, 1]",
        "e = 0 keeps nothing of the approach velocity, e = 1 all of it. More than 1 creates energy, less than 0 lets bodies pass through each other.";
    ZERO_NORMAL = "E121", "a contact whose normal is zero",
        "The contact would touch nothing: g = w for every q. Give it the gradient of its gap.";
    FRICTION = "E122", "friction that makes no sense, or that this model does not have",
        "μ is 0 or more and needs tangents: one row of velocities in the plane, two independent ones in space. A bar moves in its own direction only and has no tangents.";
    BAD_MASS = "E123", "a mass or density that is not positive",
        "Every body that moves freely needs a positive, finite mass: from `density` and its shape, or as `mass` with `inertia`.";
    BAD_INERTIA = "E124", "an inertia that no body has",
        "The moments of inertia about any three axes at right angles are positive, and none exceeds the sum of the two others.";
    BAD_SIZE = "E125", "a length that is not positive",
        "Radii, edges and lengths of shapes are above zero.";
    BAD_ROTATION = "E126", "a rotation that is not a unit quaternion",
        "rotation = [w, x, y, z] has length 1: cos(φ/2), then sin(φ/2) times the axis.";
    BAD_MESH = "E127", "a mesh, hull or polygon that encloses nothing",
        "Meshes are closed, every edge shared by two triangles that run through it in opposite directions; hulls have points outside one plane; polygons are convex and counter-clockwise.";
    BAD_NAME = "E128", "a name that is missing, unknown or used twice",
        "Bodies and materials have names of their own, and joints, springs and pairs refer to them.";
    BAD_ROBOT = "E129", "a robot file that cannot be understood",
        "URDF, MJCF and SDF describe links and joints as XML that begins with <robot>, <mujoco> or <sdf>; the joints form a tree of links.";
    PENETRATION = "E130", "bodies penetrate at the start",
        "The gap named is negative at t = 0. Move q0 or the offset, or let `run --fix-initial project` move q0 to the nearest admissible place (in the mass metric).";
    JOINT_POSITION = "E131", "the initial position violates a joint",
        "row·q0 + offset is not zero. Correct q0, or use --fix-initial project.";
    JOINT_VELOCITY = "E132", "the initial velocity violates a joint",
        "row·v0 is not zero. Correct v0, or use --fix-initial project, which changes it by the least, weighed by mass, that the joints allow.";
    ZERO_JOINT = "E140", "a joint whose row is zero",
        "It constrains nothing, or cannot be satisfied. Remove it or give it a row.";
    JOINTS_CONTRADICT = "E141", "joints that depend on each other",
        "One joint's row is a combination of the others. If the offsets agree the joint is superfluous, otherwise nothing satisfies them all. Remove the one named.";
    BAD_TIME = "E150", "a step, an end or a number of steps that makes no sense",
        "step must be positive and finite, end not before the start, and end/step at most 1e12.";
    BAD_PARAMETER = "E151", "a parameter of the scheme out of range",
        "The range and the reason are in the message; the theory page of the scheme says more.";
    CONTRADICTION = "E152", "keys that exclude each other",
        "A preset of the scheme (rho_inf, preset, alpha) fixes its other parameters; give either the preset or the free parameters. A pendulum starts from angle or from q0.";
    BAD_SOLVER_OPTION = "E153", "an option of the solver out of range",
        "tolerance lies between 1e-15 and 1, max_iterations is at least 1.";
    BAD_OUTPUT = "E154", "an option of the output out of range",
        "every is a whole number of at least 1.";
    UNSUPPORTED = "E155", "a scheme that does not support this model",
        "`percussion list schemes` shows what each scheme supports.";
    BAD_ADAPTIVE = "E156", "an option of adaptive steps out of range",
        "time.adaptive takes order (0, 1, 2 or \"variable\"), atol and rtol (a number, or a table with q, v and gap), control (\"q\", \"v\" or \"qv\"), violation, step_min, step_max, extrapolate, alpha, alpha_min, alpha_max. Steps lie between 1e-12 of the run and the run.";
    BAD_SIGNAL = "E157", "a signal that makes no sense",
        "A table has points [t, x] by rising time, at least two where it is periodic; a file holds two columns of numbers, t and x. Ramps, pulses and smooth steps end after they start. An obstacle may move but not jump.";
    BAD_FORMULA = "E158", "a formula that cannot be read",
        "Formulas are sums, products, quotients and powers (^) of numbers, pi, e, the variables named, and functions: sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, sqrt, abs, sign, step, min, max, if(c, a, b) = a where c > 0 and else b. They read nothing and cannot loop.";
    WRONG_MODEL = "E159", "a model that contradicts itself",
        "At random states the forces, energies and derivatives of the model were compared: f·v must be −V̇ − ½vᵀṀv plus the power of what has no potential, M symmetric, gradients those of the gaps. The message names what differs and by how much. A forgotten velocity term −(Ṁv − ½∂(vᵀMv)/∂q), a wrong sign or a wrong Jacobian look like this.";
    BAD_PROBLEM_FILE = "E160", "a contact-problem file cannot be understood",
        "A word is not what the format has at that place. `.dat` files (lcp, mlcp, friction local and global, dense, block or CSparse matrices) and FCLIB's HDF5 files are read.";
    PROBLEM_CUT_SHORT = "E161", "a contact-problem file holds less than it declares",
        "The file was cut short, or a size in it is wrong. Sizes are compared with the length of the file before memory is allocated.";
    UNKNOWN_PROBLEM = "E162", "a file that holds no contact problem of the kind expected",
        "The kind is found from the structure: `dim nc` with dim 2, 3 or 5 for friction, n repeated in its matrix for an LCP, two flags for an MLCP. `percussion solve --kind` asks for one kind. Relays and generic mechanical problems (GMP) are not read.";
    SINGULAR_MASS = "E163", "the mass matrix of a global contact problem is singular",
        "The problem is condensed to W = HᵀM⁻¹H, which needs a mass matrix that can be factorised.";
    BAD_SWEEP = "E170", "a sweep that cannot be run as it is",
        "[sweep] names a scenario (or stands beside one), a method (grid, random, latin-hypercube, sobol), samples and seed, what to measure, and one [[sweep.parameter]] per key that varies, with values, or from, to and count. A folder of results belongs to one sweep.";
    BAD_STUDY = "E171", "a comparison, convergence study or derivative that cannot be made as asked",
        "Schemes are written NAME or NAME:key=value:key=value, such as moreau-jean:theta=1; keys without a dot belong to [scheme]. A convergence study needs at least two different positive steps (or tolerances), and an exact motion or a reference to measure against. Derivatives are of numbers of a run (q0, v1, ball.x, energy, lost, impact 0) by keys of its scenario that hold a number.";
    NO_FIGURE = "E172", "a figure that cannot be drawn",
        "percussion plot draws energy, works, residual, gaps, positions, velocities and impulses of any run, sliding and friction where a contact has friction, reactions and joints where bodies have joints, into a file that ends in .svg, .png or .pdf; --x and --y draw any column of the tables against any other, --only chooses coordinates, contacts and joints by name, --time a part of the run.";
    BAD_DYNAMICS = "E173", "a study of [dynamics] that cannot be run as it is",
        "[dynamics] says what is made of a scenario (kind), which key varies (parameter, from, to, points; a basin has a second one, y), how long each run is (transient and periods, in periods of what drives it, of so many steps) and where points are taken (section). A folder of results belongs to one study.";
    BAD_MESH_FILE = "E180", "a finite-element mesh that cannot be read",
        "Gmsh's files of format 4.1 and 2.2 are read, text and binary, with the elements line2, line3, tri3, tri6, quad4, tet4, tet10 and hex8. The line or byte is named; counts are compared with the length of the file before memory is allocated.";
    UNKNOWN_GROUP = "E181", "a group the mesh does not have",
        "Parts, supports, loads and contacts name physical groups of the mesh; those it has are listed. Surfaces have one dimension less than the solid.";
    BAD_SOLID = "E182", "a mesh that makes no solid",
        "Elements need a volume and must not overlap themselves, surfaces lie on the outside of parts, plane solids in the plane x, y.";
    BAD_ELASTICITY = "E183", "an elastic constant that makes no sense",
        "Young's modulus and density are positive, Poisson's ratio lies above −1 and below ½, damping is not negative.";
    NEGATIVE_MASS = "E184", "mass of a contact surface that cannot be redistributed",
        "Nodes behind the surface take over its mass so that total mass, centre and inertia stay; with too few layers of elements that needs negative masses. Refine the mesh, or use lumped mass. Schemes that divide by the mass of each node need lumped or consistent mass too.";
    NOT_REDUCED = "E185", "a body that cannot be reduced",
        "A reduced body needs the stiffness of the free body, which no rigid motion strains, and interfaces that hold it: with them fixed nothing may be left to move, so name at least three nodes off a line, a set of nodes, or nodes with turns. Masses are lumped at the nodes.";
    GPU_NOT_BUILT = "E190", "a GPU asked for, in a program built without support for one",
        "The GPU backend is a feature of the build: `cargo install --path crates/percussion-cli --features gpu`, or `cargo build --release -p percussion-cli --features gpu`. It needs no CUDA to build. With --device cpu, or auto, the same numbers are computed on the cores.";
    NO_GPU_DRIVER = "E191", "no driver for a GPU",
        "NVIDIA's driver (libcuda) and the compiler of kernels (libnvrtc, of the CUDA toolkit 12 or newer) are looked for when the GPU is opened. Install what the message names, or add its folder to LD_LIBRARY_PATH; with --device cpu, or auto, the same numbers are computed on the cores.";
    NO_GPU = "E192", "no usable GPU",
        "The driver lists no device, or one whose threads cannot all wait for each other. `nvidia-smi` shows what the driver sees. With --device cpu, or auto, the same numbers are computed on the cores.";
    NOT_SOLVED = "E200", "a step was not found",
        "The contact solver stopped above the tolerance, or Newton's method for the step did not arrive. Everything before the step is kept, and a contact problem that was not solved is saved beside it. Try solver.name = \"auto\", a larger tolerance or a smaller step.";
    NO_SOLUTION = "E201", "the contact problem of a step has no solution",
        "A certificate proves that no impulse satisfies the law: usually opposing contacts with different restitution, or contacts that close on a joint. Use activation = \"hold\" within the theorem's condition, equal restitution, or look at the contacts named.";
    SINGULAR_STEP = "E202", "the matrix of a step is singular",
        "M + hθC + h²θ²K (or its relative in the scheme) cannot be factorised: K or C has a large negative direction, or the step is too large for it.";
    NOT_FINITE_STATE = "E203", "the motion has no finite value",
        "Where the message names a force, load, energy or gap, that has no value there: correct its formula, table or function. Otherwise a position or velocity overflowed. Either the scheme is unstable at this step (reduce it, or use a scheme without such a limit), or the model itself grows without bound: negative directions of K or C, loads that grow. The guarantee of a scheme speaks of what contacts and the scheme do, not of what the model is fed.";
    UNREACHABLE = "E204", "a tolerance that round-off does not reach",
        "The solver came as near as the numbers allow and solver.tolerance asks for less. The floor is the round-off of W p + b, about 2e-16 times the largest row of W. Ask for a thousand times that.";
    ENDLESS_EVENTS = "E205", "events that do not end",
        "More events fell into one step than a motion that continues can have. Bounces accumulate on each other faster than they are cut off: raise scheme.cut, or check that the model does not open and close a contact for ever at one place. Or some motion is so much faster than the step that following it would never be done: check masses and stiffnesses.";
    MODEL_RAISED = "E206", "a function of the model raised an exception",
        "A mass, force, gap or derivative written in Python raised. The exception it came from is attached, with the step and the time; the steps before it are kept.";
    TURNED_TOO_FAR = "E207", "a hinge turned by half a turn or more in one step",
        "Stops, springs, gears and screws mean the whole angle of a hinge, turns included. These are counted from step to step, which takes steps of less than half a turn: use a smaller step. event-driven and runge-kutta-moreau do not count them and stop where such a hinge passes half a turn.";
    NO_DERIVATIVE = "E208", "a derivative that does not exist",
        "The motion is not differentiable where it grazes a contact or closes two at the same instant, and this version does not know the derivative of an impact that slides in space. A one-step scheme has none where a contact closes, opens, sticks or slides in another step as soon as the parameter moves. Time and place are named; a little to the side the derivative exists.";
    NO_ORBIT = "E209", "a periodic orbit that was not found",
        "Newton's iteration on the flow did not close. It starts from the end of the transient: give more transient, the number of periods by longest, or an initial state nearer to the orbit.";
    GPU_MEMORY = "E210", "too little memory on the GPU",
        "A contact takes about 800 bytes there (balls), or 1200 (other shapes). Use --device auto, which continues on the cores, or fewer bodies.";
    GPU_FAILED = "E211", "the GPU failed",
        "Its driver refused a copy or a launch; the message is the driver's. Results do not depend on the device: resume with --device cpu.";
    FOLDED = "E212", "an element of a beam folded upon itself, or a bushing turned as far",
        "The ends of an element are turned by 0.9π or more against each other, where its strain is no longer told by its two frames. Of a beam: use more elements, a stiffer section, or a smaller step. A bushing has no stiffness for such turns: raise it, or let the bodies turn on a joint (hinge, ball) with a spring.";
    NO_EQUILIBRIUM = "E213", "an equilibrium that was not found",
        "Steps from rest lead nowhere, or go on for ever: something can fall or turn freely, or a load is larger than what carries it. Hold what moves freely, reduce the load, or start nearer to the equilibrium.";
    SPUN_TOO_FAST = "E214", "a reduced body that spins beyond its theory",
        "With inertia = \"full\" the modes feel centrifugal forces, which soften a body that the tension by the same forces would stiffen. Without geometric_stiffness that is refused where it spins with more than 0.3 of its lowest frequency. Give geometric_stiffness, keep inertia = \"constant\" with its warning, or use [[beam]], which knows its tension.";
    UNWRITABLE = "E300", "a folder or file cannot be written",
        "Check that the folder exists, that you may write there, and that the disk is not full.";
    BAD_RUN = "E301", "a run folder is incomplete or does not fit",
        "A file of the run is missing, cut short, or belongs to another scenario.";
    BAD_CHECKPOINT = "E302", "a checkpoint that cannot be used",
        "The checkpoint, or a table it vouches for, was changed, cut short or removed, or another version wrote it. A run is continued only where it would end as the same bytes as the whole run. Run the scenario again.";
    NO_ROOM = "E303", "more disk or memory than there is",
        "The tables of the run alone would take more than is free where they are to go. Thin them with [output] every, end earlier, or choose another folder.";
    NOT_BUILT = "E304", "a file format this program was built without",
        "HDF5 is a feature that is on unless it was left out with --no-default-features: `cargo install --path crates/percussion-cli --features formats` has every format, and so has the Python wheel.";
    NOT_YET = "E399", "not in this version",
        "The command or key belongs to the program's description but is not implemented in this version. Nothing is ignored in silence: remove it to go on without it.";
    PARAMETERS_UNPROVED = "W401", "no theorem covers these parameters",
        "The scheme runs, the ledger still closes, but energy may be created; the verdict tells.";
    SOFT_DELASSUS = "W402", "the contact operator is indefinite",
        "With 2β < γ, or C ≠ 0 and 2β ≠ γ, W = GᵀN can lose positive definiteness at large steps; a contact problem may have no or several solutions. Reduce the step or use 2β ≥ γ.";
    END_ROUNDED = "W403", "the end is not a multiple of the step",
        "The run covers the horizon with whole steps and ends a little later.";
    REDUNDANT_JOINT = "W404", "a superfluous joint",
        "The joint follows from the others. It is kept in the checks but carries no load.";
    UNSTABLE = "W405", "parameters without unconditional stability",
        "Above a critical step the motion grows without bound; the critical step depends on the highest frequency of the model.";
    SCHEME_SWITCHED = "W406", "parameters of another scheme were left out",
        "--scheme chose another scheme than the file's, and the parameters named belong to the file's. Give the new scheme's own with --set scheme.NAME=VALUE.";
    START_MOVED = "W407", "the initial state was moved",
        "--fix-initial project moved q0 or v0 to the nearest admissible state in the mass metric. The resolved scenario holds the moved state.";
    REDUNDANT_CONTACT = "W408", "contacts that repeat or follow from each other",
        "Contacts have the same gap and the same gradient at the start, or are closed there and more than the motion can tell apart, as the four corners of a table. The motion does not depend on how they share the load. On nonlinear models generalized-alpha-ggl shares it evenly; elsewhere solver.name = \"proximal\" does.";
    FED_BY_DAMPING = "W409", "a damper that feeds energy in",
        "An entry C_ii is negative: the faster the coordinate moves the more it is driven, and the motion grows. The scheme's guarantee still holds for contacts; the ledger books what the damper puts in. Change the sign if a damper was meant.";
    FAR_AWAY = "W410", "positions too far away for their digits",
        "A number carries 16 digits. The distance from the origin takes so many of them that less than six are left for the way made, or for the size of a body: gaps and impacts are as coarse as the spacing of the numbers there. Put the origin where things happen, or choose other units.";
    RUN_REPLACED = "W411", "a stopped run is replaced",
        "The folder held a stopped run that `percussion resume` could have finished. `run` starts over in the same folder, and its tables replace the old ones. Give another --out to keep both.";
    FORMER_NAME = "W412", "a key by its former name",
        "The key was renamed. The former name is still read and means the same; the message gives the present one.";
    MESH_REMARK = "W413", "something about a mesh worth knowing",
        "Nodes that belong to no part are left out, elements that were inside out are turned, and contact nodes that supports hold take no part in contact. None of this changes the solid that was meant; look at the mesh where it surprises. Nodes that lie where others do, or on the side of an element they do not belong to, cut the mesh: the pieces come apart there. Join them in the mesh generator, or name the two sides as surfaces of a contact if they are meant to meet.";
    NODE_RESTITUTION = "W414", "restitution at the nodes of a solid",
        "The restitution of a node is not that of a body: what a solid returns is decided by the waves that stay in it. With 0 < e < 1 it loses more than with e = 0, because its nodes land many times; with e = 1 it keeps its energy and the pressure alternates. Use e = 0, and damping where energy should be lost.";
    NEARLY_INCOMPRESSIBLE = "W415", "a material that hardly changes its volume",
        "With Poisson's ratio near ½ the resistance to a change of volume is 10³ times that to a change of shape, or more. Elements with straight sides then lock: they are far too stiff where the solid bends. Pressure waves are as much faster, so that the same step is longer for them, and differences of large forces lose digits, down to a ledger that does not close. Rubber is told well by 0.49 to 0.499; quadratic elements (tri6, tet10) lock less.";
    STRAY_VERTICES = "W420", "vertices of a mesh that no triangle uses",
        "They bound nothing: they are left out, and touch nothing. Export the mesh again to be rid of the warning.";
    SKEW_TANGENTS = "W421", "tangents that are not orthonormal to the normal",
        "Coulomb's law speaks of a plane across the normal with two directions of unit length in it. For a point the tangents of a contact are at right angles to its normal and to each other, and as long as the normal; otherwise the disk of friction is an ellipse, or friction pushes along the normal.";
    INDEFINITE = "W422", "a stiffness or damping matrix with a negative direction",
        "Some direction x has xᵀKx < 0 or xᵀCx < 0: it is pushed away from rest, or fed with energy. No theorem on dissipation applies, and the motion may grow without bound. Check the signs of the entries off the diagonal.";
    UNRESOLVED = "W423", "a step too long for the model's highest frequency",
        "With hω > 2 the fastest motion of the model turns by more than a period within three steps. Explicit schemes diverge; implicit ones keep it bounded but not right, and impacts excite it. Take a step below 2/ω, or a scheme that damps what the step cannot follow (hht, generalized-alpha), if that motion does not matter.";
    ALIASED = "W424", "a forcing faster than the step can follow",
        "A sine of angular frequency ω is seen at the ends of steps only: with hω > π it looks like a slower one. Take a step below π/ω; a tenth of that follows it well.";
    FLAT_NORMAL = "W425", "a contact whose normal nearly vanishes",
        "The gap hardly changes as the coordinates do: its gradient is a hundred millionth of the others' or less. Impulses that open it are as much larger as the gradient is smaller. Scale the row, or check its units.";
    THIN_BODY = "W426", "a body thinner than the digits of its place allow",
        "A number carries 16 digits. Half the thickness of the body is less than a thousand times the spacing of the numbers its place and size are made of: which side of it something is on is round-off. Put the origin nearer, choose other units, or make the body thicker.";
    LONG_STEP = "W427", "a step longer than the run",
        "The run is one step, and ends later than asked. Give a shorter step or a later end.";
    DRIVEN = "W428", "a record that begins in the middle",
        "A record of a live simulation begins where a state was restored or assigned after t = 0. Its steps and what was set in them are kept, and `verify` computes them again; a run of its scenario.toml begins at t = 0 and is another one. Let the record begin at the start so that it can be run again and continued.";
    ON_CPU = "W429", "on the cores instead of a GPU",
        "solver.device = \"auto\" found no GPU, or lost it; the message says why. The cores compute the same numbers, more slowly.";
    BEYOND_REDUCTION = "W430", "a reduced body beyond its theory",
        "The inertia of a reduced body is that of its undeformed shape. That holds while it bends little, m|u|² below a twentieth of its smallest moment of inertia, and turns slowly, |w| below 0.3 of its lowest frequency: centrifugal and Coriolis forces on its modes are left out. Use [[beam]] for blades and slender parts that bend far.";
    UNCHECKED = "W433", "a model that was not checked",
        "check=False was given: forces, energies and derivatives of the model's functions were not compared with each other before the run. Verdicts on energy hold for the functions as they are; where they contradict each other, energies and works are not those of one mechanical system. `check_derivatives()` tells what differs.";
    EARLIER_START = "W438", "a start from a row before the time asked for",
        "A run keeps a row every `output.every` steps, or where its steps end. `--from RUN@t` takes the last row up to t; between two rows nothing is known of the bodies. Give the time of a row, or run again with output.every = 1.";
    THINNED = "W439", "a large scene of which the tables hold a part",
        "A row of a million bodies and their contacts is a gigabyte of text. Where neither output.every nor output.select is written, the tables of a scene of 10 000 bodies and more hold what stays below a gigabyte: a row in so many steps, then every so many bodies with their contacts and events. Ledger, counts of events, verdicts and checkpoints are about all of it; `run --from` needs whole rows, and so do the checks of `verify` that compute states again. Write [output] every, or select, to choose.";
    PULLED_APART = "W440", "a beam pulled harder than its elements resist shear",
        "An element measures stretch along the axes of its nodes. Where it carries more tension than its stiffness against shear, its nodes gain by turning away from its line, and it folds up sideways. With residual = true that stiffness is 12 EI/L² at most, L the length of an element, so that thin beams under tension want residual = false or shorter elements; ropes and strings want [[cable]].";
}

impl Code {
    /// The code as written, such as `E120`.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Title and explanation of a code given as text, in any case.
    pub fn explain(text: &str) -> Option<(Code, &'static str, &'static str)> {
        Self::ALL.iter().copied().find(|(code, _, _)| code.0.eq_ignore_ascii_case(text.trim()))
    }

    /// The title of its explanation.
    pub fn title(self) -> &'static str {
        Self::explain(self.0).map_or("", |(_, title, _)| title)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes are unique, so `explain` answers the right question.
    #[test]
    fn codes_are_unique() {
        let mut seen = std::collections::HashSet::new();
        for (code, title, text) in Code::ALL {
            assert!(seen.insert(code.as_str()), "{code} twice");
            assert!(!title.is_empty() && !text.is_empty());
        }
    }
}
