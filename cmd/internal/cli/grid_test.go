package cli

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
)

func itemsGrid() *Grid {
	g := NewGrid("id", "status", "worker", "note").DropWhenNarrow("worker", "no such column")
	g.Add("1", "Failed", "bot-1", "the database does not answer it")
	g.Add("23", "Succeeded", "", "")
	return g
}

func TestTableFitsTheTerminal(t *testing.T) {
	const whole = `ID  STATUS     WORKER  NOTE
1   Failed     bot-1   the database does not answer it
23  Succeeded`
	for width, want := range map[int]string{
		0:  whole,
		57: whole,
		53: `ID  STATUS     WORKER  NOTE
1   Failed     bot-1   the database does not answer …
23  Succeeded`,
		52: `ID  STATUS     NOTE
1   Failed     the database does not answer it
23  Succeeded`,
		30: `ID  STATUS     NOTE
1   Failed     the database d…
23  Succeeded`,
		10: `ID  STATUS     NOTE
1   Failed     the databas…
23  Succeeded`, // no narrower: its terminal breaks the lines
	} {
		got := itemsGrid().render(width, false)
		if got != want {
			t.Errorf("in %d columns:\n%s\nwant\n%s", width, got, want)
		}
		for line := range strings.SplitSeq(got, "\n") {
			if width >= 30 && text.StringWidth(line) > width {
				t.Errorf("in %d columns: a line of %d: %q", width, text.StringWidth(line), line)
			}
		}
	}
}

// Printing changes no cell: a table may be printed twice.
func TestTablePrintedTwice(t *testing.T) {
	g := itemsGrid()
	before := g.render(0, false)
	g.render(20, true)
	if after := g.render(0, false); after != before {
		t.Errorf("after a narrow terminal:\n%s\nwant\n%s", after, before)
	}
}

func TestStatesHaveColors(t *testing.T) {
	got := itemsGrid().render(0, true)
	if want := "1   \x1b[31mFailed\x1b[0m     bot-1"; !strings.Contains(got, want) {
		t.Errorf("%q, want %q in it", got, want)
	}
	if plain := text.StripEscape(got); plain != itemsGrid().render(0, false) {
		t.Errorf("without colours:\n%s", plain)
	}
	if n := strings.Count(got, "\x1b["); n != 4 {
		t.Errorf("%d escape sequences, want those of two cells: %q", n, got)
	}
	var out strings.Builder
	itemsGrid().Print(&out)
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("colours outside a terminal: %q", out.String())
	}
}

func TestWideCharacters(t *testing.T) {
	g := NewGrid("name", "note")
	g.Add("日本語の名前です", strings.Repeat("長い", 20))
	for line := range strings.SplitSeq(g.render(40, false), "\n") {
		if w := text.StringWidth(line); w > 40 {
			t.Errorf("a line of %d columns, want at most 40: %q", w, line)
		}
	}
}
