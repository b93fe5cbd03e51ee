// Package workqueue holds the work items of bots, the workers that run them,
// and the rules that move an item from one state to the next.
//
// # The life of an item
//
// State is stored as a number. The numbers are older than this program, and
// hand-written SQL relies on them.
//
//	create on request            create by a schedule
//	       │                              │
//	       ▼                              ▼
//	 ┌───────────┐                  ┌───────────┐
//	 │ 4 Pending │                  │  0 Ready  │◄──────────┐
//	 └─────┬─────┘                  └─────┬─────┘           │
//	       └──────────────┬───────────────┘                 │
//	               assign │                                 │
//	                      ▼                                 │
//	               ┌────────────┐   release: stale, drain   │
//	               │ 5 Assigned ├──────────────────────────►│
//	               └──────┬─────┘                           │
//	                claim │ lease, fence+1                  │
//	                      ▼                                 │
//	               ┌────────────┐   release: rescue, drain, │
//	               │ 1 Blocked  │   snooze                  │
//	               │ (running)  ├──────────────────────────►│
//	               └──┬──────┬──┘   failure, attempts left  │
//	          success │      │                              │
//	                  │      │ failure: permanent, or the   │
//	                  │      │ last attempt; poison         │
//	                  ▼      ▼                              │
//	      ┌─────────────┐  ┌─────────────┐      repeat      │
//	      │ 2 Processed │  │ 3 Cancelled ├─────────────────►┘
//	      └─────────────┘  └─────────────┘ (2 as well)
//
// 0, 4 and 5 become 3 when a person cancels them; an item in any state but 1
// can be deleted.
//
// # Who may write
//
// A claim gives one worker a lease on an item and raises the item's fence. Every
// later write by the runner repeats state, worker and fence in its WHERE clause. If
// another worker has claimed the item meanwhile, the write changes nothing and the
// store reports [ErrLeaseLost]. Only the database's clock decides leases, heartbeats
// and due times.
//
// # The parts
//
// This package holds the types, the rules and the contracts of the stores, one
// interface for each role: [ItemStore], [WorkerStore], [LeaseStore] and so on.
// Package sqlstore implements them for all databases, and package storetest checks
// an implementation. Package assign gives ready items to live workers. Package
// runner runs the items of this process: it keeps the worker's row, its slots, its
// leases and the results that are not written yet.
package workqueue
