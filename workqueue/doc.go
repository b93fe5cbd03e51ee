// Package workqueue holds the work items of bots, the workers that run them,
// and the rules that move an item from one state to the next.
//
// # The life of an item
//
// State is stored as a number; the numbers are older than this program and
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
// A claim gives one worker a lease on an item and raises the item's fence.
// Whatever the runner writes afterwards repeats state, worker and fence in its
// WHERE: when somebody else has taken the item meanwhile, the write changes
// nothing and the store says [ErrLeaseLost]. Leases, heartbeats and due times
// are judged by the database's clock alone.
//
// # The parts
//
// [Store] is the contract that every engine fulfils (package sqlstore does it,
// package storetest checks it). [AssignPass] gives ready items to live workers.
// [Runner] keeps this process's place among the workers: its row, its slots,
// its leases and its unwritten results.
package workqueue
