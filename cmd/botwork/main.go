// Botwork runs queued work for bots; `botwork --help` lists what it can do.
package main

import (
	"os"

	"botwork/cmd"
)

func main() { os.Exit(cmd.Main()) }
