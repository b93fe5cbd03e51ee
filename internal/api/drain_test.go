package api_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// A shutdown answers robots that wait and ends streams at once. An upload that does not end gets
// the rest of the time, and then the server stops without it.
func TestDrain(t *testing.T) {
	s := apitest.Start(t, nil)
	if _, err := s.Store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "robots", Consumer: workqueue.ConsumerRobots}}, "test"); err != nil {
		t.Fatal(err)
	}
	robot, operator := s.Token(t, access.Robot, "robots"), s.Token(t, access.Operator)
	taken := make(chan string, 1)
	go func() {
		req, err := s.NewRequest(t.Context(), apitest.Request{Method: "POST", Path: "/queues/robots/take", Token: robot, Body: `{"wait":"1m0s"}`})
		if err != nil {
			taken <- err.Error()
			return
		}
		res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			taken <- err.Error()
			return
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		taken <- fmt.Sprint(res.StatusCode, " ", string(body), " ", err)
	}()
	events := openStream(t, s, "", s.Token(t, access.Viewer), "")
	bye := make(chan received, 1)
	go func() { bye <- events.until("bye") }()

	address := strings.TrimPrefix(s.URL, "http://")
	dial := func(text string) net.Conn {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	upload := dial("POST /api/v1/items/batch HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + operator +
		"\r\nContent-Type: application/x-ndjson\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n")
	lines := bufio.NewReader(upload)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("the upload: got %q, %v, want that its handler reads", line, err)
	}
	if _, err := io.WriteString(upload, "1\r\n{\r\n"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); s.API.Waiting() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the robot does not wait")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	shut := make(chan error, 1)
	go func() { shut <- s.Shutdown(ctx) }()
	if got := <-taken; !strings.HasPrefix(got, "200 ") || !strings.Contains(got, `"items":[]`) {
		t.Errorf("the robot got %s", got)
	}
	if e := <-bye; e.data != `{"reason":"draining"}` {
		t.Errorf("the stream ended with %+v", e)
	}
	if ctx.Err() != nil {
		t.Error("the robot and the stream were answered only when the time was over")
	}
	if err := <-shut; err != nil {
		t.Error(err)
	}
	if ctx.Err() == nil {
		t.Error("the upload was cut off before the time was over")
	}
	_ = upload.SetReadDeadline(time.Now().Add(time.Minute))
	_, err := io.Copy(io.Discard, lines)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		t.Error("the server has not ended the upload")
	}
}
