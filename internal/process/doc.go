// Package process assembles one running botwork process: the worker with its slots and
// leases, the pipelines, and the scheduler that starts them.
//
// New registers the worker, whose name must be free, and Start starts the schedules. Stop
// stops the schedules, releases items that are assigned but not started, waits for running
// items until the shutdown timeout, cancels and releases the rest, saves all results and
// marks the worker as stopped.
package process
