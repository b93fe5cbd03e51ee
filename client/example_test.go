package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"botwork/client"
)

// pretend is a server with one item.
func pretend() *httptest.Server {
	given := false
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/take") && !given:
			given = true
			fmt.Fprint(w, `{"lockKey": "K", "items": [{"id": 1, "fence": 1, "payload": {"name": "Ada"}}]}`)
		case strings.HasSuffix(r.URL.Path, "/take"):
			fmt.Fprint(w, `{"lockKey": "", "items": []}`)
		default:
			fmt.Fprint(w, `{"state": 2, "stateName": "Processed", "copied": false}`)
		}
	}))
}

func ExampleRobot() {
	server := pretend()
	defer server.Close()
	c, err := client.New(server.URL, "bw_token", client.Options{HTTP: server.Client()})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background()) // such as signal.NotifyContext
	robot := client.Robot{Client: c, Queue: "greetings"}
	err = robot.Run(ctx, func(_ context.Context, it *client.Item) (any, error) {
		defer stop()
		var guest struct{ Name string }
		if err := it.Decode(&guest); err != nil {
			return nil, client.Business(err) // the data is wrong: not tried again
		}
		fmt.Printf("Hello, %s!\n", guest.Name)
		return map[string]string{"greeted": guest.Name}, nil
	})
	fmt.Println(err)
	// Output:
	// Hello, Ada!
	// <nil>
}
