package graph

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"botwork/handlers/builtin"
	"botwork/handlers/queue"
	"botwork/pipelines"

	"github.com/google/go-cmp/cmp"
)

const every = `name: every
resilience: {limit: 1}
steps:
  - {name: load, handler: HTTP, timeout: 30s, retry: {attempts: 3}, onError: break, with: {url: "https://x"}}
  - {name: "none", handler: Break, if: 'payload.a == "<x>" and len(payload.b) > 3 or payload["&"] contains "%%{init}%%"', with: {reason: x}}
  - {name: later, handler: Snooze, if: payload.c, with: {for: 1m}}
  - {name: gone, handler: Drop, if: payload.d, with: {reason: x}}
  - {name: again, handler: Enqueue, if: not payload.last, with: {pipeline: every, payload: 1}}
  - {name: other, handler: Enqueue, with: {pipeline: "${{ payload.kind }}-job", payload: 1}}
  - {name: own, handler: Enqueue, with: {pipeline: "steps: [{handler: Log, with: {message: x}}]", payload: 1}}
  - {name: 文字列 の段, handler: Template, onError: continue, with: {text: x}}
  - {handler: Fail, if: payload.x, with: {message: x, kind: business}}
  - {name: soft, handler: Fail, onError: continue, if: payload.x, with: {message: x}}
  - {handler: Log, with: {message: done}}
`

const nested = `name: nested
steps:
  - {name: open, handler: HTTP, onError: break, with: {url: "https://x"}}
  - name: lines
    if: payload.lines != nil and len(payload.lines) > 0
    foreach: ${{ payload.lines }}
    as: line
    parallel: 4
    onError: continue
    steps:
      - {name: check, handler: Fail, if: line.amount < 0, with: {message: x}}
      - {name: put, handler: HTTP, onError: break, timeout: 30s, with: {url: "https://x"}}
      - {name: again, handler: Enqueue, if: line.again, with: {pipeline: every, payload: 1}}
      - {name: last, handler: Log, onError: continue, with: {message: x}}
  - name: both
    parallel: true
    steps:
      - {name: stock, handler: HTTP, if: payload.stock, with: {url: "https://x"}}
      - name: branch
        timeout: 5m
        steps:
          - {name: one, handler: Log, with: {message: x}}
          - {name: two, uses: common/post-to-ledger}
      - {name: each, handler: Log, foreach: [1, 2], with: {message: x}}
  - {name: done, handler: Log, with: {message: x}}
`

func compile(t *testing.T, texts ...string) []*pipelines.Pipeline {
	t.Helper()
	registry := builtin.Registry(builtin.Resources{})
	registry.MustRegister(queue.Kinds(queue.Services{})...)
	compiler := pipelines.NewCompiler(registry, pipelines.Options{})
	var list []*pipelines.Pipeline
	for _, text := range texts {
		p, findings := compiler.Parse("x.yaml", []byte(text))
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		list = append(list, p)
	}
	return list
}

// charts returns charts of both kinds with all features of pipelines.
func charts(t *testing.T) []*Chart {
	t.Helper()
	list := compile(t, every,
		"name: scan\ntrigger: {cron: '50 * * * * *', atStart: true}\nsteps: [{handler: Enqueue, with: {pipeline: every}}, {handler: Enqueue, with: {pipeline: every}}, {handler: Enqueue, with: {pipeline: lost}}]\n",
		"name: manage\ntrigger: {every: 1m}\nsteps: [{handler: ManageWorkQueue}]\n",
		"name: back\nsteps: [{handler: Enqueue, with: {pipeline: scan-2}}]\n",
		"name: scan-2\nsteps: [{handler: Enqueue, with: {pipeline: back}}, {handler: Enqueue, with: {pipeline: scan-2}}]\n",
		"name: alone\nsteps: [{handler: Log, with: {message: x}}]\n")
	all := []*Chart{OfProject(list, []Task{{Name: `night "x" [1]`, Pipeline: "every", Notify: "alone"}, {Name: "robots", Pipeline: ""}})}
	for _, p := range append(list, compile(t, nested, afterwards)...) {
		all = append(all, OfPipeline(p))
	}
	return append(all, OfPipeline(linked(t, calls...)), OfProject(nil, nil))
}

