// Worker is Botwork with one handler more, which notes what it does in a ledger:
// the worker that internal/tests/chaos torments. It is a program as any that calls
// cmd.Main with kinds of its own.
package main

import (
	"os"

	"botwork/cmd"
)

func main() { os.Exit(cmd.Main(kind())) }
