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

// leastConnectTimeout is the minimum connect timeout of each host of a DSN.
const leastConnectTimeout = 200 * time.Millisecond

// hosts are the hosts of a PostgreSQL DSN, which pgx tries in order for each connection.
// After a failover the first host may be frozen. Each new connection would then wait for
// it before it tries the next host.
type hosts struct {
	servers *servers // nil: the servers are not checked
	chooses bool     // the DSN requires a certain server (target_session_attrs)
	lookUp  pgconn.LookupFunc

	mu        sync.Mutex
	addresses map[string][]string // by host, from its latest lookup
	good      string              // address of the latest connection
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

// connected records the server of a working connection.
func (h *hosts) connected(conn *pgx.Conn) {
	if address := conn.PgConn().Conn().RemoteAddr(); address != nil {
		h.mu.Lock()
		h.good = address.String()
		h.mu.Unlock()
	}
}

// order prepares an attempt to connect. The caller's time is divided among the hosts. If
// the DSN requires a certain server, the hosts may be tried in any order: the host of the
// latest connection comes first, hosts that do not respond come last.
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

// rank returns 0 for the host of the latest connection, 2 for a host that does not
// respond.
func (h *hosts) rank(f *pgconn.FallbackConfig) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	addresses := h.addresses[f.Host]
	if len(addresses) == 0 {
		addresses = []string{f.Host} // never looked up, or an IP address
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
