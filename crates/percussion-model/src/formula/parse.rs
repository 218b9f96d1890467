//! From text to operations: precedence climbing, the deepest nesting and the longest stack bounded.
//!
//!   sum = product {(+|−) product},   product = power {(·|/) power},   power = [−] atom [^ power],
//!   atom = number | name | name(sum, …) | (sum)

use super::{Function, Operation, STACK};
use crate::{Code, InputError};

/// Brackets inside brackets.
const DEEPEST: usize = 64;
/// The longest text.
const LONGEST: usize = 20_000;

/// The operations of a formula, in the order in which they are done.
pub fn parse(text: &str, variables: &[&str], constants: &[(&str, f64)]) -> Result<Vec<Operation>, InputError> {
    if text.len() > LONGEST {
        let message = format!("has {} characters; the limit is {LONGEST}", text.len());
        return Err(InputError::new(Code::BAD_FORMULA, "", message, "use a table"));
    }
    let mut parser = Parser { text, place: 0, variables, constants, operations: Vec::new(), depth: 0, held: 0 };
    parser.sum()?;
    parser.skip_spaces();
    if parser.place < text.len() {
        return Err(parser.refuse("cannot be read from here on"));
    }
    Ok(parser.operations)
}

struct Parser<'a> {
    text: &'a str,
    /// The next byte.
    place: usize,
    variables: &'a [&'a str],
    constants: &'a [(&'a str, f64)],
    operations: Vec<Operation>,
    depth: usize,
    /// Values on the stack after the operations so far.
    held: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<(), InputError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.refuse("lies too deep in brackets"));
        }
        self.product()?;
        while let Some(sign) = self.take_one(&['+', '-']) {
            self.product()?;
            self.push(if sign == '+' { Operation::Add } else { Operation::Subtract })?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn product(&mut self) -> Result<(), InputError> {
        self.signed()?;
        while let Some(sign) = self.take_one(&['*', '/']) {
            self.signed()?;
            self.push(if sign == '*' { Operation::Multiply } else { Operation::Divide })?;
        }
        Ok(())
    }

    /// −x^2 is −(x²); signs are counted, not nested.
    fn signed(&mut self) -> Result<(), InputError> {
        let mut negative = false;
        while let Some(sign) = self.take_one(&['+', '-']) {
            negative ^= sign == '-';
        }
        self.power()?;
        if negative { self.push(Operation::Negate) } else { Ok(()) }
    }

    fn power(&mut self) -> Result<(), InputError> {
        self.atom()?;
        if !self.take_power() {
            return Ok(());
        }
        // from the right: a^b^c is a^(b^c)
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.refuse("has too many powers of powers"));
        }
        let before = self.operations.len();
        self.signed()?;
        self.depth -= 1;
        match self.operations[before..] {
            [Operation::Number(x)] if whole(x) => self.replace(1, Operation::Integer(x as i32)),
            [Operation::Number(x), Operation::Negate] if whole(x) => self.replace(2, Operation::Integer(-(x as i32))),
            ref exponent => {
                let varies = exponent.iter().any(|operation| matches!(operation, Operation::Variable(_)));
                self.push(if varies { Operation::Power } else { Operation::Constant })
            }
        }
    }

    fn atom(&mut self) -> Result<(), InputError> {
        self.skip_spaces();
        let rest = &self.text[self.place..];
        match rest.chars().next() {
            Some('(') => {
                self.place += 1;
                self.sum()?;
                self.expect(')')
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            Some(_) => Err(self.refuse("needs a number, a name or a bracket here")),
            None => Err(self.refuse("ends where a number or a name should stand")),
        }
    }

    fn number(&mut self) -> Result<(), InputError> {
        let rest = &self.text[self.place..];
        let bytes = rest.as_bytes();
        let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut end = digits(0);
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent > end + 1 + sign {
                end = exponent;
            }
        }
        match rest[..end].parse::<f64>() {
            Ok(x) if x.is_finite() => {
                self.place += end;
                self.push(Operation::Number(x))
            }
            _ => Err(self.refuse("has a number that cannot be read")),
        }
    }

    fn name(&mut self) -> Result<(), InputError> {
        let rest = &self.text[self.place..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = &rest[..end];
        let start = self.place;
        if let Some(k) = self.variables.iter().position(|known| *known == name) {
            self.place += end;
            return self.push(Operation::Variable(k));
        }
        if let Some(&(_, x)) = self.constants.iter().find(|(known, _)| *known == name) {
            self.place += end;
            return self.push(Operation::Number(x));
        }
        if let Some(function) = Function::named(name) {
            self.place += end;
            return self.call(function);
        }
        let constant = match name {
            "pi" | "π" => std::f64::consts::PI,
            "e" => std::f64::consts::E,
            _ => {
                self.place = start;
                let constants: Vec<&str> = self.constants.iter().map(|(name, _)| *name).collect();
                let known = [self.variables, &constants, &["pi", "e"], Function::NAMES].concat().join(", ");
                let message = format!("does not know \"{name}\"");
                return Err(InputError { help: format!("known are: {known}"), ..self.refuse(&message) });
            }
        };
        self.place += end;
        self.push(Operation::Number(constant))
    }

    fn call(&mut self, function: Function) -> Result<(), InputError> {
        self.expect('(')?;
        for k in 0..function.arguments() {
            if k > 0 {
                self.expect(',')?;
            }
            self.sum()?;
        }
        self.expect(')')?;
        self.push(Operation::Call(function))
    }

    /// Adds an operation and sees to it that the stack suffices.
    fn push(&mut self, operation: Operation) -> Result<(), InputError> {
        self.held = match operation {
            Operation::Number(_) | Operation::Variable(_) => self.held + 1,
            Operation::Negate | Operation::Integer(_) => self.held,
            Operation::Add
            | Operation::Subtract
            | Operation::Multiply
            | Operation::Divide
            | Operation::Constant
            | Operation::Power => self.held - 1,
            Operation::Call(function) => self.held + 1 - function.arguments(),
        };
        if self.held > STACK {
            return Err(self.refuse("keeps too many values at once"));
        }
        self.operations.push(operation);
        Ok(())
    }

    /// One operation in the place of the last few, which put one value on the stack.
    fn replace(&mut self, last: usize, operation: Operation) -> Result<(), InputError> {
        self.operations.truncate(self.operations.len() - last);
        self.held -= 1;
        self.push(operation)
    }

    fn skip_spaces(&mut self) {
        let rest = &self.text[self.place..];
        self.place += rest.len() - rest.trim_start().len();
    }

    /// ^ or **.
    fn take_power(&mut self) -> bool {
        self.skip_spaces();
        let rest = &self.text[self.place..];
        let length = if rest.starts_with("**") { 2 } else { usize::from(rest.starts_with('^')) };
        self.place += length;
        length > 0
    }

    fn take_one(&mut self, signs: &[char]) -> Option<char> {
        self.skip_spaces();
        let next = self.text[self.place..].chars().next().filter(|c| signs.contains(c))?;
        self.place += next.len_utf8();
        Some(next)
    }

    fn expect(&mut self, sign: char) -> Result<(), InputError> {
        match self.take_one(&[sign]) {
            Some(_) => Ok(()),
            None => Err(self.refuse(&format!("needs \"{sign}\" here"))),
        }
    }

    /// What is wrong, with the place pointed at.
    fn refuse(&self, message: &str) -> InputError {
        let before = &self.text[..self.place];
        let shown: String = self.text[self.place..].chars().take(20).collect();
        let place = if shown.is_empty() { "at its end".into() } else { format!("at \"{shown}\"") };
        let message = format!("{message}: character {}, {place}", before.chars().count() + 1);
        let help = "write sums, products, powers (^) and functions such as sin(2*pi*t)";
        InputError::new(Code::BAD_FORMULA, "formula", message, help)
    }
}

/// A whole number that a power can take as such.
fn whole(x: f64) -> bool {
    x.fract() == 0.0 && x.abs() <= 1000.0
}
