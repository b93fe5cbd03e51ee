// Package reference is the work queue in plain Go: what each method of a store
// has to do, as the design says it, on maps and without a database. Tests put a
// store and a Model through the same steps and compare what they hold. It shares
// nothing with the stores but the types of package workqueue, so that a mistake
// in one is a difference from the other.
package reference
