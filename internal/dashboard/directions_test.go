package dashboard

import "testing"

func TestSpellDirections(t *testing.T) {
	for page, want := range map[string]string{
		"":                            "",
		"<p>bot-1 is lost</p>":        "<p>bot-1 is lost</p>",
		"<p>bot\u202e-1</p> \u2066":   "<p>bot[U+202E]-1</p> [U+2066]",
		"<p title=\"\u202e\">é\u202e": "<p title=\"[U+202E]\">é[U+202E]",
		"<a href=\"/\u202e\" aria-label=\"a\u202e\"><input value=\"\u202e\" alt=\"\u202e\">": "<a href=\"/\u202e\" aria-label=\"a[U+202E]\"><input value=\"\u202e\" alt=\"[U+202E]\">",
		"<textarea name=a>\u202e</textarea>\u202e<option>\u202e</option>":                    "<textarea name=a>\u202e</textarea>[U+202E]<option>\u202e</option>",
		"\u202e<textarea>\u202e": "[U+202E]<textarea>[U+202E]",
	} {
		if got := string(spellDirections([]byte(page))); got != want {
			t.Errorf("spellDirections(%q) = %q, want %q", page, got, want)
		}
	}
}
