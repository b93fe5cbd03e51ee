package dashboard

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Bounds of a tree: what is beyond them is in the raw text only.
const (
	treeValues = 2000
	treeDepth  = 40
	treeText   = 2000 // characters of a text
	treeOpen   = 40   // trees of at most this many values are open at first
)

// document is a JSON value as a page shows it.
type document struct {
	Name string // in ids and labels: payload, output, …
	Raw  string // indented
	Tree *node
	Left int64 // values that the tree does not have
}

// node is a value of a document.
type node struct {
	Path     string // unique in the page
	Key      string // its name in an object, or its index in a list
	Kind     string // object, list, text, number or word; for its colour
	Text     string
	Cut      bool // Text is not whole
	Count    int  // of an object or a list
	Children []node
	Open     bool
}

// Nested reports whether the value has values.
func (n *node) Nested() bool { return n.Kind == "object" || n.Kind == "list" }

// Size says how many values an object or a list has.
func (n *node) Size() string {
	if n.Kind == "object" {
		return plural(int64(n.Count), "key", "keys")
	}
	return plural(int64(n.Count), "value", "values")
}

// documentOf returns nil for a value that is not there.
func documentOf(name string, text json.RawMessage) *document {
	raw := pretty(text)
	if raw == "" {
		return nil
	}
	d := &document{Name: name, Raw: raw}
	t := &treeReader{dec: json.NewDecoder(bytes.NewReader(text))}
	t.dec.UseNumber()
	root, ok := t.value(name, "", 0)
	if !ok {
		return d // it is shown as it is
	}
	d.Tree, d.Left = &root, t.left
	open(&root, 0, t.made <= treeOpen)
	return d
}

// open opens the first level, and all of a small tree.
func open(n *node, depth int, small bool) {
	n.Open = depth == 0 || small
	for i := range n.Children {
		open(&n.Children[i], depth+1, small)
	}
}

// treeReader reads values with the order of their keys and the digits of their numbers.
type treeReader struct {
	dec  *json.Decoder
	made int
	left int64
}

// value reads the next value. It returns false if the text is not JSON.
func (t *treeReader) value(path, key string, depth int) (node, bool) {
	token, err := t.dec.Token()
	if err != nil {
		return node{}, false
	}
	return t.of(token, path, key, depth)
}

func (t *treeReader) of(token json.Token, path, key string, depth int) (node, bool) {
	t.made++
	n := node{Path: path, Key: key, Kind: "word"}
	switch v := token.(type) {
	case json.Delim:
		n.Kind = "list"
		if v == '{' {
			n.Kind = "object"
		}
		return n, t.fill(&n, depth)
	case string:
		n.Kind, n.Text = "text", v
		if runes := []rune(v); len(runes) > treeText {
			n.Text, n.Cut = string(runes[:treeText]), true
		}
	case json.Number:
		n.Kind, n.Text = "number", v.String()
	case bool:
		n.Text = strconv.FormatBool(v)
	default:
		n.Text = "null"
	}
	return n, true
}

// fill reads the values of an object or a list, and its end.
func (t *treeReader) fill(n *node, depth int) bool {
	for t.dec.More() {
		key := strconv.Itoa(n.Count)
		if n.Kind == "object" {
			token, err := t.dec.Token()
			name, ok := token.(string)
			if err != nil || !ok {
				return false
			}
			key = name
		}
		n.Count++
		if t.made >= treeValues || depth >= treeDepth {
			if !t.skip() {
				return false
			}
			continue
		}
		child, ok := t.value(n.Path+"."+strconv.Itoa(n.Count), key, depth+1)
		if !ok {
			return false
		}
		n.Children = append(n.Children, child)
	}
	_, err := t.dec.Token()
	return err == nil
}

// skip reads a value without keeping it.
func (t *treeReader) skip() bool {
	t.left++
	for depth := 0; ; {
		token, err := t.dec.Token()
		if err != nil {
			return false
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return true
		}
	}
}
