package programs

import (
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience bounds every wait of these tests. Normally no wait takes nearly as long.
const patience = 30 * time.Second

// The test binary also runs as the other processes of these tests: the variable is the role.
const roleVariable = "PROGRAMS_TEST_ROLE"

var roles = map[string]func(args []string) int{"worker": workerRole, "program": programRole, "grandchild": grandchildRole}

func TestMain(m *testing.M) {
	if IsWatcher(os.Args) {
		os.Exit(Watch(os.Stdin))
	}
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(roles[role](os.Args[1:]))
	}
	// Goroutines that would start or end a program after Kill block forever, as in an ended process.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("botwork/internal/programs.(*Account).hangIfKilledLocked"))
}
