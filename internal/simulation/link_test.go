package simulation

import (
	"context"
	"errors"
	"time"
)

var (
	errRefused = errors.New("connection refused")
	errLost    = errors.New("connection reset: the answer is lost")
	errKilled  = errors.New("the process is dead")
)

// link is a process's connection to the database, with what goes wrong on it.
// It is a workqueue.Store and a scheduler.Store.
type link struct{ p *process }

// call sends one statement and waits for its answer.
func call[T any](ctx context.Context, l link, op string, do func() (T, error)) (T, error) {
	var none T
	p, w := l.p, l.p.w
	d := p.dice(op)
	late := d.between(0, 3*w.rules.Lease/2)
	there, back := d.between(50*time.Microsecond, 20*time.Millisecond), d.between(50*time.Microsecond, 20*time.Millisecond)
	fate := d.IntN(1000)
	arrives := d.chance(50)
	if w.calm.Load() {
		fate = 1000
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
	if err := p.sleep(ctx, there); err != nil {
		// Who sent it has given up, or is dead; the statement may arrive.
		if arrives && do != nil && op != "Assign" {
			w.loose.Go(func() {
				w.sleep(late)
				w.judge.count(&w.judge.figures.late, 1)
				p.log("%s: arrives although nobody waits for it", op)
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
	if fate >= 60 && fate < 80 {
		back += late
	}
	if err := p.sleep(ctx, back); err != nil {
		return none, err
	}
	if fate >= 80 && fate < 110 {
		p.log("%s: its answer is lost", op)
		w.judge.count(&w.judge.figures.lost, 1)
		return none, errLost
	}
	return value, err
}

// exec is a call without a value.
func exec(ctx context.Context, l link, op string, do func() error) error {
	_, err := call(ctx, l, op, func() (struct{}, error) { return struct{}{}, do() })
	return err
}
