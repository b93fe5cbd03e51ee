// Command robots is a robot of Botwork that uses the package client. It takes items of a queue over
// the HTTP API, works on four of them at the same time, and reports the results. Set BOTWORK_TOKEN,
// and if needed BOTWORK_URL and BOTWORK_QUEUE. SIGTERM or Ctrl-C stops it after the current items.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"botwork/client"
)

// guest is the payload of an item.
type guest struct {
	Name string `json:"name"`
}

// work does the work on an item.
func work(_ context.Context, it *client.Item) (any, error) {
	var g guest
	if err := it.Decode(&g); err != nil {
		return nil, client.Business(err) // the data is wrong: not tried again
	}
	if g.Name == "" {
		return nil, client.Business(errors.New("the payload has no name"))
	}
	fmt.Printf("item %d: greeting %s\n", it.ID, g.Name)
	return map[string]string{"greeting": "Hello, " + g.Name + "!"}, nil
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := client.New(cmp.Or(os.Getenv("BOTWORK_URL"), "http://127.0.0.1:8321"), os.Getenv("BOTWORK_TOKEN"), client.Options{})
	if err != nil {
		return err
	}
	robot := client.Robot{
		Client: c, Queue: cmp.Or(os.Getenv("BOTWORK_QUEUE"), "greetings"), Parallel: 4,
		Trouble: func(err error) { fmt.Fprintln(os.Stderr, "robots:", err) },
	}
	return robot.Run(ctx, work)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "robots:", err)
		os.Exit(1)
	}
}
