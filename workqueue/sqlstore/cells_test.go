package sqlstore

import (
	"encoding/json"
	"testing"
)

func FuzzTextsAreJSON(f *testing.F) {
	for _, text := range []string{"", "plain", `"quoted"`, `back\slash`, "\x00\x1f\n\x7f", "é\u2028😀", `{"n": 1}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = clean(text)
		var got string
		if err := json.Unmarshal(appendText(nil, text), &got); err != nil || got != text {
			t.Errorf("%q becomes %s, which is %q, %v", text, appendText(nil, text), got, err)
		}
	})
}
