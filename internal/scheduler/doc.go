// Package scheduler starts system pipelines when their triggers come due, and
// keeps a record of every planned instant that did not lead to a run.
//
// # Planned instants
//
// A schedule has instants (see package cron). A run is handed exactly the instant for which it
// starts, not the moment at which it started. The scheduler looks at the clock when the next
// instant is due and at least every 30 seconds, so a clock that is set, or a machine that wakes
// from sleep, is noticed within that time. An instant is on time for one minute; after that it is
// missed, and catchUp decides about it.
//
// # Scope
//
// each-worker: every worker fires each instant, by its own clock. Its run is the
// record of the firing; missed and skipped instants are recorded with the
// worker's name.
//
// once: one worker in the cluster fires each instant. The database's clock
// decides when it is due, and a row that only one worker can insert decides who
// runs it. A worker whose clock is wrong neither fires too early nor takes an
// instant from the others. A worker that dies between that row and the run
// leaves the instant fired without a run: at most once, never twice.
//
// # Overlap
//
// While a run of a pipeline goes on (for once: anywhere in the cluster), a
// firing of the same pipeline does not start. With skip it is recorded as
// skipped. With queue one firing waits and starts when the run has ended; others
// that come due meanwhile are skipped.
//
// # Catching up
//
// Instants are missed while no process runs, while the machine sleeps, or when
// the clock is set forward. Without catchUp all of them are recorded as missed.
// With catchUp the latest one is run if it is no older than that; all others are
// recorded as missed. Of many, the latest 100 are recorded; the first of these
// says how many more there were. A pipeline that has never fired has missed
// nothing.
//
// A clock that is set back by up to a minute is waited for. Set back further, it
// is believed: each-worker schedules fire by it again, also instants they had
// fired before; a once schedule never repeats an instant.
//
// # When a schedule is replaced
//
// What the old schedule had planned up to that moment, and what is neither fired nor
// recorded yet, is decided about by the rules of the new job, as if the schedule had
// stayed. If the job has another scope now, or no schedule, or is removed, it is
// recorded as skipped. From that moment on the new schedule holds.
//
// # At start
//
// An each-worker pipeline with atStart runs whenever the scheduler starts. A once pipeline claims
// its latest planned instant instead, so ten workers that start together run it one time, and a
// worker that joins others does not repeat what they have run. Without a schedule the full ten
// minutes of the clock (…:00, …:10) are used as planned instants. If the latest instant would be
// fired at start anyway, on time or to catch up, both are one run.
//
// # When the database is away
//
// A firing is tried again, with growing pauses of up to 30 seconds, until the
// next planned instant comes due; with catchUp, until that time has passed as
// well. Then it is missed, and recorded as such when the database is back. The
// end of a run is recorded with the same patience for some minutes.
//
// # Runs
//
// A run that panics has failed; the process goes on. A run that a process left
// behind when it died is recorded as failed when a worker of that name starts.
package scheduler
