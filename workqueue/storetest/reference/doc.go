// Package reference is the work queue in plain Go: each method of a store by the
// rules of the design, on maps and without a database. Tests run a store and a Model
// through the same steps and compare their contents. It shares nothing with the
// stores except the types of package workqueue, so that a mistake in one shows as a
// difference from the other.
package reference
