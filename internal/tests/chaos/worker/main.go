// Worker is Botwork with one more handler, which records what it does in a ledger:
// the worker that internal/tests/chaos torments. Like other programs, it calls cmd.Main
// with its own kinds.
package main

import (
	"os"

	"botwork/cmd"
)

func main() { os.Exit(cmd.Main(kind())) }
