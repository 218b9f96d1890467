//! Names of runs shown together: the scheme, and as much more as tells them apart.

use crate::number::digits;
use crate::report::Report;

/// One name per run, all different.
pub fn run_labels(reports: &[Report]) -> Vec<String> {
    let scenarios_differ = differ(reports, |r| r.info.scenario.clone());
    let schemes_differ = differ(reports, |r| r.info.scheme.clone());
    let mut labels: Vec<String> = reports
        .iter()
        .map(|r| {
            let twins: Vec<&Report> = reports.iter().filter(|o| o.info.scheme == r.info.scheme).collect();
            let mut parts = Vec::new();
            if scenarios_differ {
                parts.push(r.info.scenario.clone());
            }
            // the parameters in which runs of one scheme differ
            let settings = || {
                r.info.scheme_parameters.iter().filter(|p| twins.iter().any(|o| !o.info.scheme_parameters.contains(p)))
            };
            parts.extend(settings().map(|(k, v)| format!("{k} = {v}")));
            if twins.iter().any(|o| o.info.step != r.info.step) {
                parts.push(format!("h = {}", digits(r.info.step, 4)));
            }
            if schemes_differ || parts.is_empty() {
                parts.insert(0, if r.info.scheme.is_empty() { "run".to_string() } else { r.info.scheme.clone() });
            }
            parts.join(", ")
        })
        .collect();
    if (1..labels.len()).any(|i| labels[..i].contains(&labels[i])) {
        labels.iter_mut().enumerate().for_each(|(i, label)| *label = format!("{}. {label}", i + 1));
    }
    labels
}

fn differ(reports: &[Report], key: impl Fn(&Report) -> String) -> bool {
    reports.windows(2).any(|w| key(&w[0]) != key(&w[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Meta, ReportBuilder, RunInfo};

    fn run(scheme: &str, theta: &str, step: f64) -> Report {
        let scheme_parameters = vec![("theta".to_string(), theta.to_string())];
        ReportBuilder::new(Meta::default()).finish(RunInfo {
            scheme: scheme.into(),
            scheme_parameters,
            step,
            ..RunInfo::default()
        })
    }

    #[test]
    fn as_much_as_tells_them_apart() {
        assert_eq!(run_labels(&[run("a", "1", 0.1), run("b", "1", 0.1)]), ["a", "b"]);
        assert_eq!(run_labels(&[run("a", "1", 0.1), run("a", "0.5", 0.1)]), ["theta = 1", "theta = 0.5"]);
        assert_eq!(
            run_labels(&[run("a", "1", 0.1), run("a", "1", 0.2), run("b", "1", 0.1)]),
            ["a, h = 0.1", "a, h = 0.2", "b"]
        );
        assert_eq!(run_labels(&[run("a", "1", 0.1), run("a", "1", 0.1)]), ["1. a", "2. a"]);
    }
}
