// Package matching says which worker an item may go to, and how well it suits
// it: labels, selectors that filter by them, scores, and the choices of how
// items are given out. It is pure: no clock, no database, no network.
//
// A worker carries labels. An item carries labels, which only score, and
// selectors, which filter: a worker takes an item only when it satisfies all
// selectors that have not expired.
//
// Labels, selectors and distributions are written as JSON in the database and
// as YAML in files. Decode… functions take what either reads as: maps, lists,
// strings, numbers, bools and nil. Parse… functions take JSON. All mistakes
// come at once, as Faults.
package matching
