package graph

import (
	"cmp"
	"math"
	"slices"
)

// layChain lays out a chart whose nodes are a chain from top to bottom. Nodes next to a
// node of the chain are on its right. Lines that pass boxes use lanes on the left. The nodes in a
// frame are such a chain, too, or several of them side by side.
func layChain(c *Chart) *drawing {
	l := &chainLayout{drawing: &drawing{title: c.Title}, c: c, index: map[string]int{}}
	for i, n := range c.Nodes {
		l.index[n.ID] = i
		l.boxes = append(l.boxes, size(n))
	}
	l.chain(0, len(l.boxes))
	l.fit()
	return l.drawing
}

type chainLayout struct {
	*drawing
	c     *Chart
	index map[string]int // of the nodes, by ID
}

// chain positions the boxes from one index to before another, and their lines. The boxes of the chain
// are those in the same frame as the first.
func (l *chainLayout) chain(from, to int) {
	var direct []int
	widest := 0.0
	for i := from; i < to; i = l.end(i) {
		direct = append(direct, i)
		if l.boxes[i].Shape == Frame {
			l.frame(i)
		}
		if !l.boxes[i].Aside {
			widest = max(widest, l.boxes[i].w)
		}
	}
	l.placeRows(direct, widest)
	rows := map[int]int{} // the row of each box in the chain
	aside := map[int]bool{}
	for _, i := range direct {
		if aside[i] = l.boxes[i].Aside; !aside[i] {
			rows[i] = len(rows)
		}
	}
	var passing []path
	straight := map[[2]int]bool{}
	for _, e := range l.c.Edges {
		from, to := l.index[e.From], l.index[e.To]
		row, here := rows[from]
		switch below := rows[to]; {
		case !here:
		case aside[to]:
			l.paths = append(l.paths, sideways(e, &l.boxes[from], &l.boxes[to]))
		case below == row+1 && !straight[[2]int{from, to}]:
			straight[[2]int{from, to}] = true
			l.paths = append(l.paths, down(e, &l.boxes[from], &l.boxes[to]))
		default:
			out, in := l.boxes[from].left(0.7), l.boxes[to].left(0.3)
			passing = append(passing, path{Edge: e, points: []point{out, {}, {}, in}, at: point{l.boxes[from].x - 6, out.y - 5}, toLeft: true})
		}
	}
	l.paths = append(l.paths, lanes(passing, -widest/2)...)
}

// end returns the index after a box and what is in it.
func (l *chainLayout) end(i int) int {
	in := l.boxes[i].In
	for i++; i < len(l.boxes) && l.boxes[i].In != in && l.inside(i, in); i++ {
	}
	return i
}

// inside reports whether a box is in a frame, at any depth.
func (l *chainLayout) inside(i int, frame string) bool {
	for in := l.boxes[i].In; in != frame; in = l.boxes[l.index[in]].In {
		if in == "" {
			return false
		}
	}
	return true
}

// frame positions what is in a frame, and gives the frame its size. The frame's corner is at 0, 0.
func (l *chainLayout) frame(frame int) {
	b := &l.boxes[frame]
	first, end, lines := frame+1, l.end(frame), len(l.paths)
	if !b.Beside {
		l.chain(first, end)
	}
	for x := 0.0; b.Beside && first < end; {
		next := l.end(first)
		for next < end && (l.boxes[next].Aside || l.boxes[next-1].Shape == Condition) {
			next = l.end(next)
		}
		drawn := len(l.paths)
		l.chain(first, next)
		left, top, right, _ := l.bounds(first, next, drawn)
		l.moveFrom(first, next, drawn, x-left, -top)
		x, first = x+right-left+2*framed, next
	}
	left, top, right, bottom := l.bounds(frame+1, end, lines)
	header := b.h
	b.w, b.h = max(b.w, right-left+2*framed), header+bottom-top+framed
	l.moveFrom(frame+1, end, lines, (b.w-(right-left))/2-left, header-top)
}

// placeRows positions the boxes of the chain below each other, centred at 0, and the
// other boxes on the right of the column, next to the previous box of the chain.
func (l *chainLayout) placeRows(direct []int, widest float64) {
	const sideGap = 90.0 // enough for the longest label above the line
	y := 0.0
	for i := 0; i < len(direct); {
		end := i + 1
		aside := 0.0
		for ; end < len(direct) && l.boxes[direct[end]].Aside; end++ {
			aside += l.boxes[direct[end]].h + rowGap/2
		}
		b := l.boxes[direct[i]]
		height := max(b.h, aside-rowGap/2)
		l.place(direct[i], -b.w/2, y+(height-b.h)/2)
		at := y + (height-(aside-rowGap/2))/2
		for j := i + 1; j < end; j++ {
			l.place(direct[j], widest/2+sideGap, at)
			at += l.boxes[direct[j]].h + rowGap/2
		}
		y += height + rowGap
		i = end
	}
}

// place moves a box, whose corner is at 0, 0, with what is in it.
func (l *chainLayout) place(i int, x, y float64) {
	end := l.end(i)
	l.moveFrom(i, end, len(l.paths), x, y)
	for j := range l.paths {
		if from := l.index[l.paths[j].From]; i < from && from < end {
			l.paths[j].move(x, y)
		}
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
