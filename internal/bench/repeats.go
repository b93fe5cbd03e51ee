package bench

import (
	"slices"
	"time"
)

// repeats judges items that ran well more than once.
type repeats struct {
	kills map[int]kill // by the number of the process
	runs  map[int64][]placed
}

// kill is when a process was about to be killed, and when it was certainly dead.
type kill struct{ began, dead time.Time }

// placed is a run that went well, and the process it went well in.
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

// judge counts the items that ran again without a reason, and the runs that were
// repeated since their process was killed before it had written down their end. longest
// is how long before its kill such a run had ended.
func (r *repeats) judge() (unexplained, explained int, longest time.Duration) {
	for _, runs := range r.runs {
		slices.SortFunc(runs, func(a, b placed) int { return a.at.Compare(b.at) })
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
