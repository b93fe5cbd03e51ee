// Package rates is the little HTTP service that the invoices example asks what
// currencies are worth.
package rates

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
)

// Euros is what one unit of a currency is worth in euros.
var Euros = map[string]float64{"EUR": 1, "USD": 0.92, "GBP": 1.16, "CHF": 1.06}

// Handler serves GET /rates to those who bring the token.
func Handler(token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /rates", func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+token)) != 1 {
			http.Error(w, "the token is wrong", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		// An answer that cannot be written has nobody left to tell.
		_ = json.NewEncoder(w).Encode(map[string]any{"base": "EUR", "rates": Euros})
	})
	return mux
}
