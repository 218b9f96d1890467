//! A page made of blocks, for studies and for the reproduction of papers: text, figures, tables, findings. No script.

use crate::escape::{escape, typeset};
use crate::page::{STYLE, head, policy};
use crate::plot::Plot;

/// Whether a statement was found true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// Within what is stated.
    Agrees,
    /// In part, as the text says.
    Partly,
    /// It was not found.
    Differs,
}

impl Agreement {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Partly => "in part",
            Self::Differs => "differs",
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Agrees => "pass",
            Self::Partly => "warn",
            Self::Differs => "fail",
        }
    }
}

/// A statement of a paper beside what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is stated, in words.
    pub statement: String,
    /// Where: "fig. 5", "§10.1", "reference table".
    pub place: String,
    /// The value stated, where there is one.
    pub stated: String,
    /// What was measured now.
    pub found: String,
    /// How far off, in words; empty where a sentence says it all.
    pub off: String,
    /// The verdict.
    pub agreement: Agreement,
}

/// A table of text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// With a header.
    pub fn new<const N: usize>(header: [&str; N]) -> Self {
        Self { header: header.map(str::to_string).to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph; words between backticks are code.
    Text(String),
    /// Figures side by side, each with the names of its SVG and CSV files beside the page, if it has any.
    Figures(Vec<(Plot, Option<String>)>),
    /// A table.
    Table(Table),
    /// Statements and what was found.
    Findings(Vec<Finding>),
    /// Links to other pages of the folder: file, name, and two remarks.
    Links(Vec<[String; 4]>),
}

/// One page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The title.
    pub title: String,
    /// Under it.
    pub subtitle: String,
    /// A page one level up: file and name.
    pub up: Option<(String, String)>,
    /// The parts.
    pub blocks: Vec<Block>,
}

impl Document {
    /// The page as HTML, complete in itself but for the links.
    pub fn render(&self) -> String {
        let mut page = head(&self.title, &policy(&[], &[STYLE]), &[STYLE]);
        page.push_str("<body>\n<header>\n");
        if let Some((file, name)) = &self.up {
            page.push_str(&format!("<p class=\"sub\"><a href=\"{}\">{}</a></p>\n", escape(file), escape(name)));
        }
        page.push_str(&format!(
            "<h1>{}</h1>\n<p class=\"sub\">{}</p>\n</header>\n<main>\n",
            escape(&self.title),
            escape(&self.subtitle)
        ));
        page.push_str(&self.content());
        page.push_str("</main>\n<footer><p>Written by Percussion ");
        page.push_str(env!("CARGO_PKG_VERSION"));
        page.push_str(".</p></footer>\n</body>\n</html>\n");
        page
    }
}

impl Document {
    /// What stands below the title, as HTML.
    pub fn content(&self) -> String {
        self.blocks.iter().map(html).collect()
    }
}

fn html(block: &Block) -> String {
    match block {
        Block::Heading(text) => format!("<h2>{}</h2>\n", escape(text)),
        Block::Text(text) => format!("<p>{}</p>\n", prose(text)),
        Block::Figures(plots) => {
            let figures: String = plots.iter().map(|(plot, file)| figure(plot, file.as_deref())).collect();
            format!("<div class=\"plots\">\n{figures}</div>\n")
        }
        Block::Table(table) => of_table(table),
        Block::Findings(list) => findings(list),
        Block::Links(list) => {
            let item = |[file, name, remark, tally]: &[String; 4]| {
                let (file, name, remark, tally) = (escape(file), escape(name), prose(remark), prose(tally));
                format!("<tr><td><a href=\"{file}\">{name}</a></td><td>{remark}</td><td>{tally}</td></tr>\n")
            };
            let rows: String = list.iter().map(item).collect();
            format!("<div class=\"panel scroll\"><table class=\"words\"><tbody>\n{rows}</tbody></table></div>\n")
        }
    }
}

fn figure(plot: &Plot, file: Option<&str>) -> String {
    let links = file.map_or(String::new(), |stem| {
        let stem = escape(stem);
        format!(" <a href=\"{stem}.svg\">SVG</a> <a href=\"{stem}.csv\">CSV</a>")
    });
    format!(
        "<figure>\n<h3>{}</h3>\n{}<figcaption class=\"caption\">{}{links}</figcaption>\n</figure>\n",
        escape(&plot.title),
        plot.inline(),
        prose(&plot.caption)
    )
}

fn of_table(table: &Table) -> String {
    let cells = |row: &[String], tag: &str| -> String {
        row.iter().map(|cell| format!("<{tag}>{}</{tag}>", prose(cell))).collect()
    };
    let head = cells(&table.header, "th");
    let body: String = table.rows.iter().map(|row| format!("<tr>{}</tr>\n", cells(row, "td"))).collect();
    format!("<div class=\"panel scroll\"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>\n")
}

fn findings(list: &[Finding]) -> String {
    let row = |f: &Finding| {
        format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{}\"><strong class=\"status\">{}</strong></td></tr>\n",
            prose(&f.statement),
            prose(&f.place),
            prose(&f.stated),
            prose(&f.found),
            prose(&f.off),
            f.agreement.class(),
            f.agreement.name()
        )
    };
    let rows: String = list.iter().map(row).collect();
    format!(
        "<div class=\"panel scroll\"><table class=\"findings\"><thead><tr><th>statement</th><th>where</th><th>stated</th>\
         <th>found here</th><th>off by</th><th></th></tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )
}

/// Escaped, with words between backticks as code and formulas typeset.
fn prose(text: &str) -> String {
    let mut out = String::new();
    for (k, part) in text.split('`').enumerate() {
        out.push_str(&if k % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { typeset(part) });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the text: well-formed XML, nothing of it taken for markup.
    #[test]
    fn pages_are_well_formed_and_escaped() {
        let bad = "<script>x</script>`a\"&`".to_string();
        let finding = Finding {
            statement: bad.clone(),
            place: bad.clone(),
            stated: bad.clone(),
            found: bad.clone(),
            off: bad.clone(),
            agreement: Agreement::Partly,
        };
        let mut table = Table::new(["a", "b"]);
        table.push([bad.clone(), bad.clone()]);
        let document = Document {
            title: bad.clone(),
            subtitle: bad.clone(),
            up: Some(("index.html".into(), bad.clone())),
            blocks: vec![
                Block::Heading(bad.clone()),
                Block::Text(bad.clone()),
                Block::Figures(vec![(Plot { title: bad.clone(), ..Plot::default() }, Some(bad.clone()))]),
                Block::Table(table),
                Block::Findings(vec![finding]),
                Block::Links(vec![["a.html".into(), bad.clone(), bad.clone(), bad]]),
            ],
        };
        let page = document.render();
        assert!(!page.contains("<script") && page.contains("in part"));
        let body = &page[page.find("<html").unwrap_or(0)..];
        assert!(roxmltree::Document::parse(body).is_ok(), "{:?}", roxmltree::Document::parse(body).err());
    }
}
