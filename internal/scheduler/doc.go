// Package scheduler starts system pipelines when their triggers come due, and
// keeps a record of every planned instant that did not lead to a run.
//
// # Planned instants
//
// A schedule has instants, its planned times (see package cron). A run gets exactly the instant
// for which it starts, not the time at which it started. The scheduler reads the clock when the
// next instant is due and at least every 30 seconds. Within that time it notices that the clock
// was set, or that the machine slept. An instant is on time for one minute; after that it is
// missed, and catchUp determines whether it runs.
//
// # Scope
//
// each-worker: every worker fires each instant, by its own clock. The run is the
// record of the firing; missed and skipped instants are recorded with the worker's
// name.
//
// once: one worker in the cluster fires each instant. The database's clock
// determines when it is due, and a row that only one worker can insert determines
// which worker runs it. A worker with a wrong clock does not fire too early, and does
// not block the others. If a worker dies between that row and the run, the instant is
// fired without a run: at most once, never twice.
//
// # Overlap
//
// While a run of a pipeline is active (for once: on any worker), a firing of the same
// pipeline does not start. With skip it is recorded as skipped. With queue, one firing
// waits and starts when the run has ended; others that become due in the meantime are
// skipped.
//
// # Catching up
//
// Instants are missed while no process runs, while the machine sleeps, or when
// the clock is set forward. Without catchUp all of them are recorded as missed.
// With catchUp, the latest one is run if it is not older than catchUp; all others are
// recorded as missed. Of many, the latest 100 are recorded; the first of these has
// the number of the others. A pipeline that has never fired has missed nothing.
//
// If the clock is set back by up to a minute, the scheduler waits until it has caught
// up. If it is set back further, each-worker schedules follow the new time, and may
// fire instants again; a once schedule never repeats an instant.
//
// # When a schedule is replaced
//
// Instants of the old schedule up to that time that are neither fired nor recorded are
// handled by the rules of the new job, as if the schedule had not changed. If the job has
// another scope now, or no schedule, or is removed, they are recorded as skipped. From
// that time on the new schedule applies.
//
// # Pauses and requests
//
// The store starts no run and no firing of a paused pipeline; the scheduler records such
// firings as skipped. It also reads every two seconds what people asked for: to log a pause
// once, to end the work of an active run, and to start requested runs. A requested run starts
// when no run of the pipeline is active; until then, other workers may start it.
//
// # At start
//
// An each-worker pipeline with atStart runs whenever the scheduler starts. A once pipeline claims
// its latest planned instant instead, so ten workers that start together run it one time, and a
// worker that joins others does not repeat what they have run. Without a schedule the full ten
// minutes of the clock (…:00, …:10) are used as planned instants. If the latest instant would be
// fired at start anyway, on time or to catch up, both are one run.
//
// # When the database is down
//
// A firing is retried, with growing pauses of up to 30 seconds, until the next planned
// instant is due; with catchUp, until that time has passed as well. Then it is missed,
// and recorded as missed when the database is available again. Recording the end of a
// run is retried in the same way for some minutes.
//
// # Runs
//
// A run that panics has failed; the process continues. A run that was active when its
// process died is recorded as failed when a worker of that name starts.
package scheduler
