// Package bench measures how fast a database and this program move items.
//
// A scenario is a function, such as [Drain]. It creates a scratch database or schema on
// the server, runs one warm-up round and a few measured rounds, each with an empty
// schema, and verifies the contents of the database. Then it removes the scratch
// database, also when it fails or is interrupted. A [Sample] has the figures of one
// round; a [Report] has the median, the smallest and the largest value of the rounds.
// [Limit] measures the engine without this program.
package bench
