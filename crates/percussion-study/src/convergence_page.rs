//! A convergence study as CSV and as a page: error against step, error against work, and the table.

use crate::compare::quoted;
use crate::converge::{Convergence, Levels, MEASURES, Measure, Order, Shortfall};
use percussion_report::{Block, Document, Line, Look, Plot, Table};
use percussion_scenario::{Result, write_text};
use percussion_step::measure::OrderFit;
use std::path::Path;

impl Convergence {
    /// One row per run; all columns but the last are the same whatever the number of threads.
    pub fn csv(&self) -> String {
        let mut text = format!(
            "scheme,{},steps,work,l1_q,l1_v,relative_q,relative_v,l2_q,max_q,hausdorff_q,hausdorff_v,lp_q,lp_v,penetration,status,wall_s\n",
            self.levels.name()
        );
        for row in &self.rows {
            let mut cells = vec![
                quoted(&self.labels[row.variant]),
                format!("{:e}", row.level),
                row.steps.to_string(),
                row.work.to_string(),
            ];
            match &row.errors {
                Ok(e) => {
                    let all = [e.l1_q, e.l1_v, e.relative_q, e.relative_v, e.l2_q, e.max_q];
                    cells.extend(all.map(number));
                    cells.extend(
                        [e.hausdorff_q, e.hausdorff_v, e.lp_q, e.lp_v].map(|x| x.map_or(String::new(), number)),
                    );
                }
                Err(_) => cells.extend(std::iter::repeat_n(String::new(), 10)),
            }
            cells.push(format!("{:e}", row.penetration));
            cells.push(row.errors.as_ref().map_or_else(Shortfall::status, |_| "finished".into()));
            cells.push(format!("{:.3e}", row.wall_s));
            text += &cells.join(",");
            text.push('\n');
        }
        text
    }

    /// One row per scheme and measure.
    pub fn orders_csv(&self) -> String {
        let mut text = String::from("scheme,measure,order,scatter,constant,at_round_off\n");
        for order in self.orders() {
            let name = quoted(&self.labels[order.variant]);
            let fit = order.fit.map_or(",,".into(), |f| format!("{:e},{:e},{:e}", f.order, f.scatter, f.constant));
            text += &format!("{name},{},{fit},{}\n", order.measure, order.at_round_off);
        }
        text
    }

    /// The page.
    pub fn document(&self) -> Document {
        let subtitle = format!("error against {}, measured against {}", self.levels.name(), self.reference);
        let mut blocks = vec![
            Block::Heading("Orders".into()),
            Block::Text(self.words()),
            Block::Table(self.order_table()),
            Block::Heading("Error and work".into()),
            Block::Figures(self.plots().into_iter().map(|plot| (plot, None)).collect()),
            Block::Heading("Runs".into()),
            Block::Table(self.run_table()),
        ];
        let reasons = self.shortfalls();
        if !reasons.is_empty() {
            blocks.push(Block::Heading("Runs without errors to measure".into()));
            blocks.extend(reasons.into_iter().map(Block::Text));
        }
        Document { title: format!("{}: convergence", self.scenario), subtitle, up: None, blocks }
    }

    /// Writes `converge.csv`, `orders.csv` and `report.html`.
    pub fn write(&self, folder: &Path) -> Result<()> {
        write_text(&folder.join("converge.csv"), &self.csv())?;
        write_text(&folder.join("orders.csv"), &self.orders_csv())?;
        write_text(&folder.join("report.html"), &self.document().render())
    }

    /// What was refused and what failed, in words; a scheme that is refused at every level is named once.
    pub fn shortfalls(&self) -> Vec<String> {
        let mut list: Vec<String> = Vec::new();
        for row in &self.rows {
            let Err(short) = &row.errors else { continue };
            let label = &self.labels[row.variant];
            let text = match short.refused {
                true => format!("{label} refused: {} {}", short.code, short.words),
                false => format!("{label} at {:e}: {}", row.level, short.words),
            };
            if !list.contains(&text) {
                list.push(text);
            }
        }
        list
    }

    fn words(&self) -> String {
        let what = match self.levels {
            Levels::Steps(_) => "p of error ≈ C hᵖ",
            Levels::Tolerances(_) => "p of error ≈ C tolᵖ",
        };
        format!(
            "{what} by least squares of logarithms, with the standard error of p. L1 = h Σ|x_k − x(t_k)| over all coordinates; \
             errors of motions with impacts are not monotone in h, because where in its step an impact falls is chance. \
             Errors of a relative size below 10 ε √N over N steps are rounding, not h: they are left out of the fit, and the table says how many."
        )
    }

    fn order_table(&self) -> Table {
        let mut header = vec!["scheme".to_string()];
        let orders = self.orders();
        let measures: Vec<&str> = orders.iter().filter(|o| o.variant == 0).map(|o| o.measure).collect();
        // as the table of runs calls them
        header.extend(measures.iter().map(|name| {
            format!("order of {}", name.replace("l1_", "L1 ").replace("hausdorff_", "Hausdorff distance of "))
        }));
        let rows = self.labels.iter().enumerate().map(|(variant, label)| {
            let mut row = vec![label.clone()];
            row.extend(orders.iter().filter(|o| o.variant == variant).map(Order::words));
            row
        });
        Table { header, rows: rows.collect() }
    }

