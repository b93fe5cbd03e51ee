package graph

import (
	"fmt"
	"io"
	"strings"
)

// shapes are the brackets of each shape in Mermaid.
var shapes = map[Shape][2]string{
	Start: {"([", "])"}, Step: {"[", "]"}, Condition: {"{{", "}}"}, Pipeline: {"[[", "]]"}, End: {"([", "])"},
}

var arrows = map[Line]string{Flow: "-->", OnError: "-.->", Enqueues: "==>", Calls: "-->"}

// escapes replaces characters with a special meaning in Mermaid's quoted texts by their
// name or code. A percent sign could begin a directive, a backquote a Markdown text.
var escapes = strings.NewReplacer(
	"#", "#35;", "\"", "#quot;", "&", "#amp;", "<", "#lt;", ">", "#gt;", "`", "#96;", "%", "#37;", "\\", "#92;",
)

// WriteMermaid writes charts as one Mermaid flowchart. Several charts are subgraphs with
// titles, and a frame is a subgraph, too.
func WriteMermaid(w io.Writer, charts ...*Chart) error {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i, c := range charts {
		prefix, indent := "", "  "
		if len(charts) > 1 {
			prefix, indent = fmt.Sprintf("g%d", i), "    "
			fmt.Fprintf(&b, "  subgraph %s [%s]\n    direction TB\n", prefix, quoted(c.Title))
		}
		c.writeNodes(&b, prefix, indent)
		for _, e := range c.Edges {
			label := ""
			if e.Label != "" {
				label = "|" + quoted(e.Label) + "|"
			}
			fmt.Fprintf(&b, "%s%s%s %s%s %s%s\n", indent, prefix, e.From, arrows[e.Line], label, prefix, e.To)
		}
		if len(charts) > 1 {
			b.WriteString("  end\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *Chart) writeNodes(b *strings.Builder, prefix, indent string) {
	var open []string // the frames that are open
	closeAll := func(until string) {
		for len(open) > 0 && open[len(open)-1] != until {
			open = open[:len(open)-1]
			fmt.Fprintf(b, "%s%send\n", indent, strings.Repeat("  ", len(open)))
		}
	}
	for _, n := range c.Nodes {
		closeAll(n.In)
		fmt.Fprint(b, indent, strings.Repeat("  ", len(open)))
		if n.Shape == Frame {
			fmt.Fprintf(b, "subgraph %s%s [%s]\n", prefix, n.ID, quoted(n.Lines...))
			open = append(open, n.ID)
			continue
		}
		fmt.Fprintf(b, "%s%s%s%s%s\n", prefix, n.ID, shapes[n.Shape][0], quoted(n.Lines...), shapes[n.Shape][1])
	}
	closeAll("")
}

// quoted returns lines as one label.
func quoted(lines ...string) string {
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = escapes.Replace(cut(line, maxLabel))
	}
	return `"` + strings.Join(texts, "<br/>") + `"`
}
