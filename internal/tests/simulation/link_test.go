package simulation

import (
	"context"
	"errors"
	"strings"
	"time"
)

var (
	errRefused = errors.New("connection refused")
	errLost    = errors.New("connection reset: the answer is lost")
	errKilled  = errors.New("the process is dead")
)

// link is a process's connection to the database, with the failures on it.
// It is a storetest.Store and a scheduler.Store.
type link struct{ p *process }

// repeated is the percentage of statements that arrive once more, at any time,
// as if a driver or a proxy had repeated them. Their WHERE clauses must make this
// harmless.
var repeated = map[string]int{"Beat": 7, "Progress": 7, "Claim": 7, "Begin": 30, "Finish": 30, "SaveSteps": 30, "DropSteps": 30}

// call sends one statement and waits for its answer.
func call[T any](ctx context.Context, l link, op string, do func() (T, error)) (T, error) {
	var none T
	p, w := l.p, l.p.w
	d := p.dice(op)
	late := d.between(0, 3*w.rules.Lease/2)
	there, back := d.between(50*time.Microsecond, 20*time.Millisecond), d.between(50*time.Microsecond, 20*time.Millisecond)
	fate := d.IntN(1000)
	arrives := d.chance(70)
	kind, _, _ := strings.Cut(op, " ")
	repeats := d.chance(repeated[kind])
	calm := w.calm.Load() || w.rules.Quiet
	if calm {
		fate = 1000
	}
	hangs, isLate := kind == "Begin" && fate >= 130 && fate < 380 || kind == "SaveSteps" && fate >= 130 && fate < 250, fate >= 60 && fate < 100 || kind == "Claim" && fate >= 130 && fate < 200
	if fate < 130 || hangs || isLate {
		p.trouble(1)
		defer p.trouble(-1)
	}
	if err := p.awake(ctx); err != nil {
		return none, err
	}
	if fate < 30 {
		p.sleep(ctx, there)
		p.log("%s: refused", op)
		w.judge.count(&w.judge.figures.refused, 1)
		return none, errRefused
	}
	if fate < 60 {
		there += late
	}
	if hangs {
		there += late
		p.fails(d)
	}
	if err := p.sleep(ctx, there); err != nil {
		// The sender has given up, or is dead; the statement may still arrive.
		if arrives && do != nil && op != "Assign" {
			w.loose.Go(func() {
				switch kind {
				case "SaveSteps":
					w.awaitNextRun(resuming(ctx).ref, op)
				default:
					if w.sleep(late); hangs && p.isDead() {
						p.awaitSuccessor(d)
					}
				}
				w.judge.count(&w.judge.figures.late, 1)
				p.log("%s: arrives after the caller has given up", op)
				_, _ = do()
			})
		}
		return none, err
	}
	if err := p.connected(ctx); err != nil {
		return none, err
	}
	w.db.skew.Store(int64(p.skew))
	value, err := do()
	if repeats && !calm {
		w.loose.Go(func() {
			if w.sleep(4 * late); kind == "SaveSteps" {
				w.awaitNextRun(resuming(ctx).ref, op)
			}
			w.judge.count(&w.judge.figures.late, 1)
			p.log("%s: arrives once more", op)
			_, _ = do()
		})
	}
	if isLate {
		back += late / 3 // a longer delay is the same as a lost answer
		// Soon after a late answer, the connection is lost completely.
		if cut, soon := d.between(0, 3*w.rules.Lease), d.between(50*time.Millisecond, time.Second); arrives {
			w.later(back+soon, p.part)
			w.later(back+soon+cut, p.join)
		}
	}
	if err := p.sleep(ctx, back); err != nil {
		return none, err
	}
	if fate >= 100 && fate < 130 {
		p.log("%s: its answer is lost", op)
		w.judge.count(&w.judge.figures.lost, 1)
		return none, errLost
	}
	return value, err
}

// fails lets the process die, or lose its connection, while its statement is under way.
func (p *process) fails(d dice) {
	w := p.w
	back := d.between(time.Second, w.rules.Lease)
	w.later(d.between(time.Millisecond, 50*time.Millisecond), func() {
		if d.chance(50) || p.present.Load() != p {
			p.part()
			w.later(back+w.rules.Lease, p.join)
			return
		}
		p.kill()
		w.later(back, func() {
			if p.present.Load() == nil {
				p.start()
			}
		})
	})
}

// awaitSuccessor waits until another process has the name, or gives up.
func (p *process) awaitSuccessor(d dice) {
	timer := time.NewTimer(2 * p.w.rules.Lease)
	defer timer.Stop()
	select {
	case <-p.succeeded:
		p.w.sleep(d.between(time.Millisecond, 300*time.Millisecond))
	case <-timer.C:
	case <-p.w.over:
	}
}

// send is a call without a value.
func send(ctx context.Context, l link, op string, do func() error) error {
	_, err := call(ctx, l, op, func() (struct{}, error) { return struct{}{}, do() })
	return err
}
