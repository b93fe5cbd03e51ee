package sql

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseItemColumnsRejectsInvalidLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# a comment\n\nId value item claim\n", ""},
		{"Id\n", `got "Id", want a name, a kind and lists`},
		{"Id value\n", `got "Id value", want a name`},
		{"Id number item\n", `got "Id number item", want a name`},
		{"Id value items\n", `column Id: unknown list "items"`},
	} {
		func() {
			defer func() {
				fault := recover()
				if (fault == nil) != (c.want == "") || fault != nil && !strings.Contains(fmt.Sprint(fault), c.want) {
					t.Errorf("%q: panic %v, want %q", c.text, fault, c.want)
				}
			}()
			parseItemColumns(c.text)
		}()
	}
}
