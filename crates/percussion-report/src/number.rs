//! Numbers as people read them: four digits, powers of ten as ×10ⁿ, a real minus sign.

/// Four significant digits; "–" for what is not finite.
pub fn short(x: f64) -> String {
    digits(x, 4)
}

/// `n` significant digits without trailing zeros.
pub fn digits(x: f64, n: usize) -> String {
    if !x.is_finite() {
        return "–".to_string();
    }
    if x == 0.0 {
        return "0".to_string();
    }
    // let the formatter round first: 9.9996 has exponent 1, not 0
    let scientific = format!("{:.*e}", n.saturating_sub(1), x);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-3..=4).contains(&exponent) {
        let decimals = (n as i32 - 1 - exponent).max(0) as usize;
        return minus(trim(&format!("{x:.decimals$}")));
    }
    format!("{}×10{}", minus(trim(mantissa)), superscript(exponent))
}

/// A sentence whose powers of ten, 1.3e-15, are set as people read them.
pub fn readable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        // a digit of a name, x_2 or sphere.1e3, is no beginning of a number
        let named = rest[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let end = at + rest[at..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len() - at);
        let power = if named { 0 } else { power(&rest[end..]) };
        let number = &rest[at..end + power];
        let minus = rest[..at].ends_with('-') && power > 0;
        out.push_str(&rest[..at - usize::from(minus)]);
        match number.parse::<f64>() {
            Ok(x) if power > 0 => out.push_str(&short(if minus { -x } else { x })),
            _ => out.push_str(number),
        }
        rest = &rest[end + power..];
    }
    out + rest
}

/// How many letters of "e-15" or "e3" a text begins with.
fn power(text: &str) -> usize {
    let Some(after) = text.strip_prefix('e') else { return 0 };
    let sign = usize::from(after.starts_with(['-', '+']));
    match after[sign..].chars().take_while(char::is_ascii_digit).count() {
        0 => 0,
        n => 1 + sign + n,
    }
}

/// With an explicit sign, for entries of an account.
pub fn signed(x: f64) -> String {
    if x > 0.0 { format!("+{}", short(x)) } else { short(x) }
}

/// 10⁻⁹ without its ten.
pub fn superscript(n: i32) -> String {
    n.to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            c => char::from_u32('⁰' as u32 + c.to_digit(10).unwrap_or(0)).unwrap_or('⁰'),
        })
        .collect()
}

/// A typographic minus.
pub fn minus(text: &str) -> String {
    text.replace('-', "−")
}

fn trim(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers() {
        for (x, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-0.5, "−0.5"),
            (0.8010000001, "0.801"),
            (9.99996, "10"),
            (12345.6, "12346"),
            (1.0e5, "1×10⁵"),
            (-2.5e-9, "−2.5×10⁻⁹"),
            (1e-300, "1×10⁻³⁰⁰"),
            (f64::NAN, "–"),
            (f64::INFINITY, "–"),
        ] {
            assert_eq!(short(x), text);
        }
        assert_eq!(signed(2.0), "+2");
        for (text, read) in [
            ("ledger closes to 1.3e-15 J of 10.0100 J", "ledger closes to 1.3×10⁻¹⁵ J of 10.0100 J"),
            ("residual 0.0e0 (asked 1e-10)", "residual 0 (asked 1×10⁻¹⁰)"),
            ("by -4.400e-4 m; 2e5", "by −4.4×10⁻⁴ m; 2×10⁵"),
            ("\"box.1e3\" and \"n2e4\" at t = 0.5 s", "\"box.1e3\" and \"n2e4\" at t = 0.5 s"),
            ("2 even, 1.5 e", "2 even, 1.5 e"),
            ("θ 1e-3", "θ 0.001"),
        ] {
            assert_eq!(readable(text), read);
        }
        assert_eq!(superscript(-1234567890), "⁻¹²³⁴⁵⁶⁷⁸⁹⁰");
    }
}
