package programs

import (
	"os"
	"testing"
	"time"
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
	os.Exit(m.Run())
}
