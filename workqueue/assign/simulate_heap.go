package assign

import (
	"math/bits"
)

// simEvent is something that happens at a time, in nanoseconds from the beginning.
type simEvent struct {
	at     int64
	item   int32
	worker int32 // where an attempt ends; see the constants for other events
}

// Events without a worker.
const (
	becomesDue = int32(-1)
	expires    = int32(-2)
	escalates  = int32(-3)
)

// eventHeap has the earliest event first, and of those at the same time the one of the lowest
// item.
type eventHeap []simEvent

func (h eventHeap) less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].item < h[j].item
}

func (h *eventHeap) push(e simEvent) {
	*h = append(*h, e)
	l := *h
	for i := len(l) - 1; i > 0; {
		parent := (i - 1) / 2
		if !l.less(i, parent) {
			return
		}
		l[i], l[parent] = l[parent], l[i]
		i = parent
	}
}

func (h *eventHeap) pop() simEvent {
	l := *h
	first := l[0]
	last := len(l) - 1
	l[0] = l[last]
	*h = l[:last]
	h.down(0)
	return first
}

func (h eventHeap) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h.less(child+1, child) {
			child++
		}
		if !h.less(child, i) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

func (h eventHeap) init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

// itemHeap has the item with the lowest order first. Orders differ, or the lower item is first.
type itemHeap []heapItem

type heapItem struct {
	order int64
	item  int32
}

func (a heapItem) before(b heapItem) bool {
	return a.order < b.order || a.order == b.order && a.item < b.item
}

func (h *itemHeap) push(e heapItem) {
	*h = append(*h, e)
	l := *h
	i := len(l) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(l[parent]) {
			break
		}
		l[i] = l[parent]
		i = parent
	}
	l[i] = e
}

func (h *itemHeap) pop() {
	l := *h
	last := len(l) - 1
	moved := l[last]
	*h = l[:last]
	if last > 0 {
		h.replaceTop(moved)
	}
}

// replaceTop puts another item in the place of the first one.
func (h itemHeap) replaceTop(moved heapItem) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(moved) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = moved
}

// bitset is a set of items.
type bitset []uint64

func newBitset(n int) bitset      { return make(bitset, (n+63)/64) }
func (b bitset) add(i int32)      { b[i>>6] |= 1 << (uint(i) & 63) }
func (b bitset) remove(i int32)   { b[i>>6] &^= 1 << (uint(i) & 63) }
func (b bitset) has(i int32) bool { return b[i>>6]&(1<<(uint(i)&63)) != 0 }

// next returns the first member from i on; -1 if there is none.
func (b bitset) next(i int) int {
	word := i >> 6
	if word >= len(b) {
		return -1
	}
	found := b[word] &^ (1<<(uint(i)&63) - 1)
	for found == 0 {
		if word++; word == len(b) {
			return -1
		}
		found = b[word]
	}
	return word<<6 + bits.TrailingZeros64(found)
}