func TestMermaid(t *testing.T) {
	list := compile(t, every)
	var b strings.Builder
	if err := WriteMermaid(&b, OfPipeline(list[0])); err != nil {
		t.Fatal(err)
	}
	want := `flowchart TD
  n0(["an item"])
  n1["load<br/>HTTP<br/>3 attempts, timeout 30s"]
  n2{{"if<br/>payload.a == #quot;#lt;x#gt;#quot; and len(payload.b) #gt; 3 or pa…"}}
  n3["none<br/>Break"]
  n4(["succeeded"])
`
	if got := b.String(); !strings.HasPrefix(got, want) {
		t.Errorf("Mermaid (-want +got):\n%s", cmp.Diff(want, got))
	}
	for _, line := range []string{
		`  n1 --> n2`, `  n2 -->|"yes"| n3`, `  n2 -->|"no"| n5`, `  n1 -.->|"on error"| n25`, `  n12 ==>|"enqueues"| n13`, `  n13[["every"]]`,
		`  n15[["${{ payload.kind }}-job"]]`, `  n17[["inline pipeline"]]`, `  n18["文字列 の段<br/>Template"]`, `  n18 -.->|"on error"| n19`,
	} {
		if !slices.Contains(strings.Split(b.String(), "\n"), line) {
			t.Errorf("the chart does not contain %q:\n%s", line, b.String())
		}
	}
	b.Reset()
	if err := WriteMermaid(&b, charts(t)[0], charts(t)[3]); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`  subgraph g0 ["pipelines"]`, `    g0n1[["scan<br/>cron 50 * * * * * UTC<br/>at start"]]`, `    g0n6(["night #quot;x#quot; [1]<br/>task"])`,
		`    g0n2 --> g0n6`, `    g0n6 ==> g0n0`, `    g0n6 -.->|"failed"| g0n5`, `    g0n1 ==> g0n0`, `    g0n4 ==> g0n4`,
	} {
		if !slices.Contains(strings.Split(b.String(), "\n"), line) {
			t.Errorf("the chart does not contain %q:\n%s", line, b.String())
		}
	}
	if n := strings.Count(b.String(), "g0n1 ==> g0n0"); n != 1 {
		t.Errorf("two steps that enqueue items of the same pipeline result in %d lines, want 1", n)
	}
}

// TestDrawings checks every drawing: it is well-formed, boxes do not overlap, texts are
// inside their boxes, and everything is inside the margins.
func TestDrawings(t *testing.T) {
	for _, c := range charts(t) {
		var b strings.Builder
		if err := WriteSVG(&b, c); err != nil {
			t.Fatal(err)
		}
		d := drawings([]*Chart{c})[0]
		texts := textsOf(t, b.String())
		if len(d.boxes) != len(c.Nodes) || len(d.paths) != len(c.Edges) {
			t.Errorf("%s: %d boxes and %d lines, want %d and %d", c.Title, len(d.boxes), len(d.paths), len(c.Nodes), len(c.Edges))
		}
		for i, one := range d.boxes {
			if one.x < margin-0.5 || one.y < margin-0.5 || one.x+one.w > d.width-margin+0.5 || one.y+one.h > d.height-margin+0.5 {
				t.Errorf("%s: the box %q is outside the margins", c.Title, one.Lines)
			}
			for _, other := range d.boxes[i+1:] {
				if d.inside(&other, one.ID) {
					if other.x < one.x+padding || other.y < one.y+padding || other.x+other.w > one.x+one.w-padding || other.y+other.h > one.y+one.h-padding {
						t.Errorf("%s: %q is not inside %q", c.Title, other.Lines, one.Lines)
					}
					continue
				}
				if one.x < other.x+other.w && other.x < one.x+one.w && one.y < other.y+other.h && other.y < one.y+one.h {
					t.Errorf("%s: %q and %q overlap", c.Title, one.Lines, other.Lines)
				}
			}
			inside(t, c, one, &texts)
		}
		for _, p := range d.paths {
			from, to := p.labelSpan()
			if p.Label != "" && (from < margin/2 || to > d.width-margin/2) {
				t.Errorf("%s: the label %q is outside the margins", c.Title, p.Label)
			}
		}
		for _, forbidden := range []string{"<script", "href", "foreignObject", "onload", "NaN", "Inf"} {
			if strings.Contains(b.String(), forbidden) {
				t.Errorf("%s: the drawing contains %q", c.Title, forbidden)
			}
		}
	}
}

