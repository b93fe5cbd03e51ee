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

var arrows = map[Line]string{Flow: "-->", OnError: "-.->", Enqueues: "==>"}

// escapes replaces characters with a special meaning in Mermaid's quoted texts by their
// name or code. A percent sign could begin a directive, a backquote a Markdown text.
var escapes = strings.NewReplacer(
	"#", "#35;", "\"", "#quot;", "&", "#amp;", "<", "#lt;", ">", "#gt;", "`", "#96;", "%", "#37;", "\\", "#92;",
)

// WriteMermaid writes charts as one Mermaid flowchart. Several charts are subgraphs with
// titles.
func WriteMermaid(w io.Writer, charts ...*Chart) error {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i, c := range charts {
		prefix, indent := "", "  "
		if len(charts) > 1 {
			prefix, indent = fmt.Sprintf("g%d", i), "    "
			fmt.Fprintf(&b, "  subgraph %s [%s]\n    direction TB\n", prefix, quoted(c.Title))
		}
		for _, n := range c.Nodes {
			fmt.Fprintf(&b, "%s%s%s%s%s%s\n", indent, prefix, n.ID, shapes[n.Shape][0], quoted(n.Lines...), shapes[n.Shape][1])
		}
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

// quoted returns lines as one label.
func quoted(lines ...string) string {
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = escapes.Replace(cut(line, maxLabel))
	}
	return `"` + strings.Join(texts, "<br/>") + `"`
}
