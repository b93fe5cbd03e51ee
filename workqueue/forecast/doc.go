// Package forecast says when the items of the queue are likely to start and end. It draws many
// histories of the present situation: how long each run takes, which attempts fail, which items
// arrive. Each history is simulated by package assign, with the rules of its passes. Reading the
// situation writes nothing.
//
// The same draws are used for every variant of a situation, so that the difference between two
// forecasts is that of the variants, not of chance.
package forecast
