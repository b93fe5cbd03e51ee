package assign

import (
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/plan"
)

// Situation is a copy in memory of what assignment passes and workers act on: the items that
// wait, run or become due, the workers, the limits and the system pipelines. Simulations begin
// with it. Its exported fields may be changed until Prepare, for a what-if; after that, any number
// of simulations may use it at the same time.
type Situation struct {
	// At is when the simulations begin, UTC by the database's clock.
	At time.Time

	// Items in any order; Prepare sorts them as AssignView.DueItems does.
	Items []SimItem

	// Cut is how many due items are among them, the first that passes take, if there are more; 0: all are.
	Cut int

	// Workers by id.
	Workers []SimWorker

	// Pipelines are those that assign or run items. Their passes have their defaults.
	Pipelines []SystemPipeline

	// DefaultEstimate is the duration of items that nothing is known about.
	DefaultEstimate time.Duration

	// Rules are the rules of escalation that act during the simulations.
	Rules []SimRule

	// Unescalated reports that Prepare has left out what rules do to some items, since there are too many.
	Unescalated bool

	uses   []workqueue.LimitUse
	queues map[string]workqueue.JSONText // distributions
	marks  workqueue.PassState

	// The following is computed by Prepare.

	hot    []hotItem
	order  []int64    // of each item among those that wait, as the planner sorts them; see orderStep
	sorted []orderKey // the items in that order, to find the place of one that waits again
	groups []simGroup
	byID   map[int64]int32
	passes []simPass
	lists  [][]int // the passes of each pipeline, as indexes of passes

	steps []simStep // of each item; nil without rules

	state   []itemState
	waiting bitset
	counts  []int // waiting items of each pass

	queueLimits, keyLimits []limitStart
	keys                   map[workqueue.LimitKey]int32

	// plain: the rule of free slots gives what the planner gives; see Simulation.rule.
	plain bool
}

// SimItem is an item of a situation. Holder is the worker that runs it or to which it is
// assigned. An item without one waits, from Due on.
type SimItem struct {
	workqueue.HeldItem

	// Takes is how long a run is expected to take; 0: as a pass estimates.
	Takes time.Duration

	// Drawn: Draws.Due says when it becomes due, and whether it exists at all. Due is then the
	// expected time.
	Drawn bool

	// Failures counts its failed attempts.
	Failures int

	// origin is the id of the item that this one replaces after a rule of escalation has acted; 0: it
	// replaces none. See Situation.Rules.
	origin int64
}

// Clone returns a situation that can be changed without changing s, which may be prepared or not.
func (s *Situation) Clone() *Situation {
	return &Situation{
		At: s.At, Items: slices.Clone(s.Items), Workers: slices.Clone(s.Workers), Pipelines: slices.Clone(s.Pipelines), DefaultEstimate: s.DefaultEstimate, Rules: s.Rules,
		uses: s.uses, queues: s.queues, marks: s.marks,
	}
}

// SimWorker is a worker of a situation.
type SimWorker struct {
	workqueue.WorkerLoad // without Held

	channels workqueue.Channels
}

// hotItem is what the simulation of an item uses all the time.
type hotItem struct {
	priority int32
	group    int32  // index in groups; -1: no pass assigns it
	at       int32  // its index in the items of its group
	queue    int32  // index in queueLimits; -1: none
	key      int32  // index in keyLimits; -1: none
	passes   uint64 // those that assign items of its priority
	runs     uint64 // the pipelines that run them
	guess    int64  // the estimate of a pass, in milliseconds
	takes    int64  // the expected duration, in nanoseconds
	deadline int64  // in nanoseconds from the beginning; never for none
	finish   int64  // when a run is ended, likewise
}

// never is after every simulated time.
const never = int64(1<<63 - 1)

// simPass is one AssignTasksToWorker step.
type simPass struct {
	params   AssignParams
	pipeline int
	groups   []int32 // those with items that it may assign
	balanced bool    // all of them have the mode least-loaded
}

// simGroup are items that the same passes may give to the same workers, and that share a limited
// queue.
type simGroup struct {
	eligible plan.Set
	channel  string
	costs    bool   // some worker bounds the channel, or runs its items in more than one slot
	balanced bool   // the mode is least-loaded
	turns    bool   // the mode is round-robin
	turn     string // its scope
	queue    int32
	items    []int32 // in the order of DueItems
}

// itemState is where an item of a simulation is.
type itemState uint8

const (
	simAbsent   itemState = iota // it does not exist in this history
	simLater                     // it becomes due later
	simWaiting                   // it is due
	simAssigned                  // a worker has it
	simRunning                   // a worker runs it
	simEnded                     // it has succeeded, failed finally or expired
)

// Draws decides what is left to chance in a history. Times are from its beginning. Its methods
// are called by one goroutine.
type Draws interface {
	// Run returns how long the next attempt of an item takes, and whether it fails. failures are
	// its failed attempts so far.
	Run(item, failures int) (takes time.Duration, fails bool)

	// Rest is Run for an attempt that has already run for some time; takes is what is left.
	Rest(item int, ran time.Duration) (takes time.Duration, fails bool)

	// Retry returns how long an item waits after its failures; false: it is not retried.
	Retry(item, failures int) (wait time.Duration, again bool)

	// Due returns when a drawn item becomes due; false: never.
	Due(item int) (time.Duration, bool)
}

// Watcher sees what happens in a history. Items and workers are indexes in the situation, times
// are from its beginning. It returns false to end the history.
type Watcher interface {
	// Due reports an item that becomes due after the beginning, for its first attempt.
	Due(item int, at time.Duration) bool

	Started(item, worker int, at time.Duration) bool

	// Ended reports the end of an attempt; final: no other one follows.
	Ended(item, worker int, at time.Duration, final bool) bool

	// Expired reports an item that did not start by its deadline, or whose run was ended because it had
	// not finished by its FinishBy.
	Expired(item int, at time.Duration) bool

	// Escalated reports that a rule of escalation has acted on an item that waits or is assigned: from now
	// on, the item to replaces it. -1: the rule has cancelled it, or moved it to a queue whose items no
	// worker gets.
	Escalated(item, to int, at time.Duration) bool
}
