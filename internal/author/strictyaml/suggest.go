package strictyaml

import (
	"fmt"
	"strings"
)

// Suggest returns the hint `did you mean "timeout"?` with the known name that
// is nearest to got, or "" when none is near; see Nearest.
func Suggest(got string, known []string) string {
	best, _ := Nearest(got, known)
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// Nearest returns the known name that is nearest to got, "" when none is near,
// and whether it is the only one that is. Case does not count. A name of two
// letters or less must be the same but for case, one of up to four may differ by
// one letter, one of up to eight by two, a longer one by three; two neighbours
// that changed places differ by one. A name that only goes on where the other
// ends ("warning", "warn") is as near as can be just suggested. The earlier of
// two equally near names wins.
func Nearest(got string, known []string) (best string, only bool) { return nearest(got, known, true) }

// nearest is Nearest, with or without names that only go on where the other ends.
func nearest(got string, known []string, longer bool) (best string, only bool) {
	limit := 3
	switch n := len([]rune(got)); {
	case n <= 2:
		limit = 0
	case n <= 4:
		limit = 1
	case n <= 8:
		limit = 2
	}
	near, bestDistance := 0, limit+1
	for _, name := range known {
		if name == got {
			continue
		}
		a, b := strings.ToLower(got), strings.ToLower(name)
		d := distance(a, b, limit+1)
		if longer && min(len(a), len(b)) >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
			d = min(d, limit)
		}
		if d <= limit {
			near++
		}
		if d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best, near == 1
}

// distance is the optimal string alignment distance of a and b: the number of
// insertions, deletions, substitutions and swaps of neighbours. It may return
// any number of at least enough once it knows that the distance is that big.
func distance(a, b string, enough int) int {
	s, t := []rune(a), []rune(b)
	if d := len(s) - len(t); d >= enough || -d >= enough {
		return enough
	}
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
