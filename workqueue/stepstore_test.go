package workqueue

import (
	"context"
	"errors"
	"testing"
)

// brokenSteps is a StepStore with these records, whose answers may be lost.
type brokenSteps struct {
	records []StepRecord
	err     error
}

func (s *brokenSteps) SaveSteps(context.Context, ItemRef, []StepRecord) error { return s.err }
func (s *brokenSteps) Steps(context.Context, int64) ([]StepRecord, error)     { return s.records, s.err }
func (s *brokenSteps) DropSteps(context.Context, ItemRef) error               { return s.err }

// The end of a run removes the records of its item if there are some, or may be.
func TestRunSaysThatItHasSteps(t *testing.T) {
	lost := errors.New("the answer is lost")
	load := func(k StepKeeper) error { _, err := k.Load(t.Context()); return err }
	save := func(k StepKeeper) error { return k.Save(t.Context(), StepRecord{Step: "load"}) }
	for name, tt := range map[string]struct {
		store brokenSteps
		call  func(StepKeeper) error
		want  bool
	}{
		"an earlier attempt has recorded none":     {brokenSteps{}, load, false},
		"an earlier attempt has recorded some":     {brokenSteps{records: []StepRecord{{Step: "load"}}}, load, true},
		"the records cannot be read":               {brokenSteps{err: lost}, load, true},
		"it has recorded a step":                   {brokenSteps{}, save, true},
		"the answer to what it records was lost":   {brokenSteps{err: lost}, save, true},
		"it has neither read nor recorded a thing": {brokenSteps{}, func(StepKeeper) error { return nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			run := NewRun(&Item{ID: 1, Fence: 2})
			if err := tt.call(KeptSteps(&tt.store, run)); !errors.Is(err, tt.store.err) {
				t.Errorf("error = %v, want %v", err, tt.store.err)
			}
			if got := (Outcome{}).ToFinish(run, 0, 0).HasSteps; got != tt.want {
				t.Errorf("HasSteps = %t, want %t", got, tt.want)
			}
		})
	}
}
