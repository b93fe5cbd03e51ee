package strictyaml

import (
	"fmt"
	"strings"
)

// Suggest returns the hint `did you mean "timeout"?` with the known name that is
// most similar to got, or "" if none is similar; see [Nearest].
func Suggest(got string, known []string) string {
	best, _ := Nearest(got, known)
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// Nearest returns the known name that is most similar to got, or "" if none is
// similar, and reports whether it is the only similar one. It ignores case. If got
// has up to two letters, the name must be equal; with up to four letters, one may
// differ; with up to eight, two; with more, three. Two swapped letters count as one
// difference. If one name is a prefix of the other ("warn", "warning"), the
// difference counts as the largest one allowed. The first of equally similar names
// is returned.
func Nearest(got string, known []string) (best string, only bool) { return nearest(got, known, true) }

// nearest implements Nearest. If prefixes is false, a prefix is not similar by itself.
func nearest(got string, known []string, prefixes bool) (best string, only bool) {
	limit := 3
	switch n := len([]rune(got)); {
	case n <= 2:
		limit = 0
	case n <= 4:
		limit = 1
	case n <= 8:
		limit = 2
	}
	similar, bestDistance := 0, limit+1
	for _, name := range known {
		if name == got {
			continue
		}
		a, b := strings.ToLower(got), strings.ToLower(name)
		d := distance(a, b, limit+1)
		if prefixes && min(len(a), len(b)) >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
			d = min(d, limit)
		}
		if d <= limit {
			similar++
		}
		if d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best, similar == 1
}

// distance returns the optimal string alignment distance of a and b: the number of
// insertions, deletions, substitutions and swaps of adjacent characters. If the
// lengths alone differ by limit or more, it returns limit.
func distance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if d := len(s) - len(t); d >= limit || -d >= limit {
		return limit
	}
	beforeLast, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
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
				row[j] = min(row[j], beforeLast[j-2]+1)
			}
		}
		beforeLast, last, row = last, row, beforeLast
	}
	return last[len(t)]
}
