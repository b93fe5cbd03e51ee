// Package plan decides which worker gets which item. It uses neither the database nor
// the clock: its input is what a pass has read, and its result is what the pass has to
// write.
//
// A Planner gets the workers and what they hold, then the items from the highest
// priority down. Each item goes to the worker that the mode of its class selects among
// the workers that are eligible and have room for it:
//
//   - least-loaded: where it can start first, then the least summed estimated
//     duration for each slot
//   - round-robin: the next worker after the one that got the last item
//   - longest-idle: the lowest load ratio, counting what the plan has given it, then the longest available
//   - best-worker: the highest score, then the longest available
//
// Among equals the worker with the lowest id gets the item.
//
// Items of one priority are given from the longest to the shortest (Sort): greedy
// scheduling in that order ends within 4/3 of the shortest possible time on equal
// machines (Graham, Bounds on Multiprocessing Timing Anomalies, 1969). Items that became
// due in an earlier span of time go first, so that short items do not wait forever.
//
// While items are given, everything only grows: what a worker holds, the work that is
// ahead of an item, the set of workers that are full. The first and the third mode order
// the workers in the same way for all classes of a channel, so these classes share a
// ranking. It is updated for the one worker that got an item: an item costs a check of
// one in 64 of the workers, and of 64 more. For best-worker each class keeps a heap whose
// entries may be out of date, always too good, never too bad; it updates the first entry
// until that is current.
package plan
