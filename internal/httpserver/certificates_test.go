package httpserver

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// A changed pair of files is used, and a half-written one leaves the previous certificate.
func TestCertificateReload(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	WriteCertificate(t, certFile, keyFile)
	c, err := loadCertificates(certFile, keyFile, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	serial := func() string {
		t.Helper()
		c.mu.Lock()
		c.seen = time.Now().Add(-2 * certificateAge)
		c.stamps = [2]stamp{} // files that are written within the clock's resolution may look alike
		c.mu.Unlock()
		cert, err := c.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		return cert.Leaf.SerialNumber.String()
	}
	first := serial()
	WriteCertificate(t, certFile, filepath.Join(dir, "other-key.pem"))
	if got := serial(); got != first {
		t.Errorf("with the key of another certificate: got certificate %s, want still %s", got, first)
	}
	WriteCertificate(t, certFile, keyFile)
	second := serial()
	if second == first {
		t.Error("the changed certificate is not used")
	}
	if err := os.Remove(certFile); err != nil {
		t.Fatal(err)
	}
	if got := serial(); got != second {
		t.Errorf("without a file: got certificate %s, want still %s", got, second)
	}
}
