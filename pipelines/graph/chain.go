package graph

import (
	"cmp"
	"math"
	"slices"
)

// layChain places a chart whose nodes are a chain from top to bottom, each with
// what hangs beside it on its right. Lines that go past boxes run in lanes on the
// left.
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
	var past []path
	straight := map[[2]int]bool{}
	for _, e := range c.Edges {
		from, to := index[e.From], index[e.To]
		switch {
		case d.boxes[to].Aside:
			d.paths = append(d.paths, beside(e, &d.boxes[from], &d.boxes[to]))
		case rows[to] == rows[from]+1 && !straight[[2]int{from, to}]:
			straight[[2]int{from, to}] = true
			d.paths = append(d.paths, down(e, &d.boxes[from], &d.boxes[to]))
		default:
			out, in := d.boxes[from].left(0.7), d.boxes[to].left(0.3)
			past = append(past, path{Edge: e, points: []point{out, {}, {}, in}, at: point{d.boxes[from].x - 6, out.y - 5}, toLeft: true})
		}
	}
	d.paths = append(d.paths, lanes(past, -widest/2)...)
	d.fit()
	return d
}

// placeRows puts the boxes of the chain one below the other, their middles at 0,
// and the others right of the column, beside the one before.
func placeRows(boxes []box, widest float64) {
	const besideGap = 90.0 // the longest label fits above the line
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
			boxes[j].x, boxes[j].y = widest/2+besideGap, at
			at += boxes[j].h + rowGap/2
		}
		y += height + rowGap
		i = end
	}
}

// down is the line from a box to the next one below it.
func down(e Edge, from, to *box) path {
	x, _ := from.middle()
	return path{
		Edge: e, points: []point{{x, from.y + from.h}, {x, to.y}},
		at: point{x + 8, from.y + from.h + rowGap/2},
	}
}

// beside is the line from a box to one on its right.
func beside(e Edge, from, to *box) path {
	_, y := from.middle()
	_, there := to.middle()
	points := []point{{from.x + from.w, y}, {to.x, there}}
	if math.Abs(y-there) > 0.5 {
		bend := to.x - 24
		points = []point{{from.x + from.w, y}, {bend, y}, {bend, there}, {to.x, there}}
	}
	return path{Edge: e, points: points, at: point{to.x - 76, there - 5}}
}

// lanes gives each line that goes past boxes a lane left of the column, whose left
// side is at x: the shortest line the nearest one that is free.
func lanes(past []path, x float64) []path {
	reach := 0.0 // what labels need between the column and the first lane
	for _, p := range past {
		reach = max(reach, width(p.Label))
	}
	slices.SortStableFunc(past, func(a, b path) int {
		return cmp.Compare(a.points[3].y-a.points[0].y, b.points[3].y-b.points[0].y)
	})
	var taken [][][2]float64
	for i := range past {
		p := &past[i]
		span := [2]float64{p.points[0].y, p.points[3].y}
		lane := 0
		for lane < len(taken) && slices.ContainsFunc(taken[lane], func(o [2]float64) bool { return span[0] < o[1] && o[0] < span[1] }) {
			lane++
		}
		if lane == len(taken) {
			taken = append(taken, nil)
		}
		taken[lane] = append(taken[lane], span)
		at := x - reach - 14 - float64(lane)*laneGap
		p.points[1], p.points[2] = point{at, span[0]}, point{at, span[1]}
	}
	return past
}
