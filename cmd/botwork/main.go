// Botwork runs queued work for bots; `botwork --help` lists its commands.
package main

import (
	"os"

	"botwork/cmd"
)

func main() { os.Exit(cmd.Main()) }
