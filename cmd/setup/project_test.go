package setup_test

import (
	"os"
	"strings"
	"testing"

	"botwork/cmd/internal/clitest"
)

// The steps in the README that init writes: enqueue, then let the system pipeline run the item.
func TestInitProjectRunsAnItem(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json")
	clitest.Must(t, "run", "--once", "ExecuteWorkQueue")
	if out := clitest.Must(t, "items", "show", "1"); !strings.Contains(out, "Processed (2)") {
		t.Errorf("items show printed\n%s", out)
	}
	if _, err := os.Stat("data/greetings/item-1.txt"); err != nil {
		t.Error(err)
	}
}
