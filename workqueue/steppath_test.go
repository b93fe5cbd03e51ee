package workqueue

import "testing"

func TestPaths(t *testing.T) {
	for path, around := range map[string]string{"post": "", "post / sign": "post", "finally / post / sign": "finally / post", "": ""} {
		if got := PathAround(path); got != around {
			t.Errorf("PathAround(%q) = %q, want %q", path, got, around)
		}
	}
	for _, c := range []struct {
		path, block string
		want        bool
	}{{"post / sign", "post", true}, {"post / sign / a", "post", true}, {"post", "post", false}, {"postal / sign", "post", false}} {
		if got := PathIn(c.path, c.block); got != c.want {
			t.Errorf("PathIn(%q, %q) = %t", c.path, c.block, got)
		}
	}
}
