package graph

import (
	"cmp"
	"math"
	"slices"
)

// layChain lays out a chart whose nodes are a chain from top to bottom. Nodes next to a
// node of the chain are on its right. Lines that pass boxes use lanes on the left.
func layChain(c *Chart) *drawing {
	d := &drawing{title: c.Title}
	index := map[string]int{}
	widest := 0.0
	for i, n := range c.Nodes {
		index[n.ID] = i
		b := size(n)
		d.boxes = append(d.boxes, b)
		if !n.Aside {
			widest = max(widest, b.w)
		}
	}
	placeRows(d.boxes, widest)
	rows := map[int]int{} // the row of each box in the chain
	for i, b := range d.boxes {
		if !b.Aside {
			rows[i] = len(rows)
		}
	}
	var passing []path
	straight := map[[2]int]bool{}
	for _, e := range c.Edges {
		from, to := index[e.From], index[e.To]
		switch {
		case d.boxes[to].Aside:
			d.paths = append(d.paths, sideways(e, &d.boxes[from], &d.boxes[to]))
		case rows[to] == rows[from]+1 && !straight[[2]int{from, to}]:
			straight[[2]int{from, to}] = true
			d.paths = append(d.paths, down(e, &d.boxes[from], &d.boxes[to]))
		default:
			out, in := d.boxes[from].left(0.7), d.boxes[to].left(0.3)
			passing = append(passing, path{Edge: e, points: []point{out, {}, {}, in}, at: point{d.boxes[from].x - 6, out.y - 5}, toLeft: true})
		}
	}
	d.paths = append(d.paths, lanes(passing, -widest/2)...)
	d.fit()
	return d
}

// placeRows positions the boxes of the chain below each other, centred at 0, and the
// other boxes on the right of the column, next to the previous box of the chain.
func placeRows(boxes []box, widest float64) {
	const sideGap = 90.0 // enough for the longest label above the line
	y := 0.0
	for i := 0; i < len(boxes); {
		end := i + 1
		aside := 0.0
		for ; end < len(boxes) && boxes[end].Aside; end++ {
			aside += boxes[end].h + rowGap/2
		}
		height := max(boxes[i].h, aside-rowGap/2)
		boxes[i].x, boxes[i].y = -boxes[i].w/2, y+(height-boxes[i].h)/2
		at := y + (height-(aside-rowGap/2))/2
		for j := i + 1; j < end; j++ {
			boxes[j].x, boxes[j].y = widest/2+sideGap, at
			at += boxes[j].h + rowGap/2
		}
		y += height + rowGap
		i = end
	}
}

// down returns the line from a box to the next one below it.
func down(e Edge, from, to *box) path {
	x, _ := from.middle()
	return path{
		Edge: e, points: []point{{x, from.y + from.h}, {x, to.y}},
		at: point{x + 8, from.y + from.h + rowGap/2},
	}
}

// sideways returns the line from a box to one on its right.
func sideways(e Edge, from, to *box) path {
	_, fromY := from.middle()
	_, toY := to.middle()
	points := []point{{from.x + from.w, fromY}, {to.x, toY}}
	if math.Abs(fromY-toY) > 0.5 {
		bend := to.x - 24
		points = []point{{from.x + from.w, fromY}, {bend, fromY}, {bend, toY}, {to.x, toY}}
	}
	return path{Edge: e, points: points, at: point{to.x - 76, toY - 5}}
}

// lanes assigns each line that passes boxes to a lane on the left of the column, whose
// left side is at x. The shortest lines get the nearest free lanes.
func lanes(passing []path, x float64) []path {
	labels := 0.0 // the space for labels between the column and the first lane
	for _, p := range passing {
		labels = max(labels, width(p.Label))
	}
	slices.SortStableFunc(passing, func(a, b path) int {
		return cmp.Compare(a.points[3].y-a.points[0].y, b.points[3].y-b.points[0].y)
	})
	var occupied [][][2]float64 // the spans of lines by lane
	for i := range passing {
		p := &passing[i]
		span := [2]float64{p.points[0].y, p.points[3].y}
		lane := 0
		for lane < len(occupied) && slices.ContainsFunc(occupied[lane], func(o [2]float64) bool { return span[0] < o[1] && o[0] < span[1] }) {
			lane++
		}
		if lane == len(occupied) {
			occupied = append(occupied, nil)
		}
		occupied[lane] = append(occupied[lane], span)
		at := x - labels - 14 - float64(lane)*laneGap
		p.points[1], p.points[2] = point{at, span[0]}, point{at, span[1]}
	}
	return passing
}
