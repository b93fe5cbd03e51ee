package examples_test

import (
	"os"
	"os/exec"
	"testing"

	"botwork/internal/testgroup"
)

// The program in examples/embed is a module of its own, so `go test ./...` does not find it.
func TestEmbed(t *testing.T) {
	testgroup.Need(t, testgroup.Processes)
	for _, args := range [][]string{{"vet", "."}, {"test", "-count=1", "."}} {
		command := exec.CommandContext(t.Context(), "go", args...)
		command.Dir = "embed"
		command.Env = append(os.Environ(), "GOFLAGS=-trimpath -mod=readonly", "GOWORK=off") // the flags of the Makefile, to share compiled packages
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("go %v in examples/embed: %v\n%s\nif go.mod needs an update: go mod tidy in examples/embed", args, err, out)
		}
	}
}
