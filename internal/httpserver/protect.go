package httpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

// RequestIDHeader has the id of a request in answers. A caller may send one.
const RequestIDHeader = "X-Request-Id"

// protect wraps the handler. The order matters: what is cheap and refuses comes first.
func (s *Server) protect(handler http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(refusal(http.StatusForbidden, "cross-origin", "the request comes from another site", "call the API from a program, or from the pages of this server"))
	allowed := s.allowedHosts()
	guarded := cross.Handler(newLimiter(s.options.Limits, handler))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		id := requestID(r)
		known := &request{id: id, connect: http.NewResponseController(w), longest: s.options.Limits.Body, timeouts: s.options.Timeouts, readUntil: started.Add(s.options.Timeouts.Read), received: r.ContentLength == 0}
		_ = known.connect.SetWriteDeadline(started.Add(s.options.Timeouts.Write))
		if len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1) {
			// net/http ignores the length of a request that also has chunks, and in HTTP/1.0 the
			// chunks. A proxy in front may go by the other one, so that it takes for a body what
			// would be the next request here: there must be none (RFC 9112, section 6.1).
			w.Header().Set("Connection", "close")
		}
		known.address, known.secure = s.client(r)
		r = r.WithContext(context.WithValue(r.Context(), requestKey{}, known))
		h := w.Header()
		h.Set(RequestIDHeader, id)
		setSecureHeaders(h, known.secure)
		rec := &recorder{ResponseWriter: w, ctx: r.Context(), request: known}
		defer func() {
			known.finish()
			if p := recover(); p != nil {
				if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(p)
				}
				s.options.Log.Error().Str("request", id).Interface("panic", p).Bytes("stack", debug.Stack()).Msg("request failed: panic in its handler")
				if !rec.wrote {
					refusal(http.StatusInternalServerError, "internal", "the server has failed; its log has the details under the request's id", "").ServeHTTP(rec, r)
				}
			}
			s.logRequest(r, rec, time.Since(started))
			if s.options.Observe != nil {
				s.options.Observe(r, rec.status, time.Since(started))
			}
		}()
		if !hostAllowed(r.Host, allowed) {
			refusal(http.StatusMisdirectedRequest, "host-not-allowed", "this server is not "+clip(r.Host, 100), "call it by the address of http.listen, or set http.publicUrl").ServeHTTP(rec, r)
			return
		}
		r.Body = &boundedBody{ReadCloser: r.Body, w: rec, of: r, request: known}
		guarded.ServeHTTP(rec, r)
	})
}

func (s *Server) logRequest(r *http.Request, rec *recorder, took time.Duration) {
	known := requestFrom(r.Context())
	level := zerolog.DebugLevel
	if rec.status >= 500 {
		level = zerolog.WarnLevel
	}
	// The query may have a filter with data of customers, so only the path is logged.
	s.options.Log.WithLevel(level).Str("request", known.id).Str("method", r.Method).Str("path", clip(r.URL.Path, 200)).Int("status", rec.status).
		Str("address", known.address).Int64("took_ms", took.Milliseconds()).Msg("request")
}

// setSecureHeaders sets the headers that every answer has. A handler of pages may replace the
// policy by one that allows the pages' files.
func setSecureHeaders(h http.Header, secure bool) {
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
	if secure {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// allowedHosts returns the hosts by which the server may be called, without ports: those of the
// public URL, and those of the address that is listened on. A page of another site whose name
// resolves to this machine has another Host header.
func (s *Server) allowedHosts() []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if host, _, err := net.SplitHostPort(s.options.Listen); err == nil && host != "" {
		hosts = append(hosts, strings.ToLower(host))
	}
	if u, err := url.Parse(s.options.PublicURL); err == nil && u.Hostname() != "" {
		hosts = append(hosts, strings.ToLower(u.Hostname()))
	}
	return hosts
}

func hostAllowed(host string, allowed []string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if slices.Contains(allowed, name) {
		return true
	}
	// An address cannot be the name of another site.
	_, err := netip.ParseAddr(name)
	return err == nil
}

// client returns the address of the client, and whether its connection is encrypted. If the
// request comes through a trusted proxy, these are what the proxy says.
func (s *Server) client(r *http.Request) (address string, secure bool) {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr, r.TLS != nil
	}
	client := from.Addr().Unmap()
	if !s.trusts(client) {
		return client.String(), r.TLS != nil
	}
	// The last address that no trusted proxy has added is the client's; those before it may be
	// invented.
	for _, text := range slices.Backward(strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")) {
		addr, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil {
			break
		}
		client = addr.Unmap()
		if !s.trusts(client) {
			break
		}
	}
	return client.String(), r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

func (s *Server) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(s.options.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// requestID returns the id that the caller sent, if it is short and plain, or a new one.
func requestID(r *http.Request) string {
	id := r.Header.Get(RequestIDHeader)
	if len(id) == 0 || len(id) > 64 || strings.ContainsFunc(id, func(c rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", c)
	}) {
		return strings.ToLower(rand.Text()[:16])
	}
	return id
}

func clip(text string, most int) string {
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// quietLog drops the lines that net/http writes about broken connections and handshakes, which
// any port scanner causes, except at the level debug.
func quietLog(to zerolog.Logger) *log.Logger {
	return log.New(debugWriter{to}, "", 0)
}

type debugWriter struct{ log zerolog.Logger }

func (w debugWriter) Write(line []byte) (int, error) {
	w.log.Debug().Str("reason", strings.TrimSpace(string(line))).Msg("connection failed")
	return len(line), nil
}
