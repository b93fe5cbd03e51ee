// Package chaos torments a cluster of real workers and compares afterwards what
// the database says with what the items did: processes are killed, suspended past
// their leases, drained and started again, at random, while items come in all the
// time. It has no code of its own; `make chaos` runs its test for minutes,
// `go test` for seconds.
package chaos