    fn run_table(&self) -> Table {
        let mut table = Table::new([
            "scheme",
            "level",
            "L1 q",
            "L1 v",
            "relative q",
            "steps computed",
            "wall time [s]",
            "penetration [m]",
        ]);
        table.header[1] = self.levels.name().to_string();
        for row in &self.rows {
            let error = |pick: fn(&crate::Errors) -> f64| {
                row.errors.as_ref().map_or_else(Shortfall::status, |e| format!("{:.3e}", pick(e)))
            };
            table.push([
                self.labels[row.variant].clone(),
                format!("{:.4e}", row.level),
                error(|e| e.l1_q),
                error(|e| e.l1_v),
                error(|e| e.relative_q),
                row.work.to_string(),
                format!("{:.1e}", row.wall_s),
                format!("{:.1e}", row.penetration),
            ]);
        }
        table
    }

    /// Error of q and of v against the level, with the fitted lines, and error of q against work.
    pub fn plots(&self) -> Vec<Plot> {
        let unit = match self.levels {
            Levels::Steps(_) => "h [s]",
            Levels::Tolerances(_) => "tolerance",
        };
        let error = |of: &str, measure: &Measure, label: &str| {
            let mut lines = Vec::new();
            for (variant, name) in self.labels.iter().enumerate() {
                let points: Vec<(f64, f64)> = self
                    .of(variant)
                    .filter_map(|row| row.errors.as_ref().ok().and_then(measure.pick).map(|e| (row.level, e)))
                    .collect();
                if points.is_empty() {
                    continue;
                }
                let order = self.order(variant, measure);
                let shown = format!("{name}: {}", order.words());
                lines.push(Line::new(shown, sorted(points.clone())).look(Look::Marks).colour(variant));
                if let Some(fit) = order.fit.filter(|_| points.len() > 1) {
                    let ends = points.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), p| (a.min(p.0), b.max(p.0)));
                    let at = |x: f64| (x, fit.constant * x.powf(fit.order));
                    let line = Line::new(String::new(), vec![at(ends.0), at(ends.1)]).look(Look::Dashed);
                    lines.push(Line { colour: Some(variant), ..line });
                }
            }
            Plot {
                title: format!("Error of {of}"),
                x_label: unit.into(),
                y_label: label.into(),
                log_x: true,
                log_y: true,
                lines,
                ..Plot::default()
            }
        };
        let work = |measure: &str, pick: fn(&crate::Errors) -> f64, label: &str| {
            let line = |(variant, name): (usize, &String)| {
                let points =
                    self.of(variant).filter_map(|row| Some((row.work as f64, pick(row.errors.as_ref().ok()?))));
                Line::new(name.clone(), sorted(points.collect())).look(Look::Marked).colour(variant)
            };
            Plot {
                title: format!("Work and precision, {measure}"),
                x_label: "steps computed".into(),
                y_label: label.into(),
                log_x: true,
                log_y: true,
                lines: self.labels.iter().enumerate().map(line).collect(),
                ..Plot::default()
            }
        };
        let [l1_q, l1_v, graph_q, graph_v, ..] = &MEASURES;
        let mut plots = vec![
            error("positions", l1_q, "L1 error of q"),
            error("velocities", l1_v, "L1 error of v"),
            work("positions", |e| e.l1_q, "L1 error of q"),
            work("velocities", |e| e.l1_v, "L1 error of v"),
        ];
        if self.measures().iter().any(|measure| measure.name == graph_q.name) {
            plots.push(error("positions as graphs", graph_q, "Hausdorff distance of q"));
            plots.push(error("velocities as graphs", graph_v, "Hausdorff distance of v"));
        }
        plots
    }
}

impl Shortfall {
    /// `E120 refused`, or the code of a failure.
    pub fn status(&self) -> String {
        if self.refused { format!("{} refused", self.code) } else { self.code.clone() }
    }
}

impl Order {
    /// `1.02 ± 0.05`, with how many errors were left out.
    pub fn words(&self) -> String {
        match self.at_round_off {
            0 => fitted(self.fit),
            n => format!("{} ({n} at round-off left out)", fitted(self.fit)),
        }
    }
}

/// `1.02 ± 0.05`.
pub fn fitted(fit: Option<OrderFit>) -> String {
    // two points have no scatter
    fit.map_or("–".into(), |fit| match fit.scatter {
        0.0 => format!("{:.2} (two points)", fit.order),
        scatter => format!("{:.2} ± {scatter:.2}", fit.order),
    })
}

fn sorted(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

fn number(x: f64) -> String {
    if x.is_finite() { format!("{x:e}") } else { String::new() }
}
