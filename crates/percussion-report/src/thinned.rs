//! A table of bounded size: all rows while they fit, then every 2ⁿ-th and those marked to be kept.
//!
//! As in run folders, a row stands for those left out before it: works and impulses are summed, of residuals the largest
//! stays. The first and the last row are always there.

/// What becomes of a column where rows are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The value of the row that stays.
    Value,
    /// The sum over the row and those left out before it.
    Sum,
    /// The one of largest size.
    Largest,
}

/// Rows of numbers in constant memory.
#[derive(Clone, Debug, Default)]
pub struct Thinned {
    rules: Vec<Rule>,
    /// Rows to end with, about.
    capacity: usize,
    values: Vec<f64>,
    /// (ordinal of the group, keep) of each row; rows of one group stay or go together.
    rows: Vec<(u64, bool)>,
    group: Option<u64>,
    ordinal: u64,
    stride: u64,
    after_thinning: usize,
    seen: u64,
    kept: usize,
}

impl Thinned {
    /// Nothing yet; keeps about `capacity` rows.
    pub fn new(rules: Vec<Rule>, capacity: usize) -> Self {
        Self { rules, capacity: capacity.max(2), stride: 1, ..Self::default() }
    }

    /// Adds a row of a group (the number of the step); a row to `keep` stays while half the room is left for the others.
    pub fn push(&mut self, group: u64, keep: bool, row: impl IntoIterator<Item = f64>) {
        self.values.extend(row.into_iter().chain(std::iter::repeat(f64::NAN)).take(self.rules.len()));
        let keep = keep && self.kept < self.capacity / 2;
        self.kept += usize::from(keep);
        if self.group.replace(group).is_some_and(|last| last != group) {
            self.ordinal += 1;
        }
        self.rows.push((self.ordinal, keep));
        self.seen += 1;
        if self.rows.len() >= 2 * self.capacity.max(self.after_thinning) {
            self.thin(self.capacity);
            self.after_thinning = self.rows.len();
        }
    }

    /// The same with so many times less room.
    pub fn shared(&self, runs: usize) -> Self {
        self.at_most(self.capacity / runs.max(1))
    }

    /// Rows seen.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Numbers in a row.
    pub fn n_columns(&self) -> usize {
        self.rules.len()
    }

    /// Column j.
    pub fn column(&self, j: usize) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().skip(j).step_by(self.rules.len().max(1)).copied()
    }

    /// With at most about so many rows, and never more than it was made for.
    fn at_most(&self, capacity: usize) -> Self {
        let mut fewer = self.clone();
        let capacity = capacity.max(2).min(self.capacity);
        if fewer.rows.len() > capacity {
            fewer.thin(capacity);
        }
        fewer
    }

    // doubles the stride until the rows fit; of more kept rows than half the room every second one is kept
    fn thin(&mut self, capacity: usize) {
        while self.kept > capacity / 2 {
            let mut second = false;
            for (_, keep) in self.rows.iter_mut().filter(|row| row.1) {
                *keep = second;
                self.kept -= usize::from(!second);
                second = !second;
            }
        }
        // rows that came since are as dense as they came; a group larger than the room stays whole
        self.drop_others();
        while self.rows.len() > capacity && self.stride <= self.ordinal {
            self.stride *= 2;
            self.drop_others();
        }
    }

    fn drop_others(&mut self) {
        let n = self.rules.len();
        let mut to = 0;
        let mut carried: Option<usize> = None;
        for from in 0..self.rows.len() {
            let (ordinal, keep) = self.rows[from];
            // what was left out before joins this row, whether it stays or is carried on
            if let Some(earlier) = carried.take() {
                for j in 0..n {
                    let (a, b) = (self.values[earlier * n + j], self.values[from * n + j]);
                    self.values[from * n + j] = joined(self.rules[j], a, b);
                }
            }
            if ordinal.is_multiple_of(self.stride) || keep || ordinal == self.ordinal {
                self.values.copy_within(from * n..(from + 1) * n, to * n);
                self.rows[to] = self.rows[from];
                to += 1;
            } else {
                carried = Some(from);
            }
        }
        self.values.truncate(to * n);
        self.rows.truncate(to);
    }
}

fn joined(rule: Rule, earlier: f64, value: f64) -> f64 {
    match rule {
        Rule::Value => value,
        Rule::Sum => earlier + value,
        Rule::Largest if earlier.abs() > value.abs() => earlier,
        Rule::Largest => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: u64, capacity: usize, keep: impl Fn(u64) -> bool) -> Thinned {
        let mut table = Thinned::new(vec![Rule::Value, Rule::Sum, Rule::Largest], capacity);
        for k in 0..rows {
            let x = k as f64;
            table.push(k, keep(k), [x, 1.0, if k == 777 { -9.0 } else { x.sin() }]);
        }
        table
    }

    /// Of 10⁵ rows about the capacity stays: ends and kept rows among them, sums and the largest unharmed.
    #[test]
    fn sums_and_ends_survive() {
        let table = table(100_000, 500, |k| k % 9973 == 5);
        for (table, most) in [(table.at_most(500), 500), (table.at_most(100), 100)] {
            assert!(table.len() <= most && table.len() >= 40, "{}", table.len());
            let t: Vec<f64> = table.column(0).collect();
            assert!(t.windows(2).all(|w| w[0] < w[1]));
            assert_eq!((t[0], t[t.len() - 1]), (0.0, 99_999.0));
            assert_eq!(table.column(1).sum::<f64>(), 100_000.0);
            assert_eq!(table.column(2).fold(0.0, |m: f64, x| if x.abs() > m.abs() { x } else { m }), -9.0);
            assert!((0..10).all(|i| t.contains(&(9973.0 * i as f64 + 5.0))));
            assert_eq!(table.seen(), 100_000);
        }
    }

    /// Few rows are all there; more rows to keep than there is room do not break the bound.
    #[test]
    fn small_tables_are_whole_and_kept_rows_are_bounded() {
        assert_eq!(table(100, 100, |_| false).at_most(100).len(), 100);
        let crowded = table(50_000, 200, |_| true);
        assert!(crowded.at_most(200).len() <= 200 && crowded.len() <= 400);
        assert!(crowded.at_most(2).len() <= 4);
        let mut groups = Thinned::new(vec![Rule::Value], 10);
        (0..1000).for_each(|k| groups.push(k / 50, false, [k as f64]));
        assert!(groups.at_most(10).len() == 100, "the first group and the last");
    }
}
