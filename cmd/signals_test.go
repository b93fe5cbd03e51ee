package cmd

import (
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestSignalsWithinASecondCountOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		after []time.Duration // the signals, since the first one
		want  []string
	}{
		{"one", nil, []string{"cancel"}},
		{"two at once, as timeout sends them", []time.Duration{0}, []string{"cancel"}},
		{"many within the second", []time.Duration{0, time.Millisecond, 999 * time.Millisecond}, []string{"cancel"}},
		{"a second one", []time.Duration{time.Second}, []string{"cancel", "force"}},
		{"two at once, and another", []time.Duration{0, 1200 * time.Millisecond}, []string{"cancel", "force"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				signals, ended := make(chan os.Signal, 2), make(chan bool)
				var did []string
				go func() {
					defer close(ended)
					handleSignals(signals, func() { did = append(did, "cancel") }, func() { did = append(did, "force") })
				}()
				first := time.Now()
				signals <- os.Interrupt
				for _, after := range c.after {
					time.Sleep(after - time.Since(first))
					signals <- os.Interrupt
				}
				synctest.Wait()
				close(signals)
				<-ended
				if !slices.Equal(did, c.want) {
					t.Errorf("did %v, want %v", did, c.want)
				}
			})
		})
	}
}
