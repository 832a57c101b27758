//! Charts of the pages. Colours of text and lines are the style sheet's, so that they follow light and
//! dark.

use plotters::{coord::ranged1d::SegmentValue, prelude::*};

/// Width and height of a chart in pixels, as it is drawn; pages scale it.
const SIZE: (u32, u32) = (320, 150);

/// Pixels for the numbers beside the axes.
const MARGIN: u32 = 34;

/// What the style sheet colours: `--link` in light.
const COLOUR: RGBColor = RGBColor(0x1f, 0x5f, 0xa8);

const FONT: (&str, u32) = ("system-ui", 11);

/// A line through numbers, from zero at the bottom to the largest at the top; a number alone is a line all
/// the way.
pub(super) fn line(values: &[u64]) -> String {
    let largest = values.iter().copied().max().unwrap_or_default().max(1);
    let last = values.len().saturating_sub(1).max(1);
    let points = values.iter().enumerate().map(|(run, value)| (run, *value));
    let alone = values.first().filter(|_| values.len() == 1).map(|value| (1, *value));
    drawn(|root| {
        let mut chart = chart(root).build_cartesian_2d(0..last, 0..largest)?;
        let short = |value: &u64| brief(*value);
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh().disable_x_axis().y_labels(4).y_label_formatter(&short);
        mesh.label_style(FONT).draw()?;
        let series = LineSeries::new(points.chain(alone), COLOUR.stroke_width(2));
        chart.draw_series(series)?;
        Ok(())
    })
}

/// A bar for each share, in percent, named by its place.
pub(super) fn bars(shares: &[f64]) -> String {
    let last = shares.len().saturating_sub(1) as u32;
    let bars = shares.iter().enumerate().map(|(place, share)| (place as u32, *share));
    drawn(|root| {
        let mut chart = chart(root).build_cartesian_2d((0..last).into_segmented(), 0.0..100.0)?;
        let place = |value: &SegmentValue<u32>| match value {
            SegmentValue::CenterOf(place) => place.to_string(),
            _ => String::new(),
        };
        let percent = |share: &f64| format!("{share:.0} %");
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh().x_labels(shares.len().min(12)).y_labels(4);
        mesh.x_label_formatter(&place).y_label_formatter(&percent);
        mesh.label_style(FONT).draw()?;
        let series = Histogram::vertical(&chart).style(COLOUR.filled()).margin(3).data(bars);
        chart.draw_series(series)?;
        Ok(())
    })
}

type Root<'s> = DrawingArea<SVGBackend<'s>, plotters::coord::Shift>;
type Drawn<'s> = Result<(), DrawingAreaErrorKind<<SVGBackend<'s> as DrawingBackend>::ErrorType>>;

/// What is drawn into a picture, as SVG.
fn drawn(draw: impl for<'s, 'r> FnOnce(&'r Root<'s>) -> Drawn<'s>) -> String {
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    draw(&root).and_then(|()| root.present()).expect("memory takes what is drawn");
    drop(root);
    // Inside a page it needs no namespace, and the page names no address.
    svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1)
}

fn chart<'r, 's>(root: &'r Root<'s>) -> ChartBuilder<'r, 's, SVGBackend<'s>> {
    let mut chart = ChartBuilder::on(root);
    chart.margin(6).set_label_area_size(LabelAreaPosition::Left, MARGIN);
    chart.set_label_area_size(LabelAreaPosition::Bottom, 18);
    chart
}

/// A number in three digits: `1.2M`.
fn brief(value: u64) -> String {
    let units = [(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")];
    let unit = units.into_iter().find(|(size, _)| value >= *size);
    unit.map_or_else(
        || value.to_string(),
        |(size, name)| format!("{:.1}{name}", value as f64 / size as f64),
    )
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(0, "0")]
    #[case(999, "999")]
    #[case(1_000, "1.0k")]
    #[case(1_250_000, "1.2M")]
    #[case(3_000_000_000, "3.0G")]
    fn numbers_are_brief(#[case] value: u64, #[case] text: &str) {
        assert_eq!(brief(value), text);
    }

    /// There are no points to draw a line or bars through, one, or many.
    #[rstest]
    #[case(0)]
    #[case(1)]
    #[case(9)]
    fn charts_have_any_number_of_points(#[case] count: u64) {
        let values: Vec<u64> = (0..count).map(|value| value * 7).collect();
        let line = line(&values);
        let drawn = line.matches("stroke=\"#1F5FA8\"").count();
        assert_eq!(drawn, usize::from(count > 0), "{line}");
        let shares: Vec<f64> = values.iter().map(|value| *value as f64).collect();
        let bars = bars(&shares);
        assert!(bars.starts_with("<svg") && bars.contains("viewBox"), "{bars}");
    }
}
