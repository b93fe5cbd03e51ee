package cmd

import (
	"os"
	"strings"
	"testing"
)

// The way of the README that init writes: enqueue, then let the system pipeline
// run the item.
func TestInitProjectRunsAnItem(t *testing.T) {
	inProject(t)
	mustDo(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json")
	mustDo(t, "run", "--once", "ExecuteWorkQueue")
	if out := mustDo(t, "items", "show", "1"); !strings.Contains(out, "Processed (2)") {
		t.Errorf("items show said\n%s", out)
	}
	if _, err := os.Stat("data/greetings/item-1.txt"); err != nil {
		t.Error(err)
	}
}
