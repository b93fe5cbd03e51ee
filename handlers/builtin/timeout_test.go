package builtin

import (
	"context"
	"errors"
	"net"
	"testing"

	"botwork/handlers"
)

func TestTimeoutsOfHandlers(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts by the system's queue, says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	address := silent.Addr().(*net.TCPAddr)
	for _, c := range []struct {
		kind handlers.Kind
		with map[string]any
	}{
		{execKind(Resources{}), map[string]any{"program": "go", "args": []any{"env", "-json"}, "timeout": "1ns"}},
		{httpKind(Resources{}), map[string]any{"url": "http://" + address.String(), "timeout": "20ms"}},
		{mailKind(Resources{}), map[string]any{
			"host": "127.0.0.1", "port": address.Port, "tls": "none", "from": "a@example.test", "to": "b@example.test",
			"subject": "s", "text": "t", "timeout": "20ms",
		}},
	} {
		_, err := run(t, c.kind, c.with, nil)
		wantError(t, err, "error", "within")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v does not count as a timeout", c.kind.Name, err)
		}
	}
}