// inside reports whether a box is in a frame, at any depth.
func (d *drawing) inside(b *box, frame string) bool {
	for in := b.In; in != ""; {
		if in == frame {
			return true
		}
		in = d.boxes[slices.IndexFunc(d.boxes, func(b box) bool { return b.ID == in })].In
	}
	return false
}

// inside removes the box's lines from the texts of the file and checks that they are
// inside the box.
func inside(t *testing.T, c *Chart, b box, texts *[]textElement) {
	t.Helper()
	for _, line := range b.Lines {
		want := cut(line, maxLabel)
		x, _ := b.middle()
		i := slices.IndexFunc(*texts, func(e textElement) bool {
			return e.Text == want && math.Abs(e.X-x) < 0.01 && e.Y > b.y && e.Y < b.y+b.h
		})
		if i < 0 {
			t.Errorf("%s: the text %q is not in its box", c.Title, want)
			continue
		}
		e := (*texts)[i]
		*texts = slices.Delete(*texts, i, i+1)
		if half := width(want) / 2; e.X-half < b.x || e.X+half > b.x+b.w || e.Y-fontSize < b.y || e.Y+4 > b.y+b.h {
			t.Errorf("%s: the text %q is not completely inside its box", c.Title, want)
		}
	}
}

// textElement is a text of a drawing.
type textElement struct {
	X, Y float64
	Text string
}

// textsOf returns the texts of a drawing, which must be well-formed.
func textsOf(t *testing.T, svg string) []textElement {
	t.Helper()
	var texts []textElement
	dec := xml.NewDecoder(strings.NewReader(svg))
	for open := false; ; {
		token, err := dec.Token()
		switch token := token.(type) {
		case xml.StartElement:
			if open = token.Name.Local == "text"; open {
				e := textElement{}
				for _, a := range token.Attr {
					switch a.Name.Local {
					case "x":
						_, _ = fmt.Sscan(a.Value, &e.X) // invalid values remain 0
					case "y":
						_, _ = fmt.Sscan(a.Value, &e.Y)
					}
				}
				texts = append(texts, e)
			}
		case xml.EndElement:
			open = false
		case xml.CharData:
			if open {
				texts[len(texts)-1].Text += string(token)
			}
		}
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("the drawing is not well-formed: %v\n%s", err, svg)
		}
	}
}

// Lines in the lanes on the left do not overlap.
func TestLanesDoNotOverlap(t *testing.T) {
	d := drawings([]*Chart{OfPipeline(compile(t, every)[0])})[0]
	for i, p := range d.paths {
		if len(p.points) != 4 || p.curved || p.points[1].x >= p.points[0].x {
			continue
		}
		for _, o := range d.paths[i+1:] {
			if len(o.points) == 4 && o.points[1].x == p.points[1].x && o.points[1].y < p.points[2].y && p.points[1].y < o.points[2].y {
				t.Errorf("%v and %v overlap", p.Edge, o.Edge)
			}
		}
	}
}

// A pipeline whose items run together begins with several items.
func TestBatch(t *testing.T) {
	for by, want := range map[string]string{"${{ payload.customer }}": "of one payload.customer", "${{ payload.a }}/${{ payload.b }}": "of one ${{ payload.a }}/${{ payload.b }}"} {
		p := compile(t, "batch: {by: '"+by+"', max: 20}\nsteps: [{handler: Log, with: {message: x}}]\n")[0]
		if got := OfPipeline(p).Nodes[0]; got.Shape != Start || !slices.Equal(got.Lines, []string{"up to 20 items", want}) {
			t.Errorf("got the start %+v", got)
		}
	}
}

