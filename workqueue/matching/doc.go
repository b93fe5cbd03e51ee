// Package matching decides which workers may run an item, and how well they suit it:
// labels, selectors that filter by them, scores, and the modes by which items are
// distributed. It is pure: no clock, no database, no network.
//
// A worker has labels. An item has labels, which only score, and selectors, which
// filter: a worker may run an item only if it satisfies all selectors that have not
// expired.
//
// Labels, selectors and distributions are written as JSON in the database and as YAML
// in files. Decode… functions accept decoded JSON or YAML: maps, lists, strings,
// numbers, bools and nil. Parse… functions accept JSON. All faults are returned at
// once, as Faults.
package matching
