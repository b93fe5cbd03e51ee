package httpserver

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// certificateAge is how long a certificate is used before its files are looked at again.
const certificateAge = 10 * time.Second

// certificates serves the certificate of two files, and reads them again when they change.
type certificates struct {
	certFile, keyFile string
	log               zerolog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	stamps  [2]stamp
	seen    time.Time
}

// stamp changes with the content of a file.
type stamp struct {
	modified time.Time
	size     int64
}

func loadCertificates(certFile, keyFile string, log zerolog.Logger) (*certificates, error) {
	c := &certificates{certFile: certFile, keyFile: keyFile, log: log}
	stamps, err := c.readStamps()
	if err != nil {
		return nil, fmt.Errorf("http.tls: %w", err)
	}
	if err := c.load(stamps); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *certificates) readStamps() (stamps [2]stamp, err error) {
	for i, name := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return stamps, err
		}
		stamps[i] = stamp{info.ModTime(), info.Size()}
	}
	return stamps, nil
}

func (c *certificates) load(stamps [2]stamp) error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("http.tls: read %s and %s: %w", c.certFile, c.keyFile, err)
	}
	c.current, c.stamps, c.seen = &pair, stamps, time.Now()
	return nil
}

// get implements tls.Config.GetCertificate. While changed files cannot be used, such as between
// the writing of the certificate and that of its key, the previous certificate stays.
func (c *certificates) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.seen) < certificateAge {
		return c.current, nil
	}
	c.seen = time.Now()
	stamps, err := c.readStamps()
	if err == nil && stamps == c.stamps {
		return c.current, nil
	}
	if err == nil {
		err = c.load(stamps)
	}
	if err != nil {
		c.log.Warn().Err(err).Msg("could not read the changed certificate; still using the previous one")
		return c.current, nil
	}
	c.log.Info().Str("file", c.certFile).Time("expires", c.current.Leaf.NotAfter).Msg("certificate reloaded")
	return c.current, nil
}
