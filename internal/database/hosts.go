package database

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// leastConnectTimeout is what each host of a DSN gets at least.
const leastConnectTimeout = 200 * time.Millisecond

// hosts are the hosts of a PostgreSQL DSN, which pgx tries in their order for each connection.
// After a failover the first of them may be frozen: then every connection would wait for it
// before trying the next.
type hosts struct {
	servers *servers // nil: they are not asked
	chooses bool     // the DSN says which server is wanted (target_session_attrs)
	lookUp  pgconn.LookupFunc

	mu        sync.Mutex
	addresses map[string][]string // of a host, by its latest look-up
	good      string              // the address of the latest connection
}

// newHosts prepares the configuration of a DSN.
func newHosts(config *pgx.ConnConfig, s *servers) *hosts {
	h := &hosts{servers: s, chooses: config.ValidateConnect != nil, lookUp: config.LookupFunc, addresses: map[string][]string{}}
	config.LookupFunc = h.look
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = postgresConnectTimeout
	}
	return h
}

func (h *hosts) look(ctx context.Context, host string) ([]string, error) {
	addresses, err := h.lookUp(ctx, host)
	if err == nil {
		h.mu.Lock()
		h.addresses[host] = addresses
		h.mu.Unlock()
	}
	return addresses, err
}

// connected notes the server of a connection that serves.
func (h *hosts) connected(conn *pgx.Conn) {
	if address := conn.PgConn().Conn().RemoteAddr(); address != nil {
		h.mu.Lock()
		h.good = address.String()
		h.mu.Unlock()
	}
}

// order prepares an attempt to connect. Each host gets its share of the time that the caller has.
// If the DSN says which server is wanted, the order of the hosts does not matter: the one that
// served last comes first, and those that do not answer come last.
func (h *hosts) order(ctx context.Context, config *pgx.ConnConfig) {
	all := make([]*pgconn.FallbackConfig, 0, 1+len(config.Fallbacks))
	all = append(all, &pgconn.FallbackConfig{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig})
	all = append(all, config.Fallbacks...)
	if h.chooses {
		slices.SortStableFunc(all, func(a, b *pgconn.FallbackConfig) int { return cmp.Compare(h.rank(a), h.rank(b)) })
		config.Host, config.Port, config.TLSConfig, config.Fallbacks = all[0].Host, all[0].Port, all[0].TLSConfig, all[1:]
	}
	different := map[string]bool{}
	for _, f := range all {
		different[net.JoinHostPort(f.Host, strconv.Itoa(int(f.Port)))] = true
	}
	if end, ok := ctx.Deadline(); ok && len(different) > 1 {
		share := time.Until(end) / time.Duration(len(different))
		config.ConnectTimeout = min(config.ConnectTimeout, max(share, leastConnectTimeout))
	}
}

// rank is 0 for the host that served last, 2 for one that does not answer.
func (h *hosts) rank(f *pgconn.FallbackConfig) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	addresses := h.addresses[f.Host]
	if len(addresses) == 0 {
		addresses = []string{f.Host} // never looked up, or an address
	}
	rank := 1
	for _, a := range addresses {
		address := net.JoinHostPort(a, strconv.Itoa(int(f.Port)))
		switch {
		case h.servers != nil && h.servers.isSilent(address):
			return 2
		case address == h.good:
			rank = 0
		}
	}
	return rank
}
