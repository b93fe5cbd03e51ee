// Package bench measures how fast a database and this program move items.
//
// A scenario is a function, such as [Drain], that makes a scratch place on the
// database's server, measures one warm-up and a few rounds in it, each with an
// empty schema of its own, verifies what the database holds afterwards, and
// removes the place, also when it fails or is interrupted. What a round measured is a
// [Sample]; a [Report] has the median of the rounds beside the smallest and the
// largest. [Limit] measures the engine without this program.
package bench
