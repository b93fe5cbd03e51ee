// Service serves the exchange rates for the invoices example until Ctrl-C.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"time"

	"botwork/examples/invoices/rates"
)

func main() {
	address := flag.String("listen", "127.0.0.1:8099", "host and port")
	token := flag.String("token", "let-me-in", "the token that clients must send; secrets.ratesToken in botwork.yaml")
	flag.Parse()
	server := &http.Server{Addr: *address, Handler: rates.Handler(*token), ReadHeaderTimeout: 5 * time.Second}
	fmt.Printf("rates are at http://%s/rates; Ctrl-C ends\n", *address)
	if err := server.ListenAndServe(); err != nil {
		fmt.Fprintln(os.Stderr, "service:", err)
		os.Exit(1)
	}
}
