// Package rates is a small HTTP service for exchange rates, which the invoices example
// uses.
package rates

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
)

// Euros is the value of one unit of each currency in euros.
var Euros = map[string]float64{"EUR": 1, "USD": 0.92, "GBP": 1.16, "CHF": 1.06}

// Handler serves GET /rates to clients that send the token.
func Handler(token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /rates", func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+token)) != 1 {
			http.Error(w, "invalid token", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		// If the response cannot be written, there is no one to report the error to.
		_ = json.NewEncoder(w).Encode(map[string]any{"base": "EUR", "rates": Euros})
	})
	return mux
}
