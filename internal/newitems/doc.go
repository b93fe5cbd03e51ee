// Package newitems reads new items as people and programs write them, such as the lines of
// `botwork enqueue -`, and finds what would prevent an item from running before it is stored.
package newitems