// afterwards has steps that run after the others.
const afterwards = `name: afterwards
steps: [{name: work, handler: Log, with: {message: x}}]
onSuccess: [{name: praise, handler: Log, with: {message: x}}]
onFailure: [{name: blame, handler: Log, if: error.final, with: {message: x}}]
finally: [{name: close, steps: [{name: unlock, handler: Log, with: {message: x}}]}]
`

// The lists of steps that run afterwards are frames after the ends of the steps.
func TestAfterwards(t *testing.T) {
	var b strings.Builder
	if err := WriteMermaid(&b, OfPipeline(compile(t, afterwards)[0])); err != nil {
		t.Fatal(err)
	}
	want := `flowchart TD
  n0(["an item"])
  n1["work<br/>Log"]
  n2(["succeeded"])
  subgraph n3 ["onSuccess"]
    n4["praise<br/>Log"]
  end
  n5(["failed"])
  subgraph n6 ["onFailure"]
    n7{{"if<br/>error.final"}}
    n8["blame<br/>Log"]
  end
  subgraph n9 ["finally"]
    subgraph n10 ["close"]
      n11["unlock<br/>Log"]
    end
  end
  n0 --> n1
  n1 --> n2
  n2 --> n3
  n2 --> n9
  n5 --> n6
  n5 --> n9
  n7 -->|"yes"| n8
`
	if got := b.String(); got != want {
		t.Errorf("Mermaid (-want +got):\n%s", cmp.Diff(want, got))
	}
}

func TestBlocks(t *testing.T) {
	c := OfPipeline(compile(t, nested)[0])
	var b strings.Builder
	if err := WriteMermaid(&b, c); err != nil {
		t.Fatal(err)
	}
	want := `flowchart TD
  n0(["an item"])
  n1["open<br/>HTTP"]
  n2{{"if<br/>payload.lines != nil and len(payload.lines) #gt; 0"}}
  subgraph n3 ["lines<br/>for each line of payload.lines, 4 at once<br/>onError continue"]
    n4{{"if<br/>line.amount #lt; 0"}}
    n5["check<br/>Fail"]
    n6(["failed"])
    n7["put<br/>HTTP<br/>timeout 30s"]
    n8(["succeeded"])
    n9{{"if<br/>line.again"}}
    n10["again<br/>Enqueue"]
    n11[["every"]]
    n12["last<br/>Log<br/>onError continue"]
  end
  subgraph n13 ["both<br/>side by side"]
    n14{{"if<br/>payload.stock"}}
    n15["stock<br/>HTTP"]
    subgraph n16 ["branch<br/>timeout 5m"]
      n17["one<br/>Log"]
      n18["two<br/>uses common/post-to-ledger"]
      n19[["common/post-to-ledger"]]
    end
    n20["each<br/>Log<br/>for each element"]
  end
  n21["done<br/>Log"]
  n22(["succeeded"])
  n0 --> n1
  n1 --> n2
  n1 -.->|"on error"| n22
  n2 -->|"yes"| n3
  n2 -->|"no"| n13
  n3 --> n13
  n3 -.->|"on error"| n13
  n4 -->|"yes"| n5
  n4 -->|"no"| n7
  n5 --> n6
  n7 -.->|"on error"| n8
  n7 --> n9
  n9 -->|"yes"| n10
  n9 -->|"no"| n12
  n10 ==>|"enqueues"| n11
  n10 --> n12
  n13 --> n21
  n14 -->|"yes"| n15
  n17 --> n18
  n18 -->|"calls"| n19
  n21 --> n22
`
	if got := b.String(); got != want {
		t.Errorf("Mermaid (-want +got):\n%s", cmp.Diff(want, got))
	}
	if n := c.Nodes[17]; n.Path != "both / branch / one" || n.In != "n16" || !c.Nodes[13].Beside {
		t.Errorf("got %+v in %+v", n, c.Nodes[13])
	}
}

