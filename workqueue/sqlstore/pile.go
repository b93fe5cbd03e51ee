package sqlstore

// pileChunk is how many values one slice of a pile holds.
const pileChunk = 8192

// pile collects values, of which there may be ten or a million. A slice that grows by append
// copies its values again and again, and allocates four times as much memory as it uses in the
// end.
type pile[T any] struct {
	full [][]T
	last []T
}

func (p *pile[T]) add(v T) {
	if len(p.last) == pileChunk {
		p.full = append(p.full, p.last)
		p.last = make([]T, 0, pileChunk)
	}
	p.last = append(p.last, v)
}

func (p *pile[T]) len() int { return len(p.full)*pileChunk + len(p.last) }

// all returns the values in their order and empties the pile.
func (p *pile[T]) all() []T {
	list := make([]T, 0, p.len())
	for i, chunk := range p.full {
		list = append(list, chunk...)
		p.full[i] = nil
	}
	list = append(list, p.last...)
	*p = pile[T]{}
	return list
}
