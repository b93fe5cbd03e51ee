package matching

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParseJSON checks that the reader accepts what encoding/json accepts, except for the
// texts that it rejects on purpose.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		` {"a" : [1, -2.5e+3, "x\"\\\u00e9\ud83d\ude00", true, false, null, {}, []] , "b":{"c":"é"}} `, `"\ud800"`, "\"\x80\"", `{"a":1,"a":2}`, `1 2`, ``, `"`, `-`,
		`[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]`, "\t1\r\n", `{"":""}`, `"a\/b\n"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseJSON(text)
		if err != nil {
			if json.Valid([]byte(text)) && !strings.Contains(err.Error(), "duplicate key") && !strings.Contains(err.Error(), "nested deeper") {
				t.Errorf("%q: %v, want it to be read", text, err)
			}
			return
		}
		var want any
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("%q was read as %v, and is no JSON: %v", text, got, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}
