package sketch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
)

// draw returns a sketch as one line: keys and texts in their order.
func draw(n *Node) string {
	var parts []string
	for _, e := range n.Entries {
		if e.Colon < 0 {
			parts = append(parts, e.Key+"?")
		} else {
			parts = append(parts, e.Key+": "+draw(e.Value))
		}
	}
	for _, item := range n.Items {
		parts = append(parts, draw(item))
	}
	for _, stray := range n.Stray {
		parts = append(parts, "stray "+draw(stray))
	}
	body := strings.Join(parts, ", ")
	switch n.Kind {
	case Mapping:
		return "{" + body + "}"
	case Sequence:
		return "[" + body + "]"
	case Scalar:
		return strings.TrimSuffix(n.Text+" "+body, " ")
	}
	return "~"
}

func TestBrokenTexts(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"nothing":                     {"", "~"},
		"a word":                      {"na", "na"},
		"a word before keys":          {"na\nsteps:\n", "{na?, steps: ~}"},
		"a word after keys":           {"name: a\nst", "{name: a, st?}"},
		"a word between keys":         {"name: a\nst\ninput: {}\n", "{name: a, st?, input: {}}"},
		"a key without a blank":       {"a: 1\nhandler:H\n", "{a: 1, handler:H?}"},
		"the first key of a step":     {"steps:\n  - na\n    handler: A\n", "{steps: [{na?, handler: A}]}"},
		"a step's only word":          {"steps:\n  - ha\n  - handler: A\n", "{steps: [ha, {handler: A}]}"},
		"a word below a key":          {"- with:\n    ur\n  name: a\n", "[{with: ur, name: a}]"},
		"a word before parameters":    {"with:\n  ur\n  url: x\n", "{with: {ur?, url: x}}"},
		"a list in its key's column":  {"steps:\n- a: 1\n- b\nname: x\n", "{steps: [{a: 1}, b], name: x}"},
		"an open quote":               {"a: \"x ${{\nb: 1\n", "{a: x ${{, b: 1}"},
		"an open quote in a list":     {"- \"x\n- b: 1\n", "[x, {b: 1}]"},
		"an open brace":               {"- with: {url: \n  name: a\n- b: 1\n", "[{with: {url: ~}, name: a}, {b: 1}]"},
		"an open brace with a word":   {"- with: {url: a, me\n- b: 1\n", "[{with: {url: a, me?}}, {b: 1}]"},
		"an expression in braces":     {"with: {url: ${{ a.b }}, x: 1}\n", "{with: {url: ${{ a.b }}, x: 1}}"},
		"an open expression in flow":  {"with: {url: ${{ a, b\nx: 1}\n", "{with: {url: ${{ a, b}, x: 1}}"},
		"a line too deep":             {"a: 1\n    b: 2\nc: 3\n", "{a: 1, c: 3, stray {b: 2}}"},
		"a line too shallow":          {"a:\n    b: 2\n  c: 3\n", "{a: {b: 2}, stray {c: 3}}"},
		"a dash that belongs nowhere": {"a: 1\n- b\nc: 3\n", "{a: 1, c: 3, stray [b]}"},
		"tabs":                        {"a:\n\tb: 1\n", "{a: {b: 1}}"},
		"a comment that cuts":         {"a: x # y\n  z\nb: 1\n", "{a: x, b: 1, stray z}"},
		"keys with quotes":            {"'a b': 1\n\"c\": {\"d\":2}\n", "{a b: 1, c: {d: 2}}"},
		"blocks":                      {"a: |\n  x: 1\n\n  - y\nb: >-\n  c\n", "{a: x: 1\n\n- y, b: c}"},
		"anchors and tags":            {"a: &x\n  b: !!str 1\nc: *x\n<<: *x\n", "{a: {b: 1}, c: *x, <<: *x}"},
		"every line end":              {"a: 1\r\nb: 2\rc:\r\n  d: 3", "{a: 1, b: 2, c: {d: 3}}"},
		"a byte order mark":           {"\ufeffa: 1", "{a: 1}"},
		"wrong brackets":              {"a: [1, {b: 2]]\nc: }\n", "{a: [1, {b: 2}], c: }}"},
		"two documents":               {"a: 1\n---\nb: 2\n", "{a: 1, b: 2}"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := draw(Parse(tt.text)); got != tt.want {
				t.Errorf("Parse(%q)\n got %s\nwant %s", tt.text, got, tt.want)
			}
		})
	}
}

