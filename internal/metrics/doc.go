// Package metrics has the figures that Prometheus reads: those of this process, and those of the
// queues, which are the same in every process of a database. Labels have few values: queues, but
// never items, and names of statements and routes, but never their parameters.
package metrics
