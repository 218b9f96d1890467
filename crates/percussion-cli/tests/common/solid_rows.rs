//! Rows of the table of bad inputs: solids and their meshes.

use super::{Input::*, Row, row};

/// A block of 4 × 5 elements, 4 cm wide, 1 cm above the plane y = 0, with its groups.
pub fn block() -> String {
    let node = |i: usize, j: usize| 1 + i + 5 * j;
    let mut text = String::from(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n2 1 \"solid\"\n1 2 \"bottom\"\n1 3 \"top\"\n0 4 \"corner\"\n$EndPhysicalNames\n$Nodes\n30\n",
    );
    for j in 0..6 {
        for i in 0..5 {
            text += &format!("{} {:?} {:?} 0\n", node(i, j), i as f64 / 100.0, 0.01 + j as f64 / 100.0);
        }
    }
    let mut elements = vec![format!("15 2 4 4 {}", node(0, 0))];
    for i in 0..4 {
        elements.push(format!("1 2 2 2 {} {}", node(i, 0), node(i + 1, 0)));
        elements.push(format!("1 2 3 3 {} {}", node(i, 5), node(i + 1, 5)));
    }
    for j in 0..5 {
        for i in 0..4 {
            let corners = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            elements.push(format!("3 2 1 1 {} {} {} {}", corners[0], corners[1], corners[2], corners[3]));
        }
    }
    text += &format!("$EndNodes\n$Elements\n{}\n", elements.len());
    elements.iter().enumerate().for_each(|(k, line)| text += &format!("{} {line}\n", k + 1));
    text + "$EndElements\n"
}

/// A scenario of that block.
pub const SOLID: &str = "\
[model]
kind = \"solid\"
mesh = \"block.msh\"
plane = \"strain\"
gravity = [0.0, -9.81]
[[model.part]]
group = \"solid\"
material = { young = 1e7, poisson = 0.3, density = 1000.0 }
[[model.contact]]
surface = \"bottom\"
against = { plane = { point = [0.0, 0.0], normal = [0.0, 1.0] } }
[scheme]
name = \"moreau-jean\"
[time]
end = 1e-3
step = 1e-4
";

const MATERIAL: &str = "material = { young = 1e7, poisson = 0.3, density = 1000.0 }";
const PLANE: &str = "against = { plane = { point = [0.0, 0.0], normal = [0.0, 1.0] } }";

/// A row without what others do.
const fn refused(tried: &'static str, old: &'static str, new: &'static str, code: &'static str) -> Row {
    row(tried, Solid(old, new), "", code, 3)
}

const fn mesh(tried: &'static str, old: &'static str, new: &'static str, code: &'static str) -> Row {
    row(tried, SolidMesh(old, new), "", code, 3)
}

