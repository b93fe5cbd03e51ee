// Package plan decides which worker gets which item. It knows neither the
// database nor the clock: it takes what a pass has read, and tells what the pass
// shall write.
//
// A Planner is told the workers and what they hold, then given the items from
// the highest priority down. Each item goes to the worker that its class's mode
// names among those that are eligible and have room for it:
//
//   - least-loaded: where it can start first, then the least summed estimated
//     duration for each slot
//   - round-robin: the next worker after the one that got the last item
//   - longest-idle: the lowest load ratio, then the longest available
//   - best-worker: the highest score, then the longest available
//
// Among equals the worker with the lowest id gets the item.
//
// Items of one priority are given from the longest to the shortest (Sort): greedy
// scheduling in that order ends within 4/3 of the shortest possible time on equal
// machines (Graham, Bounds on Multiprocessing Timing Anomalies, 1969). So that
// short items do not wait for ever, those that became due in an earlier span of
// time go first.
//
// Everything grows while items are given: what a worker holds, the work that is
// ahead of an item, the set of workers that are full. The first and the third mode
// order the workers alike for all classes of a channel, so that these share a
// ranking, which is mended for the one worker that has got an item: an item costs a
// look at one in 64 of the workers, and at 64 of them. For best-worker each class
// keeps a heap whose entries may be out of date, always too good, never too bad, and
// mends the first one until it is up to date.
package plan
