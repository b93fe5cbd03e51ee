package testgroup

import (
	"flag"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for value, want := range map[string][]Group{
		"": nil, "wine": {Wine}, " wine, nightly,": {Wine, Nightly}, "all": groups,
	} {
		if got, err := parse(value); err != nil || !slices.Equal(got, want) {
			t.Errorf("parse(%q) = %v, %v, want %v", value, got, err, want)
		}
	}
	if _, err := parse("wine,browsers"); err == nil {
		t.Error("an unknown group is accepted")
	}
}

func TestCheckDrawsTheSameCases(t *testing.T) {
	if Asked(Nightly) {
		t.Skip("nightly runs draw new cases")
	}
	var runs [2][]int
	for i := range runs {
		Check(t, 7, func(t *rapid.T) { runs[i] = append(runs[i], rapid.Int().Draw(t, "n")) })
	}
	if len(runs[0]) != 7 || !slices.Equal(runs[0], runs[1]) {
		t.Errorf("drew %v and %v, want the same 7 numbers", runs[0], runs[1])
	}
	if got := flag.Lookup("rapid.seed").Value.String(); got != "0" {
		t.Errorf("-rapid.seed is %s afterwards, want 0", got)
	}
}
