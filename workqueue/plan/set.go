package plan

import "math/bits"

// Set is a set of workers by their index in Planner.Workers.
type Set []uint64

// NewSet returns an empty set for n workers.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Add adds a worker.
func (s Set) Add(i int) { s[i/64] |= 1 << (i % 64) }

// Has reports whether a worker is in the set.
func (s Set) Has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// Remove removes a worker.
func (s Set) Remove(i int) { s[i/64] &^= 1 << (i % 64) }

// And keeps only the workers that are also in other.
func (s Set) And(other Set) {
	for i := range s {
		s[i] &= other[i]
	}
}

// Count returns how many workers are in the set.
func (s Set) Count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// nextIn returns the first worker from index i on that is in both sets; -1 for none.
func nextIn(a, b Set, i int) int {
	word := i / 64
	if word >= len(a) {
		return -1
	}
	found := a[word] & b[word] &^ (1<<(i%64) - 1)
	for found == 0 {
		if word++; word == len(a) {
			return -1
		}
		found = a[word] & b[word]
	}
	return word*64 + bits.TrailingZeros64(found)
}
