// Broken is a program that passes the checks of an upgrade, but cannot be a
// service.
package main

import "os"

func main() {
	if len(os.Args) > 1 && os.Args[1] == "version" {
		_, _ = os.Stdout.WriteString(`{"version": "0.0.1", "platform": "windows/amd64"}`)
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "service" {
		os.Exit(7)
	}
}
