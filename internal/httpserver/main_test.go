package httpserver_test

import (
	"testing"

	"go.uber.org/goleak"
)

// net/http waits half a second before it closes the connection of a request whose body it has not read.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}
