// Package process puts one running botwork process together: the worker with
// its slots and leases, the pipelines, and the scheduler that starts them.
//
// A process lives like this: Start registers the worker (its name must be
// free), then the scheduler begins to fire. Stop fires nothing more, gives back
// what is assigned but not started, waits for running items as long as the
// grace lasts, cancels and releases the rest, writes all results and marks the
// worker as stopped.
package process
