package programs

import (
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience bounds every wait of these tests; none is meant to come near it.
const patience = 30 * time.Second

// The test binary is also the processes of these tests: the variable says which.
const roleVariable = "PROGRAMS_TEST_ROLE"

var roles = map[string]func(args []string) int{"worker": workerRole, "program": programRole, "grandchild": grandchildRole}

func TestMain(m *testing.M) {
	if IsWatcher(os.Args) {
		os.Exit(Watch(os.Stdin))
	}
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(roles[role](os.Args[1:]))
	}
	// What would start or end a program after Kill hangs for ever, as in a process that is gone.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("botwork/internal/programs.(*Account).hangIfKilledLocked"))
}
