package procid

import "testing"

func TestParseStat(t *testing.T) {
	const rest = " 1 2 3 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 9 0 12345 1000 2"
	for _, tt := range []struct {
		name, text string
		want       stat
		wrong      bool
	}{
		{name: "plain", text: "7 (botwork) S" + rest, want: stat{"S", 9, "12345"}},
		{name: "a name like a state", text: "7 (a) Z 1 (b) S" + rest, want: stat{"S", 9, "12345"}},
		{name: "a zombie", text: "7 (x) Z" + rest, want: stat{"Z", 9, "12345"}},
		{name: "cut short", text: "7 (x) Z 1 2 3", wrong: true},
		{name: "empty", wrong: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseStat(tt.text)
			if (err != nil) != tt.wrong || !tt.wrong && got != tt.want {
				t.Errorf("parseStat = %+v, %v, want %+v, an error: %t", got, err, tt.want, tt.wrong)
			}
		})
	}
}
