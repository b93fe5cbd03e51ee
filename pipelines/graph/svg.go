package graph

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	titleSize = 15.0
	labelSize = 11.0
)

// style sets colours that are readable on light and dark pages. The drawing has no
// background.
const style = `
  text { font: 13px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1f2328 }
  text.title { font-size: 15px; font-weight: bold }
  text.label { font-size: 11px; fill: #57606a }
  text.name { font-weight: bold }
  .box { fill: #f6f8fa; stroke: #57606a }
  .condition { fill: #fff8c5 }
  .start, .end { fill: #ddf4ff }
  .pipeline { fill: #dafbe1 }
  .done { fill: #dafbe1; stroke: #1a7f37; stroke-width: 2 }
  .failed { fill: #ffebe9; stroke: #cf222e; stroke-width: 3 }
  .active { fill: #ddf4ff; stroke: #0969da; stroke-width: 3 }
  .unreached { fill: none; stroke-dasharray: 3 3 }
  .frame { fill: none }
  .line { fill: none; stroke: #57606a; stroke-width: 1.4 }
  .error { stroke: #cf222e; stroke-dasharray: 5 3 }
  .enqueue, .call { stroke: #1a7f37 }
  .enqueue { stroke-dasharray: 2 3 }
  .head { fill: #57606a }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    text.label { fill: #9198a1 }
    .box { fill: #151b23; stroke: #9198a1 }
    .condition { fill: #3a2d00 }
    .start, .end { fill: #0c2d6b }
    .pipeline { fill: #033a16 }
    .done { fill: #033a16; stroke: #3fb950 }
    .failed { fill: #490b08; stroke: #ff7b72 }
    .active { fill: #0c2d6b; stroke: #58a6ff }
    .unreached, .frame { fill: none }
    .line { stroke: #9198a1 }
    .error { stroke: #ff7b72 }
    .enqueue, .call { stroke: #3fb950 }
    .head { fill: #9198a1 }
  }
`

// WriteSVG draws charts below each other. The drawing contains no scripts and no
// references to other files, and is readable on light and dark pages.
func WriteSVG(w io.Writer, charts ...*Chart) error {
	width, height := 0.0, 0.0
	var body strings.Builder
	for _, d := range drawings(charts) {
		d.write(&body)
		width, height = max(width, d.width), height+d.height
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img">
<style>%s</style>
<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="head" d="M0 0 10 5 0 10z"/></marker></defs>
%s</svg>
`, px(width), px(height), px(width), px(height), style, body.String())
	return err
}

// drawings lays out the charts below each other.
func drawings(charts []*Chart) []*drawing {
	var all []*drawing
	y := 0.0
	for _, c := range charts {
		layout := layChain
		if c.Layered {
			layout = layLayers
		}
		d := layout(c)
		d.move(0, y)
		y += d.height
		all = append(all, d)
	}
	return all
}

func px(v float64) string { return strconv.FormatFloat(v, 'f', -1, 32) }

// escaped returns a text escaped for XML. It replaces characters that XML does not allow.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder returns no errors
	return b.String()
}

func (d *drawing) write(b *strings.Builder) {
	top := 0.0
	for i, one := range d.boxes {
		if i == 0 || one.y < top {
			top = one.y
		}
	}
	fmt.Fprintf(b, "<text class=\"title\" x=\"%s\" y=\"%s\">%s</text>\n", px(margin), px(top-lineHeight), escaped(d.title))
	for i := range d.boxes {
		if d.boxes[i].Shape == Frame {
			d.boxes[i].write(b)
		}
	}
	for i := range d.paths {
		d.paths[i].write(b)
	}
	for i := range d.boxes {
		if d.boxes[i].Shape != Frame {
			d.boxes[i].write(b)
		}
	}
}

func (p *path) write(b *strings.Builder) {
	b.WriteString(`<path class="line ` + string(p.Line) + `" marker-end="url(#head)" d="M`)
	for i, at := range p.points {
		switch {
		case i == 0:
		case !p.curved:
			b.WriteString("L")
		case i == 1:
			b.WriteString("C")
		default: // the points of one curve follow each other without a letter
			b.WriteString(" ")
		}
		b.WriteString(px(at.x) + " " + px(at.y))
	}
	b.WriteString("\"/>\n")
	if p.Label != "" {
		anchor := "start"
		if p.toLeft {
			anchor = "end"
		}
		fmt.Fprintf(b, "<text class=\"label\" x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>\n", px(p.at.x), px(p.at.y), anchor, escaped(p.Label))
	}
}

func (b *box) write(out *strings.Builder) {
	class := "box " + string(b.Shape)
	if b.Mark != "" {
		class += " " + string(b.Mark)
	}
	fmt.Fprintf(out, "<g><title>%s</title>\n", escaped(strings.Join(b.Lines, "\n")))
	switch b.Shape {
	case Condition:
		x, y, r, low := b.x, b.y, b.x+b.w, b.y+b.h
		fmt.Fprintf(out, "<polygon class=\"%s\" points=\"%s,%s %s,%s %s,%s %s,%s %s,%s %s,%s\"/>\n", class,
			px(x), px(y+b.h/2), px(x+slant), px(y), px(r-slant), px(y), px(r), px(y+b.h/2), px(r-slant), px(low), px(x+slant), px(low))
	default:
		round := 5.0
		if b.Shape == Start || b.Shape == End {
			round = b.h / 2
		}
		fmt.Fprintf(out, "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"%s\"/>\n", class, px(b.x), px(b.y), px(b.w), px(b.h), px(round))
	}
	x, _ := b.middle()
	for i, line := range b.Lines {
		name := ""
		if i == 0 && b.Shape != Condition {
			name = ` class="name"`
		}
		fmt.Fprintf(out, "<text%s x=\"%s\" y=\"%s\" text-anchor=\"middle\">%s</text>\n", name, px(x), px(b.baseline(i)), escaped(cut(line, maxLabel)))
	}
	out.WriteString("</g>\n")
}

// baseline returns the baseline of a line of the box's text.
func (b *box) baseline(line int) float64 {
	return b.y + padding + fontSize - 2 + float64(line)*lineHeight
}