// Branches are side by side, and the steps of each below each other.
func TestBranchesAreSideBySide(t *testing.T) {
	d := layChain(OfPipeline(compile(t, nested)[0]))
	stock, one, two, each := &d.boxes[15], &d.boxes[17], &d.boxes[18], &d.boxes[20]
	if stock.x+stock.w > one.x || two.x+two.w > each.x || one.y+one.h > two.y {
		t.Errorf("the branches begin at %v, %v and %v, and the second step of one at %v", stock.x, one.x, each.x, two.y)
	}
}

// The overview shows which pipeline calls which, once for all calls.
func TestCalls(t *testing.T) {
	list := compile(t, "name: order\nsteps: [{name: a, steps: [{name: b, uses: ledger}]}, {name: c, uses: ledger}]\n", "name: ledger\nsteps: [{handler: Log, with: {message: x}}]\n")
	if got, want := OfProject(list, nil).Edges, []Edge{{From: "n0", To: "n1", Line: Calls}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// linked returns the first pipeline of a project.
func linked(t *testing.T, texts ...string) *pipelines.Pipeline {
	t.Helper()
	var files []pipelines.File
	for i, text := range texts {
		files = append(files, pipelines.File{Path: fmt.Sprintf("p%d.yaml", i), Data: []byte(text)})
	}
	k, findings := pipelines.Load(pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{}), files)
	p, err := k.Resolve("p0")
	if err != nil || len(findings) > 0 {
		t.Fatal(err, findings)
	}
	return p
}

// calls is a project whose first pipeline calls the others.
var calls = []string{
	"steps: [{name: post, uses: p1}, {name: end, handler: Log, with: {message: x}}]\n",
	"steps: [{name: none, handler: Break, if: payload.none, with: {reason: x}}, {name: sign, uses: p2}]\nfinally: [{name: unlock, handler: Log, with: {message: x}}]\n",
	"steps: [{name: log, handler: Log, onError: break, with: {message: x}}]\n",
}

// The steps of a called pipeline are in the frame of the step that calls it, and its lists after them.
func TestCalledSteps(t *testing.T) {
	c := OfPipeline(linked(t, calls...))
	var b strings.Builder
	if err := WriteMermaid(&b, c); err != nil {
		t.Fatal(err)
	}
	want := `flowchart TD
  n0(["an item"])
  subgraph n1 ["post<br/>uses p1"]
    n2{{"if<br/>payload.none"}}
    n3["none<br/>Break"]
    n4(["the call ends"])
    subgraph n5 ["sign<br/>uses p2"]
      n6["log<br/>Log"]
      n7(["the call ends"])
    end
    subgraph n8 ["finally"]
      n9["unlock<br/>Log"]
    end
  end
  n10["end<br/>Log"]
  n11(["succeeded"])
  n0 --> n1
  n1 --> n10
  n2 -->|"yes"| n3
  n2 -->|"no"| n5
  n3 --> n4
  n5 --> n8
  n6 -.->|"on error"| n7
  n10 --> n11
`
	if got := b.String(); got != want {
		t.Errorf("Mermaid (-want +got):\n%s", cmp.Diff(want, got))
	}
	if at := slices.IndexFunc(c.Nodes, func(n Node) bool { return n.Path == "post / finally / unlock" }); at < 0 {
		t.Errorf("no node has the path of the step that unlocks: %+v", c.Nodes)
	}
}

// A chart of very many steps shows only which pipelines are called.
func TestManyCalledSteps(t *testing.T) {
	many := "steps:\n" + strings.Repeat("  - uses: p1\n", mostCalled/10)
	c := OfPipeline(linked(t, many, "steps:\n"+strings.Repeat("  - {handler: Log, with: {message: x}}\n", 10)))
	if want := 2 + 2*mostCalled/10; len(c.Nodes) != want {
		t.Errorf("%d nodes, want %d", len(c.Nodes), want)
	}
}
