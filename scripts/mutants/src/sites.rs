//! The places of a source file where it can be made wrong.

use std::ops::Range;

use anyhow::Result;
use proc_macro2::Span;
use syn::{
    Arm, BinOp, Expr, ExprAssign, ExprBinary, ExprClosure, ExprIf, ExprLit, ExprUnary, Lit, Stmt,
    UnOp,
    spanned::Spanned,
    visit::{self, Visit},
};

/// A place, and what can stand there instead.
pub struct Site {
    /// Bytes of the file.
    pub range: Range<usize>,
    pub kind: &'static str,
    change: Change,
}

enum Change {
    /// Another operator between the operands.
    Operator { left: Range<usize>, operator: &'static str, right: Range<usize> },
    /// An operand without what stands before it.
    Operand(Range<usize>),
    /// Another text.
    Text(String),
    /// The opposite of a condition.
    Not,
    /// Nothing: the statement is left out.
    Nothing,
}

impl Site {
    /// The mutant's text.
    pub fn after(&self, text: &str) -> String {
        self.mutant(text, &|range| text[range].to_owned())
    }

    fn mutant(&self, text: &str, part: &dyn Fn(Range<usize>) -> String) -> String {
        match &self.change {
            Change::Operator { left, operator, right } => {
                format!("{} {operator} {}", part(left.clone()), part(right.clone()))
            }
            Change::Operand(operand) => part(operand.clone()),
            Change::Text(other) => other.clone(),
            Change::Not => format!("!({})", &text[self.range.clone()]),
            Change::Nothing => String::new(),
        }
    }
}

/// A file with mutants, each switched on by its number.
pub fn rewritten(text: &str, sites: &[(u32, &Site)]) -> String {
    let mut outer: Vec<_> = sites.iter().collect();
    // The outermost first.
    outer.sort_by_key(|(_, site)| (site.range.start, usize::MAX - site.range.end));
    range(text, 0..text.len(), &outer)
}

/// A part of the file, with the mutants inside.
fn range(text: &str, whole: Range<usize>, sites: &[&(u32, &Site)]) -> String {
    let (mut result, mut at) = (String::new(), whole.start);
    let mut rest = sites;
    while let Some(((number, site), others)) = rest.split_first().map(|(first, rest)| (*first, rest)) {
        let inner = others.iter().take_while(|(_, other)| other.range.start < site.range.end).count();
        let (inside, behind) = others.split_at(inner);
        rest = behind;
        if site.range.start < at || site.range.end > whole.end {
            continue;
        }
        result += &text[at..site.range.start];
        at = site.range.end;
        let part = |part: Range<usize>| {
            let inside: Vec<_> = inside
                .iter()
                .copied()
                .filter(|(_, other)| part.start <= other.range.start && other.range.end <= part.end)
                .collect();
            range(text, part, &inside)
        };
        let before = part(site.range.clone());
        let on = format!("crate::mutants::at({number})");
        result += &match &site.change {
            Change::Not => format!("(({before}) != {on})"),
            Change::Nothing => format!("if !{on} {{ {before} }}"),
            _ => format!("(if {on} {{ {} }} else {{ {before} }})", site.mutant(text, &part)),
        };
    }
    result + &text[at..whole.end]
}

/// The sites of a file.
pub fn of(text: &str) -> Result<Vec<Site>> {
    let mut visitor = Visitor { text, is_const: false, sites: Vec::new() };
    visitor.visit_file(&syn::parse_file(text)?);
    Ok(visitor.sites)
}

struct Visitor<'t> {
    text: &'t str,
    /// What is evaluated by the compiler cannot be switched.
    is_const: bool,
    sites: Vec<Site>,
}

impl Visitor<'_> {
    fn add(&mut self, span: Span, kind: &'static str, change: Change) {
        if !self.is_const {
            self.sites.push(Site { range: span.byte_range(), kind, change });
        }
    }

    fn as_const(&mut self, is_const: bool, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_const, is_const);
        visit(self);
        self.is_const = before;
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// Whether a condition binds something: it cannot stand in parentheses.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(ExprBinary { left, right, .. }) => binds(left) || binds(right),
        _ => false,
    }
}

