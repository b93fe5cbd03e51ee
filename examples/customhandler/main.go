// Customhandler is Botwork with one handler more: it has the whole command line,
// and pipelines may name Greet.
//
//	go run ./examples/customhandler handlers show Greet
package main

import (
	"os"

	"botwork/cmd"
)

func main() { os.Exit(cmd.Main(greetKind)) }
