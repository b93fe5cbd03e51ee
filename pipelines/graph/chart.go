package graph

// Shape is the shape of a node.
type Shape string

// The shapes.
const (
	Start     Shape = "start"     // the trigger of a run, or a task
	Step      Shape = "step"      // a step
	Frame     Shape = "frame"     // a step with steps, around them
	Condition Shape = "condition" // a step's `if`
	Pipeline  Shape = "pipeline"  // another pipeline
	End       Shape = "end"       // an end of the run
)

// Line is the line style of an edge.
type Line string

// The lines.
const (
	Flow     Line = "flow"    // leads to the next node
	OnError  Line = "error"   // leads to the next node if the step fails
	Enqueues Line = "enqueue" // a step or a task enqueues items of a pipeline
	Calls    Line = "call"    // a step runs a pipeline
)

// Mark is how a node looks in a drawing of one run.
type Mark string

// The marks.
const (
	Done      Mark = "done"      // the run has been there
	Failed    Mark = "failed"    // it failed there
	Active    Mark = "active"    // it is there, or was postponed or interrupted there
	Unreached Mark = "unreached" // it did not get there, or skipped it
)

// Chart is a graph. Its nodes are in reading order: a frame is followed by the nodes in it.
type Chart struct {
	Title string `json:"title"`
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`

	// Layered is true if the nodes are not a chain and are drawn in columns.
	Layered bool `json:"layered,omitempty"`
}

// Node is one box.
type Node struct {
	ID    string `json:"id"` // unique in the chart: n0, n1, …
	Shape Shape  `json:"shape"`

	// Lines are its text; the first one is its name.
	Lines []string `json:"lines"`

	// Path is the path of the step; "" if the node is none.
	Path string `json:"path,omitempty"`

	// In is the ID of the frame around it; "" if there is none.
	In string `json:"in,omitempty"`

	// Beside is true for a frame whose chains are side by side.
	Beside bool `json:"beside,omitempty"`

	// Aside is true for a node that is not part of the chain, but next to the
	// previous node.
	Aside bool `json:"aside,omitempty"`

	// Mark is set in a drawing of one run; "": nothing is known.
	Mark Mark `json:"-"`
}

// Edge leads from one node to another.
type Edge struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Line  Line   `json:"line"`
	Label string `json:"label,omitempty"`
}

// node adds a node to a frame, "" for none, and returns its ID.
func (c *Chart) node(in string, shape Shape, lines ...string) string {
	id := "n" + itoa(len(c.Nodes))
	c.Nodes = append(c.Nodes, Node{ID: id, In: in, Shape: shape, Lines: lines})
	return id
}

func (c *Chart) aside(in string, shape Shape, lines ...string) string {
	id := c.node(in, shape, lines...)
	c.Nodes[len(c.Nodes)-1].Aside = true
	return id
}

func (c *Chart) edge(from, to string, line Line, label string) {
	c.Edges = append(c.Edges, Edge{From: from, To: to, Line: line, Label: label})
}