pub const SOLIDS: (&str, &[Row]) = (
    "Solids and their meshes",
    &[
        refused("a part whose group is not in the mesh", "group = \"solid\"", "group = \"body\"", "E181"),
        refused("a surface whose group is not in the mesh", "surface = \"bottom\"", "surface = \"foot\"", "E181"),
        refused("a surface that is a volume", "surface = \"bottom\"", "surface = \"solid\"", "E181"),
        refused("a surface that is a point", "surface = \"bottom\"", "surface = \"corner\"", "E181"),
        refused(
            "a support whose group is not in the mesh",
            "[scheme]",
            "[[model.support]]\ngroup = \"left\"\n[scheme]",
            "E181",
        ),
        refused(
            "a load whose group is not in the mesh",
            "[scheme]",
            "[[model.load]]\ngroup = \"left\"\npressure = 1.0\n[scheme]",
            "E181",
        ),
        refused("plane elements as a solid in space", "plane = \"strain\"\n", "", "E111"),
        refused("a mesh file that is not there", "mesh = \"block.msh\"", "mesh = \"blok.msh\"", "E100"),
        refused("a mesh outside the folder", "mesh = \"block.msh\"", "mesh = \"../block.msh\"", "E117"),
        refused("a negative modulus", "young = 1e7", "young = -1e7", "E183"),
        refused("ν = ½", "poisson = 0.3", "poisson = 0.5", "E183"),
        refused("a density of zero", "density = 1000.0", "density = 0.0", "E183"),
        refused("a modulus that is NaN", "young = 1e7", "young = nan", "E183"),
        refused(
            "damping that feeds energy in",
            MATERIAL,
            "material = { young = 1e7, poisson = 0.3, density = 1000.0 }\ndamping = { stiffness = -1e-4 }",
            "E183",
        ),
        refused("a sheet without thickness", "plane = \"strain\"", "plane = \"strain\"\nthickness = 0.0", "E125"),
        refused("thickness of a solid in space", "plane = \"strain\"", "thickness = 0.1", "E152"),
        refused("a scale of zero", "plane = \"strain\"", "plane = \"strain\"\nscale = 0.0", "E125"),
        refused("a section that does not exist", "plane = \"strain\"", "plane = \"strian\"", "E103"),
        refused(
            "Hooke's law with finite displacements",
            "plane = \"strain\"",
            "plane = \"strain\"\nkinematics = \"finite\"",
            "E152",
        ),
        refused("a finite law with small displacements", "material = {", "material = { law = \"neo-hookean\",", "E152"),
        refused("a gravity that is NaN", "gravity = [0.0, -9.81]", "gravity = [0.0, nan]", "E110"),
        refused(
            "a gravity in space for a plane solid",
            "gravity = [0.0, -9.81]",
            "gravity = [0.0, 0.0, -9.81]",
            "E111",
        ),
        refused(
            "an initial velocity in space",
            MATERIAL,
            "material = { young = 1e7, poisson = 0.3, density = 1000.0 }\nvelocity = [0.0, 0.0, 1.0]",
            "E111",
        ),
        refused(
            "a spin about three axes in the plane",
            MATERIAL,
            "material = { young = 1e7, poisson = 0.3, density = 1000.0 }\nangular_velocity = [0.0, 0.0, 1.0]",
            "E111",
        ),
        refused(
            "one element in two parts",
            "[[model.contact]]",
            "[[model.part]]\ngroup = \"solid\"\nmaterial = { young = 1e7, poisson = 0.3, density = 1000.0 }\n[[model.contact]]",
            "E152",
        ),
        refused(
            "a solid without parts",
            "[[model.part]]\ngroup = \"solid\"\nmaterial = { young = 1e7, poisson = 0.3, density = 1000.0 }\n",
            "",
            "E182",
        ),
        refused("a plane without a normal", "normal = [0.0, 1.0]", "normal = [0.0, 0.0]", "E121"),
        refused("contact with nothing", PLANE, "against = {}", "E152"),
        refused("contact with two things at once", "against = {", "against = { surface = \"top\",", "E152"),
        refused(
            "a sphere of negative radius",
            PLANE,
            "against = { sphere = { centre = [0.0, -1.0], radius = -1.0 } }",
            "E125",
        ),
        refused(
            "mortar against a plane",
            PLANE,
            "against = { plane = { point = [0.0, 0.0], normal = [0.0, 1.0] } }\nmethod = \"mortar\"",
            "E152",
        ),
        refused("a floor above the solid", "point = [0.0, 0.0]", "point = [0.0, 0.02]", "E130"),
        refused(
            "e = 1.5 at the nodes",
            PLANE,
            "against = { plane = { point = [0.0, 0.0], normal = [0.0, 1.0] } }\nmass = \"lumped\"\nrestitution = 1.5",
            "E120",
        ),
        row("ν = 0.49999", Solid("poisson = 0.3", "poisson = 0.49999"), "", "W415", 0),
        refused(
            "a box without width",
            PLANE,
            "against = { box = { centre = [0.0, -1.0], size = [0.0, 1.0] } }",
            "E125",
        ),
        row(
            "e = ½ at the nodes",
            Solid(
                PLANE,
                "against = { plane = { point = [0.0, 0.0], normal = [0.0, 1.0] } }\nmass = \"lumped\"\nrestitution = 0.5",
            ),
            "",
            "W414",
            0,
        ),
        refused(
            "a negative coefficient of friction at nodes",
            PLANE,
            "against = { plane = { point = [0.0, 0.0], normal = [0.0, 1.0] } }\nfriction = -0.3",
            "E122",
        ),
        refused(
            "restitution of nodes without mass",
            PLANE,
            "against = { plane = { point = [0.0, 0.0], normal = [0.0, 1.0] } }\nmass = \"redistributed\"\nrestitution = 0.5",
            "E152",
        ),
        refused(
            "nodes without mass under a law on velocities",
            "[scheme]\nname = \"moreau-jean\"",
            "mass = \"redistributed\"\n[scheme]\nname = \"moreau-jean\"\nactivation = \"hold\"",
            "E184",
        ),
        refused(
            "nodes without mass in the Newmark family",
            "[scheme]\nname = \"moreau-jean\"",
            "mass = \"redistributed\"\n[scheme]\nname = \"newmark\"",
            "E184",
        ),
        refused(
            "nodes without mass from event to event",
            "[scheme]\nname = \"moreau-jean\"",
            "mass = \"redistributed\"\n[scheme]\nname = \"event-driven\"",
            "E184",
        ),
        refused(
            "equilibrium with friction",
            "[scheme]\nname = \"moreau-jean\"",
            "friction = 0.3\n[scheme]\nname = \"moreau-jean\"\nactivation = \"equilibrium\"",
            "E151",
        ),
        refused(
            "equilibrium with θ ≠ ½",
            "name = \"moreau-jean\"",
            "name = \"moreau-jean\"\ntheta = 0.7\nactivation = \"equilibrium\"",
            "E155",
        ),
        refused(
            "the law on gaps with θ = 1 on a solid",
            "[scheme]\nname = \"moreau-jean\"",
            "mass = \"redistributed\"\n[scheme]\nname = \"moreau-jean\"\ntheta = 1.0\nactivation = \"gap\"",
            "E151",
        ),
        refused(
            "equilibrium of nodes with mass",
            "[scheme]\nname = \"moreau-jean\"",
            "mass = \"lumped\"\n[scheme]\nname = \"moreau-jean\"\nactivation = \"equilibrium\"",
            "E155",
        ),
        refused(
            "surfaces that ask for different mass matrices",
            "[scheme]",
            "mass = \"lumped\"\n[[model.contact]]\nsurface = \"top\"\nagainst = { plane = { point = [0.0, 1.0], normal = [0.0, -1.0] } }\nmass = \"consistent\"\n[scheme]",
            "E152",
        ),
        refused(
            "a support along an axis that is not there",
            "[scheme]",
            "[[model.support]]\ngroup = \"top\"\nfix = [\"z\"]\n[scheme]",
            "E103",
        ),
        refused(
            "motions that do not fit the axes held",
            "[scheme]",
            "[[model.support]]\ngroup = \"top\"\nfix = [\"x\"]\nmotion = [0.0, 0.0]\n[scheme]",
            "E111",
        ),
        refused(
            "supports that contradict each other",
            "[scheme]",
            "[[model.support]]\ngroup = \"top\"\n[[model.support]]\ngroup = \"top\"\nmotion = [0.0, 1e-3]\n[scheme]",
            "E152",
        ),
        refused("supports that hold every node", "[scheme]", "[[model.support]]\ngroup = \"solid\"\n[scheme]", "E182"),
        refused(
            "a load of two kinds",
            "[scheme]",
            "[[model.load]]\ngroup = \"top\"\npressure = 1.0\ntraction = [0.0, 1.0]\n[scheme]",
            "E152",
        ),
        refused("a load that does nothing", "[scheme]", "[[model.load]]\ngroup = \"top\"\n[scheme]", "E152"),
        refused(
            "a traction in space on a plane solid",
            "[scheme]",
            "[[model.load]]\ngroup = \"top\"\ntraction = [0.0, 0.0, 1.0]\n[scheme]",
            "E111",
        ),
        mesh("a mesh of another format", "$MeshFormat\n2.2", "$MeshFormat\n3.7", "E180"),
        mesh("a file that is no mesh", "$MeshFormat", "solid ascii", "E180"),
        mesh("a mesh that ends too early", "$EndElements\n", "", "E180"),
        mesh("more nodes announced than there are", "$Nodes\n30", "$Nodes\n31", "E180"),
        mesh("more nodes announced than a file can hold", "$Nodes\n30", "$Nodes\n9000000000000000000", "E180"),
        mesh("an element with a node that is not there", "3 2 1 1 1 2 7 6", "3 2 1 1 1 2 7 99", "E180"),
        mesh("an element of an unknown kind", "3 2 1 1 1 2 7 6", "77 2 1 1 1 2 7 6", "E180"),
        mesh("an element that overlaps itself", "3 2 1 1 1 2 7 6", "3 2 1 1 1 7 2 6", "E182"),
        mesh("an element without area", "3 2 1 1 1 2 7 6", "3 2 1 1 1 2 3 2", "E180"),
        mesh("a node at infinity", "7 0.01 0.02 0", "7 inf 0.02 0", "E180"),
        mesh("a node outside the plane", "7 0.01 0.02 0", "7 0.01 0.02 0.5", "E182"),
        mesh(
            "a mesh without groups",
            "$PhysicalNames\n4\n2 1 \"solid\"\n1 2 \"bottom\"\n1 3 \"top\"\n0 4 \"corner\"\n$EndPhysicalNames\n",
            "",
            "E181",
        ),
    ],
);
