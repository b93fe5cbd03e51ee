// Package doctor checks what a worker needs on its machine and in its database.
// For each check it reports a state, what was found, and what to do. It changes
// nothing, and no worker needs to stop.
//
// A check is a value; [Doctor.Checks] returns them in the order of the report.
// Each group of checks has its own file.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// State is the result of a check.
type State string

// The states. After a warning, a worker can run, perhaps with problems. A fault
// prevents that a worker runs, or puts data at risk.
const (
	OK      State = "ok"
	Warning State = "warning"
	Fault   State = "fault"
	Skipped State = "skipped" // not checked, because another check that it depends on failed
)

// Result is one result of a check.
type Result struct {
	Check string `json:"check"`
	State State  `json:"state"`

	// About is what the result is about if the check has several results: a path,
	// or the name of a connection. "" if it has only one.
	About string `json:"about"`

	// Found is what was found, and Advice what to do about it. Advice is "" if the
	// state is ok.
	Found  string `json:"found"`
	Advice string `json:"advice"`
}

// Check is one check.
type Check struct {
	Name string

	// After names earlier checks of the list that this one depends on. It is skipped
	// unless all of them have the state ok or warning.
	After []string

	// Run returns one or more results, without the name of the check. It should
	// return soon after ctx ends. If it hangs in a system call, Run of the package
	// does not wait for it.
	Run func(ctx context.Context) []Result
}

// returnWithin is how long a cancelled check may take to return.
const returnWithin = time.Second

// Run runs all checks, each for at most the timeout. Independent checks run at the same
// time. The results are in the order of the checks. When ctx ends, the unfinished
// checks are reported as skipped.
func Run(ctx context.Context, checks []Check, timeout time.Duration) []Result {
	at := make(map[string]*pendingCheck, len(checks))
	list := make([]*pendingCheck, len(checks))
	for i, c := range checks {
		p := &pendingCheck{Check: c, done: make(chan struct{})}
		for _, name := range c.After {
			p.needs = append(p.needs, at[name])
		}
		list[i], at[c.Name] = p, p
	}
	for _, p := range list {
		go p.run(ctx, timeout)
	}
	var all []Result
	for _, p := range list {
		<-p.done
		all = append(all, p.results...)
	}
	return all
}

// pendingCheck is a check that runs. Its results may be read when done is closed.
type pendingCheck struct {
	Check
	needs   []*pendingCheck
	done    chan struct{}
	results []Result
}

func (p *pendingCheck) run(ctx context.Context, timeout time.Duration) {
	defer close(p.done)
	var because []string
	for _, n := range p.needs {
		<-n.done
		switch {
		case n.has(Fault):
			because = append(because, n.Name+" is at fault")
		case n.has(Skipped):
			because = append(because, n.Name+" was not checked")
		}
	}
	if len(because) > 0 {
		p.results = skipped(strings.Join(because, " and "))
	} else {
		p.results = p.bounded(ctx, timeout)
	}
	for i := range p.results {
		p.results[i].Check = p.Name
	}
}

func (p *pendingCheck) has(s State) bool {
	return slices.ContainsFunc(p.results, func(r Result) bool { return r.State == s })
}

// bounded runs the check with a timeout.
func (p *pendingCheck) bounded(ctx context.Context, timeout time.Duration) []Result {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer := make(chan []Result, 1)
	// If its call cannot be cancelled, such as one to an unreachable file server, this goroutine
	// is not waited for.
	go func() {
		defer func() {
			if r := recover(); r != nil {
				answer <- fault(fmt.Sprintf("panic in this check: %v", r), "report this error; the other checks are not affected")
			}
		}()
		answer <- p.Run(limited)
	}()
	late := time.NewTimer(timeout + returnWithin)
	defer late.Stop()
	select {
	case results := <-answer:
		if ctx.Err() != nil {
			return skipped("it was interrupted")
		}
		return results
	case <-ctx.Done():
		return skipped("it was interrupted")
	case <-late.C:
		return fault(fmt.Sprintf("no answer within %s", timeout), "a system that this check uses, such as a file server, does not answer; --timeout waits longer")
	}
}

// ok, warning, fault and skipped return the results of a check with one result.
func ok(found string) []Result { return []Result{{State: OK, Found: found}} }

func warning(found, advice string) []Result {
	return []Result{{State: Warning, Found: found, Advice: advice}}
}

func fault(found, advice string) []Result {
	return []Result{{State: Fault, Found: found, Advice: advice}}
}

func skipped(because string) []Result {
	return []Result{{State: Skipped, Found: "not checked, because " + because}}
}
