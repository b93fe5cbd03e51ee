package cli

import (
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// A cell of a table is one line; a value of a sheet keeps its lines.
func TestCellsAreVisible(t *testing.T) {
	list := NewGrid("name")
	list.Add("a\nb\x1b[0m\t\u202e")
	if got, want := list.render(0, false), "NAME\na\\nb\\x1b[0m\\t\\u202e"; got != want {
		t.Errorf("table = %q, want %q", got, want)
	}
	values := NewGrid()
	values.Add("log", "one\ntwo\x1b[0m")
	if got, want := values.render(0, false), "log  one\n     two\\x1b[0m"; got != want {
		t.Errorf("sheet = %q, want %q", got, want)
	}
}

func TestConsoleLinesAreVisible(t *testing.T) {
	var b strings.Builder
	log := zerolog.New(ConsoleForm(&b, false))
	log.Warn().Str("a\x1b", "v\x1b[0m\u202e\n").Strs("list", []string{"\x1b"}).Msg("m\x1b[0m\nforged")
	if got, want := b.String(), `WRN m\x1b[0m\nforged a\x1b="v\x1b[0m\u202e\n" list="\x1b"`; !strings.Contains(got, want) {
		t.Errorf("line = %q, want %q in it", got, want)
	}
}
