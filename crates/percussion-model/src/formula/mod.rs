//! Formulas of a user: arithmetic on named variables, differentiated by dual numbers.
//!
//!   "2*sin(3*t) + max(0, t - 1)^2"   →   t 3 · sin 2 · …   (reverse Polish, evaluated on a stack)
//!
//! A formula reads nothing but its variables and cannot loop: its cost is its length.

mod corner;
mod function;
mod jump;
mod parse;
mod portable;

pub use function::Function;

use crate::{InputError, Number};
use num_dual::Dual2_64;
use percussion_matrix::math;

/// The most values an evaluation keeps at once.
const STACK: usize = 64;

/// One operation on the stack.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Number(f64),
    Variable(usize),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    /// x^n with a whole n.
    Integer(i32),
    /// x^c with a c that no variable changes.
    Constant,
    /// x^y.
    Power,
    Call(Function),
}

/// A formula that can be evaluated.
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    operations: Vec<Operation>,
    /// Whether a function in it changes over from one branch to another.
    switching: bool,
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.operations == other.operations
    }
}

impl Formula {
    /// Reads a formula whose variables have these names.
    pub fn new(text: &str, variables: &[&str]) -> Result<Self, InputError> {
        Self::with_constants(text, variables, &[])
    }

    /// Reads a formula that also knows constants by name.
    pub fn with_constants(text: &str, variables: &[&str], constants: &[(&str, f64)]) -> Result<Self, InputError> {
        let operations = parse::parse(text, variables, constants)?;
        let switching = operations.iter().any(|operation| matches!(operation, Operation::Call(f) if f.changes_over()));
        Ok(Self { text: text.to_string(), operations, switching })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a variable occurs in it.
    pub fn uses(&self, variable: usize) -> bool {
        self.operations.contains(&Operation::Variable(variable))
    }

    /// Whether a variable occurs in the exponent of a power.
    pub fn is_exponent(&self, variable: usize) -> bool {
        let mut stack: Vec<bool> = Vec::new();
        for operation in &self.operations {
            let taken = match *operation {
                Operation::Number(_) | Operation::Variable(_) => 0,
                Operation::Negate | Operation::Integer(_) => 1,
                Operation::Add
                | Operation::Subtract
                | Operation::Multiply
                | Operation::Divide
                | Operation::Constant
                | Operation::Power => 2,
                Operation::Call(function) => function.arguments(),
            };
            let given = stack.split_off(stack.len() - taken);
            if *operation == Operation::Power && given[1] {
                return true;
            }
            stack.push(*operation == Operation::Variable(variable) || given.contains(&true));
        }
        false
    }

    /// The value at plain numbers.
    #[inline]
    pub fn at(&self, variables: &[f64]) -> f64 {
        self.value(variables)
    }

    /// The value where variables are numbers that may carry derivatives.
    pub fn value<D: Number>(&self, variables: &[D]) -> D {
        self.evaluated(variables, |_, _| {})
    }

    /// The value; `tell` is told of every function that is called and what it is given.
    #[inline]
    fn evaluated<D: Number>(&self, variables: &[D], mut tell: impl FnMut(Function, &[D])) -> D {
        let mut stack = [D::from(0.0); STACK];
        let mut n = 0;
        for operation in &self.operations {
            match *operation {
                Operation::Number(x) => {
                    stack[n] = D::from(x);
                    n += 1;
                }
                Operation::Variable(k) => {
                    stack[n] = variables[k];
                    n += 1;
                }
                Operation::Negate => stack[n - 1] = -stack[n - 1],
                Operation::Integer(k) => stack[n - 1] = stack[n - 1].powi(k),
                Operation::Add
                | Operation::Subtract
                | Operation::Multiply
                | Operation::Divide
                | Operation::Constant
                | Operation::Power => {
                    n -= 1;
                    let (a, b) = (stack[n - 1], stack[n]);
                    stack[n - 1] = combine(*operation, a, b);
                }
                Operation::Call(function) => {
                    n -= function.arguments();
                    tell(function, &stack[n..n + function.arguments()]);
                    stack[n] = function.value(&stack[n..n + function.arguments()]);
                    n += 1;
                }
            }
        }
        stack[0]
    }

    /// Value and two derivatives of a formula in one variable.
    pub fn jet(&self, t: f64) -> [f64; 3] {
        let value = self.value(&[Dual2_64::new(t, 1.0, 0.0)]);
        [value.re, value.v1, value.v2]
    }
}

fn combine<D: Number>(operation: Operation, a: D, b: D) -> D {
    match operation {
        Operation::Add => a + b,
        Operation::Subtract => a - b,
        Operation::Multiply => a * b,
        Operation::Divide => a / b,
        Operation::Constant if math::is_portable() => portable::powf(a, b.re()),
        Operation::Power if math::is_portable() => portable::exp(portable::ln(a) * b),
        Operation::Constant => a.powf(b.re()),
        Operation::Power => (a.ln() * b).exp(),
        Operation::Number(_)
        | Operation::Variable(_)
        | Operation::Negate
        | Operation::Integer(_)
        | Operation::Call(_) => a,
    }
}

#[cfg(test)]
mod tests;
