// Package doctor looks at what a worker needs on its machine and in its
// database, and says of each thing whether it is well, what was found, and what
// to do. It changes nothing, and needs no worker to stop.
//
// A check is a value; [Checks] lists them in the order in which a person reads
// them. Each family of checks has a file of its own.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// State is how a thing is.
type State string

// The states. A warning is something that works now, or works badly; a fault
// keeps a worker from working, or puts data at risk.
const (
	OK      State = "ok"
	Warning State = "warning"
	Fault   State = "fault"
	Skipped State = "skipped" // not checked, since it needs what is at fault
)

// Result is what one check says of one thing.
type Result struct {
	Check string `json:"check"`
	State State  `json:"state"`

	// About is the thing, where a check looks at several: a path, the name of a
	// connection. "" for the one thing that the check is named for.
	About string `json:"about"`

	// Found is what is there, Advice what to do about it. Advice is "" for what is
	// well.
	Found  string `json:"found"`
	Advice string `json:"advice"`
}

// Check is one question. What it needs to know it has been given already.
type Check struct {
	Name string

	// After names the checks, earlier in the list, without which this one makes
	// no sense: it is skipped unless they are ok or warn only.
	After []string

	// Run answers with one result or more. The name is filled in. It ends soon
	// after ctx does; when it hangs in a call of the system all the same, it is
	// left behind.
	Run func(ctx context.Context) []Result
}

// leaveAfter is how long a cancelled check may take to return.
const leaveAfter = time.Second

// Run carries out all checks, those that need nothing of each other at the same
// time, each for at most the timeout. The results are in the order of the checks.
// When ctx ends, what is not known by then is skipped.
func Run(ctx context.Context, checks []Check, timeout time.Duration) []Result {
	at := make(map[string]*pending, len(checks))
	list := make([]*pending, len(checks))
	for i, c := range checks {
		p := &pending{Check: c, done: make(chan struct{})}
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

// pending is a check under way. Its results may be read when done is closed.
type pending struct {
	Check
	needs   []*pending
	done    chan struct{}
	results []Result
}

func (p *pending) run(ctx context.Context, timeout time.Duration) {
	defer close(p.done)
	var because []string
	for _, n := range p.needs {
		<-n.done // it ends, so this does, too
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

func (p *pending) has(s State) bool {
	return slices.ContainsFunc(p.results, func(r Result) bool { return r.State == s })
}

// bounded runs the check and waits for it no longer than it may take.
func (p *pending) bounded(ctx context.Context, timeout time.Duration) []Result {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer := make(chan []Result, 1)
	// No one waits for this goroutine if its call cannot be cancelled, such as a question to a
	// file server that has gone away.
	go func() {
		defer func() {
			if r := recover(); r != nil {
				answer <- fault(fmt.Sprintf("the check itself broke: %v", r), "report this; the other checks are not affected")
			}
		}()
		answer <- p.Run(limited)
	}()
	late := time.NewTimer(timeout + leaveAfter)
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
		return fault(fmt.Sprintf("no answer within %s", timeout), "something that this check asks, such as a file server, does not answer; --timeout waits longer")
	}
}

// ok, warning, fault and skipped make the results of a check that has one.
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
