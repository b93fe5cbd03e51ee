package plan

import "math/bits"

// Set is a set of workers by their place among those that New was given.
type Set []uint64

// NewSet returns a set for n workers that holds none of them.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Add puts a worker in.
func (s Set) Add(i int) { s[i/64] |= 1 << (i % 64) }

// Has tells whether a worker is in it.
func (s Set) Has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// Remove takes a worker out.
func (s Set) Remove(i int) { s[i/64] &^= 1 << (i % 64) }

// And keeps those that are in other, too.
func (s Set) And(other Set) {
	for i := range s {
		s[i] &= other[i]
	}
}

// Count is how many workers are in it.
func (s Set) Count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// nextIn is the first worker from place i on that is in both sets; -1 for none.
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
