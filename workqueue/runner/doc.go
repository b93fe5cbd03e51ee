// Package runner is what a worker process runs: it keeps the worker's leases with a
// heartbeat, gives its slots to claimed items, records how they end in batches, and
// drains when it stops. The rules and the store's contract are in package workqueue.
package runner
