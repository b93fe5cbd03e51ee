package builtin

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"botwork/handlers"
)

// utf16Text returns a text in UTF-16 with a byte order mark.
func utf16Text(text string, order binary.AppendByteOrder) string {
	data := order.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune(text)) {
		data = order.AppendUint16(data, unit)
	}
	return string(data)
}

func TestCSVForms(t *testing.T) {
	const text = "name,city\nAna,Évora 🤖\n"
	want := []any{map[string]any{"name": "Ana", "city": "Évora 🤖", "line": 2}}
	later := []any{map[string]any{"name": "Ana", "city": "Évora 🤖", "line": 3}}
	comma := strings.NewReplacer(",", ";")
	for name, c := range map[string]struct {
		text string
		want []any
	}{
		"UTF-8 with a mark": {"\uFEFF" + text, want},
		"UTF-16 LE":         {utf16Text(text, binary.LittleEndian), want},
		"UTF-16 BE":         {utf16Text(text, binary.BigEndian), want},
		"CR LF":             {strings.ReplaceAll(text, "\n", "\r\n"), want},
		"CR":                {strings.ReplaceAll(text, "\n", "\r"), want},
		"CR in UTF-16":      {utf16Text(strings.ReplaceAll(text, "\n", "\r"), binary.LittleEndian), want},
		"sep=;":             {"sep=;\r\n" + comma.Replace(text), later},
		`"sep=;"`:           {"\"sep=;\"\n" + comma.Replace(text), later},
		"SEP of a tab":      {"SEP=\t\n" + strings.ReplaceAll(text, ",", "\t"), later},
		"sep=, with a mark": {"\uFEFFsep=,\n" + text, later},
		"sep=; and CR":      {strings.ReplaceAll("sep=;\n"+comma.Replace(text), "\n", "\r"), later},
	} {
		t.Run(name, func(t *testing.T) {
			kind := csvKind(Resources{Folders: []string{tempFolder(t, map[string]string{"a.csv": c.text})}})
			out, err := run(t, kind, map[string]any{"op": "parse", "path": "a.csv", "lineColumn": "line"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(any(c.want), out.(map[string]any)["rows"]); diff != "" {
				t.Error(diff)
			}
		})
	}
	for name, c := range map[string]struct{ text, want string }{
		"odd UTF-16":            {utf16Text("a\n", binary.LittleEndian) + "x", "UTF-16 with an odd number of bytes (7)"},
		"UTF-16 without a mark": {utf16Text("a\n", binary.LittleEndian)[2:], "NUL at byte 1: this may be UTF-16 without a byte order mark"},
		"sep is a quote":        {"sep=\"\na\n", "line 1: got sep="},
	} {
		kind := csvKind(Resources{Folders: []string{tempFolder(t, map[string]string{"a.csv": c.text})}})
		_, err := run(t, kind, map[string]any{"op": "parse", "path": "a.csv"}, nil)
		t.Log(name)
		wantError(t, err, "business", c.want)
	}
}

func TestCSVOpenQuote(t *testing.T) {
	for text, line := range map[string]string{
		"a,b\n1,2\n3,\"4\n5,6\n7,8\n":    "line 3: a quote begins here and is not closed",
		"a,b\n\"x\ny\",\"z\n1,2\n":       "line 3: a quote begins here",
		"a,\"b\n1,2\n":                   "line 1: a quote begins here",
		"a,b\n1,2\n3,\"":                 "line 3: a quote begins here",
		"a,b\r\n1,\"x \"\" y\r\n3,4\r\n": "line 2: a quote begins here",
		"sep=;\na;b\n1;\"2\n":            "line 3: a quote begins here",
	} {
		for _, how := range []string{"fail", "collect"} {
			_, err := run(t, csvKind(Resources{}), map[string]any{"op": "parse", "text": text, "onBadRow": how}, nil)
			wantError(t, err, "business", line)
		}
	}
	// A misplaced quote in the last row is no open quote: only its row is bad.
	for _, text := range []string{"a\n1\n\"x\"y\n", "a\n1\n\"x\"y\"", "a\n1\nx\"y"} {
		out, err := run(t, csvKind(Resources{}), map[string]any{"op": "parse", "text": text, "onBadRow": "collect"}, nil)
		if err != nil || out.(map[string]any)["count"] != 1 {
			t.Errorf("%q: %v, %v, want one good row and one bad one", text, out, err)
		}
	}
}

func TestCSVSaysHowManyRowsAreBad(t *testing.T) {
	with := map[string]any{"op": "parse", "text": "a,b\n1,2\nx,y\n3\n", "columns": map[string]any{"a": "whole", "b": "whole"}}
	_, err := run(t, csvKind(Resources{}), with, nil)
	wantError(t, err, "business", "line 3", "line 4") // the default
	with["onBadRow"] = "collect"
	var log bytes.Buffer
	progress := ""
	_, err = run(t, csvKind(Resources{}), with, &handlers.Call{Log: zerolog.New(&log), OnProgress: func(text string) { progress = text }})
	if want := "CSV: left out 2 bad row(s), read 1; the first is on line 3"; err != nil || progress != want {
		t.Errorf("progress = %q, %v, want %q", progress, err, want)
	}
	if want := `"bad_rows":2,"rows":1`; !strings.Contains(log.String(), want) {
		t.Errorf("log = %s, want %s", log.String(), want)
	}
}