/// Other operators.
fn other(operator: &BinOp) -> Option<&'static str> {
    Some(match operator {
        BinOp::Add(_) => "-",
        BinOp::Sub(_) => "+",
        BinOp::Mul(_) => "+",
        BinOp::Div(_) => "*",
        BinOp::Rem(_) => "/",
        BinOp::And(_) => "||",
        BinOp::Or(_) => "&&",
        BinOp::BitXor(_) => "|",
        BinOp::BitAnd(_) => "|",
        BinOp::BitOr(_) => "&",
        BinOp::Shl(_) => ">>",
        BinOp::Shr(_) => "<<",
        BinOp::Eq(_) => "!=",
        BinOp::Ne(_) => "==",
        BinOp::Lt(_) => "<=",
        BinOp::Le(_) => "<",
        BinOp::Ge(_) => ">",
        BinOp::Gt(_) => ">=",
        BinOp::AddAssign(_) => "-=",
        BinOp::SubAssign(_) => "+=",
        BinOp::MulAssign(_) => "+=",
        BinOp::BitXorAssign(_) => "|=",
        BinOp::BitAndAssign(_) => "|=",
        BinOp::BitOrAssign(_) => "&=",
        BinOp::ShlAssign(_) => ">>=",
        BinOp::ShrAssign(_) => "<<=",
        _ => return None,
    })
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test(&item.attrs) {
            let is_const = item.sig.constness.is_some();
            self.as_const(is_const, |this| visit::visit_block(this, &item.block));
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let is_const = item.sig.constness.is_some();
        self.as_const(is_const, |this| visit::visit_block(this, &item.block));
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.as_const(true, |this| visit::visit_item_const(this, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.as_const(true, |this| visit::visit_item_static(this, item));
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.as_const(true, |this| visit::visit_impl_item_const(this, item));
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.as_const(true, |this| visit::visit_trait_item_const(this, item));
    }

    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_type(&mut self, _: &'ast syn::Type) {}

    fn visit_pat(&mut self, _: &'ast syn::Pat) {}

    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        _: &'ast syn::AngleBracketedGenericArguments,
    ) {
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        // Its length is for the compiler.
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.as_const(false, |this| this.visit_expr(&closure.body));
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        let is_condition = matches!(binary.op, BinOp::And(_) | BinOp::Or(_));
        if let Some(operator) = other(&binary.op)
            && !(is_condition && (binds(&binary.left) || binds(&binary.right)))
        {
            let left = binary.left.span().byte_range();
            let right = binary.right.span().byte_range();
            self.add(binary.span(), "operator", Change::Operator { left, operator, right });
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast ExprUnary) {
        if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) {
            let operand = Change::Operand(unary.expr.span().byte_range());
            self.add(unary.span(), "without", operand);
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_lit(&mut self, literal: &'ast ExprLit) {
        let text = match &literal.lit {
            Lit::Int(number) => {
                let Ok(value) = number.base10_parse::<u128>() else { return };
                // Up and down by turns.
                let down = value > 0 && literal.span().byte_range().start % 2 == 0;
                let value = if down { value - 1 } else { value + 1 };
                format!("{value}{}", number.suffix())
            }
            Lit::Bool(value) => (!value.value).to_string(),
            _ => return,
        };
        self.add(literal.span(), "literal", Change::Text(text));
    }

    fn visit_expr_if(&mut self, conditional: &'ast ExprIf) {
        if !binds(&conditional.cond) {
            self.add(conditional.cond.span(), "condition", Change::Not);
        }
        visit::visit_expr_if(self, conditional);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        if let Some((_, guard)) = &arm.guard
            && !binds(guard)
        {
            self.add(guard.span(), "guard", Change::Not);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(
            Expr::Assign(ExprAssign { .. }) | Expr::Call(_) | Expr::MethodCall(_) | Expr::Binary(_),
            Some(_),
        ) = statement
            && !self.text[statement.span().byte_range()].contains("return")
        {
            self.add(statement.span(), "statement", Change::Nothing);
        }
        visit::visit_stmt(self, statement);
    }
}
