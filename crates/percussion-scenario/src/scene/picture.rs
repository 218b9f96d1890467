//! The picture of a model given by formulas: a few shapes whose places are formulas of the coordinates and of time.
//!
//!   (x, y, angle) = formulas(q, t), evaluated at every state that is drawn

use super::{here, wall};
use crate::format::keys::formula::{FormulaSpec, FormulaText, PictureShapeSpec, PictureSpec};
use crate::format::keys::nonlinear::OwnSpec;
use percussion_model::nonlinear::FormulaParts;
use percussion_model::{Code, Formula, InputError, Signal};
use percussion_report::{Coordinate, Geometry, Place, Role, SceneDescription, Shape};

/// Shapes, and the formulas behind the coordinates they count.
#[derive(Clone, Debug)]
pub struct Picture {
    formulas: Vec<Formula>,
    /// Parameters that vary, variables after t.
    signals: Vec<Signal>,
    /// The shapes.
    pub scene: SceneDescription,
}

impl Picture {
    /// Of a model that has one; refuses formulas that cannot be read.
    pub fn of(spec: &FormulaSpec) -> Result<Option<Self>, InputError> {
        let FormulaParts { coordinates, parameters, .. } = spec.parts();
        Self::with_names(spec.picture.as_ref(), &coordinates, &parameters)
    }

    /// Of a model a program handed over, the names of its coordinates being q0, q1, … where it has given none.
    pub fn of_own(spec: &OwnSpec, n: usize) -> Result<Option<Self>, InputError> {
        let named = &spec.coordinates;
        let names: Vec<String> = (0..n).map(|k| named.get(k).cloned().unwrap_or(format!("q{k}"))).collect();
        Self::with_names(spec.picture.as_ref(), &names, &[])
    }

    fn with_names(
        picture: Option<&PictureSpec>,
        coordinates: &[String],
        parameters: &[(String, Signal)],
    ) -> Result<Option<Self>, InputError> {
        let Some(picture) = picture else { return Ok(None) };
        let (constant, varying): (Vec<_>, Vec<_>) = parameters.iter().cloned().partition(|(_, x)| x.is_constant());
        let mut maker = Maker { coordinates, constant: &constant, varying: &varying, formulas: Vec::new() };
        let mut shapes = Vec::new();
        for (k, shape) in picture.shapes.iter().enumerate() {
            shapes.push(maker.shape(shape, &format!("model.picture.shapes[{k}]"))?);
        }
        let scene = SceneDescription {
            space: false,
            shapes,
            contacts: Vec::new(),
            note: String::new(),
            ..SceneDescription::default()
        };
        let formulas = maker.formulas;
        Ok(Some(Self { formulas, signals: varying.into_iter().map(|(_, signal)| signal).collect(), scene }))
    }

    /// How many coordinates the shapes count.
    pub fn count(&self) -> usize {
        self.formulas.len()
    }

    /// Their values at a state.
    pub fn values(&self, q: &[f64], t: f64, values: &mut Vec<f64>) {
        let variables: Vec<f64> = q.iter().copied().chain([t]).chain(self.signals.iter().map(|s| s.at(t))).collect();
        values.clear();
        values.extend(self.formulas.iter().map(|formula| formula.at(&variables)));
    }
}

/// Reads formulas one after the other.
struct Maker<'a> {
    coordinates: &'a [String],
    constant: &'a [(String, Signal)],
    varying: &'a [(String, Signal)],
    formulas: Vec<Formula>,
}

impl Maker<'_> {
    /// A formula as a coordinate of the picture; numbers stay numbers.
    fn coordinate(&mut self, text: &FormulaText, field: &str) -> Result<Coordinate, InputError> {
        let mut variables: Vec<&str> = self.coordinates.iter().map(String::as_str).collect();
        variables.push("t");
        variables.extend(self.varying.iter().map(|(name, _)| name.as_str()));
        let constants: Vec<(&str, f64)> = self.constant.iter().map(|(name, x)| (name.as_str(), x.at(0.0))).collect();
        let formula = Formula::with_constants(&text.0, &variables, &constants)
            .map_err(|error| InputError { field: field.into(), ..error })?;
        if (0..variables.len()).any(|k| formula.uses(k)) {
            self.formulas.push(formula);
            return Ok(Coordinate::q(self.formulas.len() - 1, 0.0));
        }
        Ok(Coordinate::constant(formula.at(&vec![0.0; variables.len()])))
    }

    /// A point of the plane.
    fn point(&mut self, texts: &[FormulaText], field: &str) -> Result<[Coordinate; 3], InputError> {
        let [x, y] = texts else {
            let message = format!("has {} entries", texts.len());
            return Err(InputError::new(Code::BAD_SHAPE, field, message, "give x and y"));
        };
        Ok(Coordinate::plane(self.coordinate(x, field)?, self.coordinate(y, field)?))
    }

    fn shape(&mut self, spec: &PictureShapeSpec, field: &str) -> Result<Shape, InputError> {
        for (name, x) in [("radius", spec.radius), ("thickness", spec.thickness)] {
            if !(x > 0.0 && x.is_finite()) {
                let message = format!("is {x}, where a positive number is expected");
                return Err(InputError::new(
                    Code::WRONG_TYPE,
                    format!("{field}.{name}"),
                    message,
                    "give its size in metres",
                ));
            }
        }
        let points: Vec<[Coordinate; 3]> =
            spec.points.iter().map(|p| self.point(p, &format!("{field}.points"))).collect::<Result<_, _>>()?;
        let position = match spec.position.as_slice() {
            [] => Coordinate::plane(Coordinate::default(), Coordinate::default()),
            texts => self.point(texts, &format!("{field}.position"))?,
        };
        let angle = match &spec.angle {
            Some(text) => self.coordinate(text, &format!("{field}.angle"))?,
            None => Coordinate::default(),
        };
        let needs = |n: usize| {
            let help = "give points = [[\"x\", \"y\"], …]";
            let message = format!("has {} points", spec.points.len());
            if points.len() >= n {
                Ok(())
            } else {
                Err(InputError::new(Code::BAD_SHAPE, format!("{field}.points"), message, help))
            }
        };
        let (geometry, place) = match spec.kind.as_str() {
            "disc" => (Geometry::Sphere { radius: spec.radius }, Place::Coordinates { position, angle }),
            "box" => {
                let size = [spec.size.first(), spec.size.get(1)].map(|x| x.copied().unwrap_or(0.1));
                (Geometry::Box { size: [size[0], size[1], size[0]] }, Place::Coordinates { position, angle })
            }
            "spring" => {
                needs(2)?;
                let ends = Box::new([points[0].clone(), points[1].clone()]);
                (Geometry::Spring { ends, width: 4.0 * spec.thickness }, here())
            }
            "wall" => {
                let normal = [spec.normal.first(), spec.normal.get(1)].map(|x| x.copied());
                let normal = [normal[0].unwrap_or(0.0), normal[1].unwrap_or(1.0), 0.0];
                return Ok(wall("wall", position, normal, 0.0));
            }
            "line" => {
                needs(2)?;
                let thickness = spec.thickness;
                (Geometry::Polyline { points, angles: Vec::new(), thickness, strain: false, swept: None }, here())
            }
            other => {
                let message = format!("\"{other}\" is nothing that can be drawn");
                let help = "use \"disc\", \"box\", \"line\", \"spring\" or \"wall\"";
                return Err(InputError::new(Code::WRONG_TYPE, format!("{field}.kind"), message, help));
            }
        };
        Ok(Shape { name: spec.kind.clone(), role: Role::Body, geometry, place })
    }
}