func TestPath(t *testing.T) {
	text := "steps:\n  - handler: HTTP\n    with: {auth: {token: x}}\n"
	spot := Parse(text).At(strings.Index(text, "x}"))
	if got := strings.Join(spot.Value.Path(), "."); got != "steps.[].with.auth.token" {
		t.Errorf("Path = %s", got)
	}
	spot = Parse(text).At(strings.Index(text, "token"))
	if spot.Key == nil || spot.Key.Key != "token" || strings.Join(spot.Key.Mapping.Path(), ".") != "steps.[].with.auth" {
		t.Errorf("At(token) = %+v", spot)
	}
}

// TestSketchAgreesWithStrictParser parses every YAML file of the module with both
// parsers. For valid YAML, the sketch has the same keys, texts and positions.
func TestSketchAgreesWithStrictParser(t *testing.T) {
	files := 0
	err := filepath.WalkDir(filepath.Join("..", "..", "..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		strict, wrong := strictyaml.Parse(path, data)
		if strict == nil || len(wrong) > 0 || strings.ContainsAny(string(data), "&*") {
			return nil // values of aliases have the positions of their anchors
		}
		files++
		compare(t, string(data), strict, Parse(string(data)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("compared %d files, want 50 or more", files)
	}
}

// compare reports the differences between both results.
func compare(t *testing.T, text string, strict *strictyaml.Node, n *Node) {
	t.Helper()
	fault := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s:%d:%d: %s: %s", strict.File, strict.Line, strict.Column, strict.Path, fmt.Sprintf(format, args...))
	}
	if len(n.Stray) > 0 {
		fault("has %d stray values", len(n.Stray))
	}
	switch strict.Kind {
	case strictyaml.Mapping:
		if len(n.Entries) != len(strict.Entries) {
			fault("has %d keys, want %d", len(n.Entries), len(strict.Entries))
			return
		}
		for i, e := range strict.Entries {
			got := n.Entries[i]
			if got.Key != e.Key || offsetOf(text, e.KeyLine, e.KeyColumn) != got.From {
				fault("key %q at offset %d, want %q at %d", got.Key, got.From, e.Key, offsetOf(text, e.KeyLine, e.KeyColumn))
			}
			compare(t, text, e.Value, got.Value)
		}
	case strictyaml.Sequence:
		if len(n.Items) != len(strict.Items) {
			fault("has %d elements, want %d", len(n.Items), len(strict.Items))
			return
		}
		for i, item := range strict.Items {
			compare(t, text, item, n.Items[i])
		}
	case strictyaml.Scalar:
		if n.Kind != Scalar || offsetOf(text, strict.Line, strict.Column) != n.From {
			fault("is %v at offset %d, want a scalar at %d", n.Kind, n.From, offsetOf(text, strict.Line, strict.Column))
		}
		if n.Style != Block && n.Text != strict.Text {
			fault("is %q, want %q", n.Text, strict.Text)
		}
	case strictyaml.Null:
		if n.Kind != Empty && n.Text != "null" && n.Text != "~" {
			fault("is %q, want nothing", n.Text)
		}
	}
}

func offsetOf(text string, line, column int) int {
	offset := 0
	for ; line > 1; line-- {
		offset += strings.IndexByte(text[offset:], '\n') + 1
	}
	for ; column > 1; column-- {
		_, size := utf8.DecodeRuneInString(text[offset:])
		offset += size
	}
	return offset
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"a: [1, {b: 2]]\n- \"x\n  'y: |\n z", "- - - a\n -\n? x\n: y", "{[{[\"", "a: &b !c\n  *d\n", strings.Repeat("- [{", 400), "a: >\r\n \t\r x\r\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := Parse(text)
		n.Walk(func(n *Node) {
			if n.From < 0 || n.From > n.To || n.To > len(text) {
				t.Fatalf("a node from %d to %d in %d bytes", n.From, n.To, len(text))
			}
			for _, e := range n.Entries {
				if e.From < 0 || e.From > e.To || e.To > len(text) || e.Value == nil || e.Value.Parent != n {
					t.Fatalf("a key from %d to %d in %d bytes", e.From, e.To, len(text))
				}
			}
			n.Path()
		})
		for offset := 0; offset <= len(text) && offset < 200; offset++ {
			n.At(offset)
		}
	})
}
