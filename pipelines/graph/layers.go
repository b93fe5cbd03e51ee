package graph

import (
	"cmp"
	"slices"
)

const (
	columnGap = 90.0
	nodeGap   = 20.0
)

// layLayers lays out a chart in columns from left to right. Lines lead to the right,
// except those that close a cycle. A line that passes columns has a free row in each of
// them. Boxes without lines are below.
func layLayers(c *Chart) *drawing {
	d := &drawing{title: c.Title}
	index := map[string]int{}
	var boxes []box
	for i, n := range c.Nodes {
		index[n.ID] = i
		boxes = append(boxes, size(n))
	}
	next := make([][]int, len(c.Nodes))
	connected := make([]bool, len(c.Nodes))
	for _, e := range c.Edges {
		from, to := index[e.From], index[e.To]
		next[from] = append(next[from], to)
		connected[from], connected[to] = true, true
	}
	layer := layersOf(next)
	routes := make([][]int, len(c.Edges)) // the boxes of each line
	next = make([][]int, len(c.Nodes))
	for i, e := range c.Edges {
		from, to := index[e.From], index[e.To]
		routes[i] = []int{from}
		for l := layer[from] + 1; l < layer[to]; l++ {
			boxes = append(boxes, box{h: 8})
			layer, connected, next = append(layer, l), append(connected, true), append(next, nil)
			routes[i] = append(routes[i], len(boxes)-1)
		}
		routes[i] = append(routes[i], to)
		for j, n := range routes[i][:len(routes[i])-1] {
			next[n] = append(next[n], routes[i][j+1])
		}
	}
	var columns [][]int
	var alone []int
	for i := range boxes {
		if !connected[i] {
			alone = append(alone, i)
			continue
		}
		for len(columns) <= layer[i] {
			columns = append(columns, nil)
		}
		columns[layer[i]] = append(columns[layer[i]], i)
	}
	placeBelow(boxes, alone, placeColumns(boxes, columns, next))
	for i, e := range c.Edges {
		d.paths = append(d.paths, curve(e, boxes, routes[i]))
	}
	d.boxes = boxes[:len(c.Nodes)]
	d.fit()
	return d
}

// layersOf assigns each node a layer after those of the nodes that lead to it. It ignores
// edges that close a cycle.
func layersOf(next [][]int) []int {
	const (
		unvisited = iota
		inProgress
		done
	)
	state := make([]int, len(next))
	var order []int // reverse topological order
	var visit func(int)
	forward := make([][]int, len(next))
	visit = func(n int) {
		state[n] = inProgress
		for _, to := range next[n] {
			if state[to] == inProgress {
				continue
			}
			forward[n] = append(forward[n], to)
			if state[to] == unvisited {
				visit(to)
			}
		}
		state[n] = done
		order = append(order, n)
	}
	for n := range next {
		if state[n] == unvisited {
			visit(n)
		}
	}
	layer := make([]int, len(next))
	for _, n := range slices.Backward(order) {
		for _, to := range forward[n] {
			layer[to] = max(layer[to], layer[n]+1)
		}
	}
	return layer
}

// placeColumns positions the columns and returns the lower end of the lowest box. Within
// a column, boxes are sorted by the average position of the boxes that lead to them, so
// that fewer lines cross.
func placeColumns(boxes []box, columns, next [][]int) (bottom float64) {
	x := 0.0
	for i, column := range columns {
		if i > 0 {
			average := map[int]float64{}
			for _, n := range column {
				sum, count := 0.0, 0.0
				for from, targets := range next {
					if slices.Contains(targets, n) {
						_, y := boxes[from].middle()
						sum, count = sum+y, count+1
					}
				}
				average[n] = sum / max(count, 1)
			}
			slices.SortStableFunc(column, func(a, b int) int { return cmp.Compare(average[a], average[b]) })
		}
		widest, y := 0.0, 0.0
		for _, n := range column {
			boxes[n].x, boxes[n].y = x, y
			y += boxes[n].h + nodeGap
			widest = max(widest, boxes[n].w)
		}
		for _, n := range column {
			if len(boxes[n].Lines) == 0 { // a row for a line
				boxes[n].w = widest
			}
		}
		bottom = max(bottom, y-nodeGap)
		x += widest + columnGap
	}
	return bottom
}

// placeBelow positions boxes side by side, in rows below the columns.
func placeBelow(boxes []box, alone []int, bottom float64) {
	const rowWidth = 900.0
	x, y, height := 0.0, bottom, 0.0
	if bottom > 0 {
		y += 2 * nodeGap
	}
	for _, n := range alone {
		if x > 0 && x+boxes[n].w > rowWidth {
			x, y, height = 0, y+height+nodeGap, 0
		}
		boxes[n].x, boxes[n].y = x, y
		x += boxes[n].w + nodeGap
		height = max(height, boxes[n].h)
	}
}

// curve returns the line through the boxes of a route. If it does not lead to the right,
// it goes around below the boxes.
func curve(e Edge, boxes []box, route []int) path {
	const bend = columnGap / 2
	from, to := &boxes[route[0]], &boxes[route[len(route)-1]]
	_, y := from.middle()
	a := point{from.x + from.w, y}
	p := path{Edge: e, curved: true, points: []point{a}, at: point{a.x + 10, a.y - 5}}
	if to.x <= from.x {
		low := max(from.y+from.h, to.y+to.h) + 30
		if from == to {
			low = from.y + from.h + nodeGap - 4 // above the box below
		}
		x, _ := to.middle()
		p.points = append(p.points, point{a.x + bend, low}, point{x, low}, point{x, to.y + to.h})
		return p
	}
	for _, n := range route[1:] {
		b := &boxes[n]
		_, y := b.middle()
		left, right := point{b.x, y}, point{b.x + b.w, y}
		p.points = append(p.points, point{a.x + bend, a.y}, point{left.x - bend, left.y}, left)
		if b != to {
			p.points = append(p.points, left, right, right)
		}
		a = right
	}
	return p
}
