package sqlstore

import "testing"

func TestPileKeepsItsOrder(t *testing.T) {
	for _, n := range []int{0, 1, pileChunk - 1, pileChunk, pileChunk + 1, 3*pileChunk + 5} {
		var p pile[int]
		for i := range n {
			p.add(i)
		}
		if p.len() != n {
			t.Errorf("len = %d, want %d", p.len(), n)
		}
		list := p.all()
		if len(list) != n {
			t.Errorf("all returned %d of %d values", len(list), n)
		}
		for i, v := range list {
			if v != i {
				t.Errorf("with %d values, value %d is %d", n, i, v)
				break
			}
		}
	}
}
