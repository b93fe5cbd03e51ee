package dashboard

import (
	"encoding/json"
	"strings"
	"testing"
)

// outline writes a tree, one value a line.
func outline(n *node, indent string) string {
	text := n.Text
	if n.Nested() {
		text = n.Size()
	}
	out := indent + joined(n.Key, n.Kind, text)
	if n.Open && n.Nested() {
		out += " open"
	}
	out += "\n"
	for i := range n.Children {
		out += outline(&n.Children[i], indent+" ")
	}
	return out
}

func TestDocument(t *testing.T) {
	d := documentOf("payload", json.RawMessage(`{"z": 12345678901234567890, "a": [true, null, {"<b>": "x"}], "z": 1.10, "empty": {}}`))
	want := `object · 4 keys open
 z · number · 12345678901234567890
 a · list · 3 values open
  0 · word · true
  1 · word · null
  2 · object · 1 key open
   <b> · text · x
 z · number · 1.10
 empty · object · 0 keys open
`
	if got := outline(d.Tree, ""); got != want || d.Left != 0 {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	paths := map[string]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if paths[n.Path] {
			t.Errorf("two values have the path %s", n.Path)
		}
		paths[n.Path] = true
		for i := range n.Children {
			visit(&n.Children[i])
		}
	}
	visit(d.Tree)
	for _, none := range []string{"", "null"} {
		if d := documentOf("output", json.RawMessage(none)); d != nil {
			t.Errorf("%q is a document: %+v", none, d)
		}
	}
	if d := documentOf("output", json.RawMessage(`"a"`)); d.Tree.Kind != "text" || d.Tree.Text != "a" {
		t.Errorf("a text: %+v", d.Tree)
	}
}

func TestLargeDocument(t *testing.T) {
	d := documentOf("payload", json.RawMessage("["+strings.Repeat(`{"a": [1]},`, 1999)+`"`+strings.Repeat("é", treeText+1)+`"]`))
	made := strings.Count(outline(d.Tree, ""), "\n")
	// Of the last object that has room, the list has none.
	if made > treeValues+2 || d.Tree.Count != 2000 || int(d.Left) != 2000-len(d.Tree.Children)+1 {
		t.Errorf("%d values, %d of %d at the top, %d left", made, len(d.Tree.Children), d.Tree.Count, d.Left)
	}
	if d.Tree.Children[0].Open || !d.Tree.Open {
		t.Error("a large tree has more than its first level open")
	}
	deep := documentOf("payload", json.RawMessage(strings.Repeat("[", 5000)+"1"+strings.Repeat("]", 5000)))
	if depth := strings.Count(outline(deep.Tree, ""), "\n"); depth != treeDepth+1 || deep.Left != 1 {
		t.Errorf("%d levels, %d values left", depth, deep.Left)
	}
	long := documentOf("payload", json.RawMessage(`["`+strings.Repeat("é", treeText+1)+`"]`))
	if n := long.Tree.Children[0]; !n.Cut || len([]rune(n.Text)) != treeText || !strings.Contains(long.Raw, strings.Repeat("é", treeText+1)) {
		t.Errorf("a long text has %d characters, cut: %v", len(n.Text), n.Cut)
	}
}
