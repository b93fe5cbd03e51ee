// Package events sends clients what changes: at most one summary a second for each topic, and the
// changes of the items that a client follows. However many clients there are, at most one query a
// second reads the database; without clients there is none.
package events
