package lsp

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"botwork/internal/testgroup"
)

func TestURIs(t *testing.T) {
	tests := []struct {
		uri     string
		windows bool
		path    string // "" if it is not a file
		back    string // "" if it is the same URI
	}{
		{"file:///home/a/b.yaml", false, "/home/a/b.yaml", ""},
		{"file:///a%20b/%C3%A9%23.yaml", false, "/a b/é#.yaml", ""},
		{"file://localhost/a.yaml", false, "/a.yaml", "file:///a.yaml"},
		{"file:///a/../b%25.yaml", false, "/b%.yaml", "file:///b%25.yaml"},
		{"FILE:///a.yaml", false, "/a.yaml", "file:///a.yaml"},
		{"file://server/a.yaml", false, "", ""},
		{"untitled:Untitled-1", false, "", ""},
		{"file://", false, "", ""},
		{"%", false, "", ""},
		{"", false, "", ""},
		{"file:///c%3A/Users/a%20b/x.yaml", true, `C:\Users\a b\x.yaml`, "file:///C:/Users/a%20b/x.yaml"},
		{"file:///C:/x.yaml", true, `C:\x.yaml`, ""},
		{"file://server/share/x.yaml", true, `\\server\share\x.yaml`, ""},
		{"file:///x.yaml", true, "", ""},
	}
	for _, tt := range tests {
		path, ok := pathFor(tt.uri, tt.windows)
		if path != tt.path || ok != (tt.path != "") {
			t.Errorf("pathFor(%q, %v) = %q, %v, want %q", tt.uri, tt.windows, path, ok, tt.path)
			continue
		}
		back := tt.back
		if back == "" {
			back = tt.uri
		}
		if got := uriFor(path, tt.windows); ok && got != back {
			t.Errorf("uriFor(%q, %v) = %q, want %q", path, tt.windows, got, back)
		}
	}
}

func TestPositions(t *testing.T) {
	text := "aé😀b\r\n\rx\n"
	tests := []struct {
		offset      int
		utf8, utf16 Position
	}{
		{0, Position{0, 0}, Position{0, 0}},
		{1, Position{0, 1}, Position{0, 1}},
		{3, Position{0, 3}, Position{0, 2}},
		{7, Position{0, 7}, Position{0, 4}},
		{8, Position{0, 8}, Position{0, 5}},
		{10, Position{1, 0}, Position{1, 0}},
		{11, Position{2, 0}, Position{2, 0}},
		{12, Position{2, 1}, Position{2, 1}},
		{13, Position{3, 0}, Position{3, 0}},
	}
	for _, bytes := range []bool{true, false} {
		d := newDocument("", "", text, bytes)
		for _, tt := range tests {
			want := tt.utf16
			if bytes {
				want = tt.utf8
			}
			if got := d.position(tt.offset); got != want {
				t.Errorf("position(%d) = %v, want %v (bytes %v)", tt.offset, got, want, bytes)
			}
			if got := d.offset(want); got != tt.offset {
				t.Errorf("offset(%v) = %d, want %d (bytes %v)", want, got, tt.offset, bytes)
			}
		}
		for _, p := range []Position{{-1, 5}, {0, -3}} {
			if got := d.offset(p); got != 0 {
				t.Errorf("offset(%v) = %d, want 0", p, got)
			}
		}
		if got := d.offset(Position{0, 99}); got != 8 {
			t.Errorf("offset after the end of a line = %d, want 8", got)
		}
		if got := d.offset(Position{99, 0}); got != len(text) {
			t.Errorf("offset after the last line = %d, want %d", got, len(text))
		}
	}
}

// TestEdits compares edits by positions with the same edits by offsets.
func TestEdits(t *testing.T) {
	piece := rapid.StringOfN(rapid.SampledFrom([]rune("ab: -\"{é😀\n\r\t")), 0, 12, -1)
	testgroup.Check(t, 25, func(t *rapid.T) {
		text := piece.Draw(t, "text") + piece.Draw(t, "more")
		bytes := rapid.Bool().Draw(t, "bytes")
		d := newDocument("", "", text, bytes)
		model := text
		for range rapid.IntRange(1, 8).Draw(t, "edits") {
			from, to := drawOffset(t, model, "from"), drawOffset(t, model, "to")
			if from > to {
				from, to = to, from
			}
			insert := piece.Draw(t, "insert")
			d = d.edit(d.version+1, []contentChange{{
				Range: &Range{modelPosition(model, from, bytes), modelPosition(model, to, bytes)}, Text: insert,
			}})
			if model = model[:from] + insert + model[to:]; d.text != model {
				t.Fatalf("text = %q, want %q", d.text, model)
			}
		}
		if full := d.edit(99, []contentChange{{Text: model}}); full.text != model || full.version != 99 {
			t.Fatalf("text after a full sync = %q, want %q", full.text, model)
		}
	})
}

// drawOffset draws an offset between two characters. Editors have no position between \r
// and \n.
func drawOffset(t *rapid.T, text, label string) int {
	offset := rapid.IntRange(0, len(text)).Draw(t, label)
	for offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset++
	}
	if offset > 0 && offset < len(text) && text[offset-1] == '\r' && text[offset] == '\n' {
		offset++
	}
	return offset
}

func modelPosition(text string, offset int, bytes bool) Position {
	before := strings.ReplaceAll(strings.ReplaceAll(text[:offset], "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(before, "\n")
	last := lines[len(lines)-1]
	if bytes {
		return Position{len(lines) - 1, len(last)}
	}
	return Position{len(lines) - 1, len(utf16.Encode([]rune(last)))}
}
