// Customhandler is Botwork with one additional handler: it has all commands of Botwork,
// and pipelines can use the handler Greet.
//
//	go run ./examples/customhandler handlers show Greet
package main

import (
	"os"

	"botwork/cmd"
)

func main() { os.Exit(cmd.Main(greetKind)) }
