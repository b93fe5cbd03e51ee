package graph

import "math"

// Lengths of drawings, in pixels.
const (
	lineHeight = 18.0
	padding    = 12.0 // between a box and its text
	margin     = 20.0 // around a drawing
	rowGap     = 34.0 // between two boxes of a chain
	framed     = 20.0 // between a frame and what is in it
	laneGap    = 22.0 // between two lines that pass boxes
)

// drawing is a chart with positions.
type drawing struct {
	title         string
	boxes         []box
	paths         []path
	width, height float64
}

// box is a node with its position and size: x and y are its upper left corner.
type box struct {
	Node
	x, y, w, h float64
}

func (b *box) middle() (x, y float64) { return b.x + b.w/2, b.y + b.h/2 }

// left returns the point on the left side at a share of the height, from the top.
// Incoming lines end higher than outgoing ones begin, so that they do not look like one
// line.
func (b *box) left(share float64) point {
	at := point{b.x, b.y + share*b.h}
	off := math.Abs(share-0.5) * b.h
	switch b.Shape {
	case Condition:
		at.x += slant * off / (b.h / 2)
	case Start, End:
		r := b.h / 2
		at.x += r - math.Sqrt(r*r-off*off)
	}
	return at
}

// path is an edge with its points. A curved path has one point and then three for each
// curve, as in SVG's command C.
type path struct {
	Edge
	points []point
	curved bool

	// at is the beginning of the label or, if toLeft is set, its end.
	at     point
	toLeft bool
}

type point struct{ x, y float64 }

// size returns the box of a node in the size of its text.
func size(n Node) box {
	b := box{Node: n, h: float64(len(n.Lines))*lineHeight + 2*padding - 4}
	for _, line := range n.Lines {
		b.w = max(b.w, width(cut(line, maxLabel)))
	}
	b.w += 2 * padding
	switch n.Shape {
	case Start, End:
		b.w += b.h / 2 // for the round ends
	case Condition:
		b.w += 2 * slant
	}
	b.w = max(b.w, 60)
	return b
}

// slant is the width of the pointed sides of a condition.
const slant = 14.0

// move moves the whole drawing.
func (d *drawing) move(dx, dy float64) { d.moveFrom(0, len(d.boxes), 0, dx, dy) }

// moveFrom moves the boxes from one index to before another, and the lines from an index on.
func (d *drawing) moveFrom(from, to, lines int, dx, dy float64) {
	for i := from; i < to; i++ {
		d.boxes[i].x += dx
		d.boxes[i].y += dy
	}
	for i := lines; i < len(d.paths); i++ {
		d.paths[i].move(dx, dy)
	}
}

func (p *path) move(dx, dy float64) {
	for i := range p.points {
		p.points[i].x += dx
		p.points[i].y += dy
	}
	p.at.x += dx
	p.at.y += dy
}

// fit moves the drawing to the margins and sets its size.
func (d *drawing) fit() {
	left, top, right, bottom := d.bounds(0, len(d.boxes), 0)
	top -= lineHeight + 10 // for the title
	d.move(margin-left, margin-top)
	d.width = max(right-left, width(d.title)*titleSize/fontSize) + 2*margin
	d.height = bottom - top + 2*margin
}

// bounds returns the sides of what moveFrom moves.
func (d *drawing) bounds(from, to, lines int) (left, top, right, bottom float64) {
	first := true
	include := func(x, y float64) {
		if first {
			left, right, top, bottom, first = x, x, y, y, false
			return
		}
		left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
	}
	for _, b := range d.boxes[from:to] {
		include(b.x, b.y)
		include(b.x+b.w, b.y+b.h)
	}
	for _, p := range d.paths[lines:] {
		for _, at := range p.points {
			include(at.x, at.y)
		}
		if p.Label != "" {
			from, to := p.labelSpan()
			include(from, p.at.y-fontSize)
			include(to, p.at.y)
		}
	}
	return left, top, right, bottom
}

// labelSpan returns the left and the right end of the path's label.
func (p *path) labelSpan() (from, to float64) {
	w := width(p.Label) * labelSize / fontSize
	if p.toLeft {
		return p.at.x - w, p.at.x
	}
	return p.at.x, p.at.x + w
}
