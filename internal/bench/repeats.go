package bench

import (
	"sort"
	"time"
)

// repeats evaluates items that ran successfully more than once.
type repeats struct {
	kills map[int]kill // by the index of the process
	runs  map[int64][]placed
}

// kill has the time just before a process was killed, and the time when it had certainly
// ended.
type kill struct{ began, dead time.Time }

// placed is a successful run and its process.
type placed struct {
	process int
	at      time.Time
}

func (r *repeats) note(process int, n noted) {
	if r.runs == nil {
		r.runs = map[int64][]placed{}
	}
	r.runs[n.id] = append(r.runs[n.id], placed{process, n.at})
}

// judge counts the items that ran again without a reason, and the runs that were repeated
// because their process was killed before it recorded their end. longest is the longest
// time between the end of such a run and the kill.
func (r *repeats) judge() (unexplained, explained int, longest time.Duration) {
	for _, runs := range r.runs {
		sort.SliceStable(runs, func(i, k int) bool { return runs[i].at.Before(runs[k].at) })
		wrong := false
		for i := range len(runs) - 1 {
			k, killed := r.kills[runs[i].process]
			if !killed || runs[i+1].at.Before(k.began) {
				wrong = true
				continue
			}
			explained++
			longest = max(longest, k.dead.Sub(runs[i].at))
		}
		if wrong {
			unexplained++
		}
	}
	return unexplained, explained, longest
}
