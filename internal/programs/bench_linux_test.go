package programs

import (
	"os/exec"
	"testing"

	"github.com/rs/zerolog"
)

// BenchmarkRun runs the program true: directly, with an account, and with an account with a
// watcher.
func BenchmarkRun(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := exec.CommandContext(b.Context(), "true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	watched := Watched()
	b.Cleanup(watched.Close)
	for _, with := range []struct {
		name    string
		account *Account
	}{{"account", New()}, {"watched", watched}} {
		b.Run(with.name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), "true")
				if err := with.account.Run(b.Context(), cmd, zerolog.Nop()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
