// Package runner runs the items of a worker process. It renews the worker's leases with a
// heartbeat, runs claimed items in the worker's slots, writes their outcomes in batches, and
// drains when the worker stops. The rules and the store's contract are in package workqueue.
package runner
