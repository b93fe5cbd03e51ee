package client_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"botwork/client"
)

func TestMain(m *testing.M) {
	if os.Getenv(asRobot) != "" {
		beRobot()
		return
	}
	goleak.VerifyTestMain(m)
}

// asRobot makes this test binary a robot that prints the items whose success was accepted.
const asRobot = "CLIENT_TEST_AS_ROBOT"

func beRobot() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	c, err := client.New(os.Getenv(asRobot), os.Getenv("CLIENT_TEST_TOKEN"), client.Options{FirstBackoff: 10 * time.Millisecond})
	if err != nil {
		panic(err)
	}
	for ctx.Err() == nil {
		items, err := c.Take(ctx, "forms", client.Take{Lease: killedLease, Wait: time.Second})
		if err != nil {
			continue
		}
		for _, it := range items {
			time.Sleep(time.Duration(rand.IntN(80)) * time.Millisecond) // the work
			if _, err := c.Succeed(context.WithoutCancel(ctx), it.Hold(), nil, nil); err == nil {
				fmt.Printf("%d %d\n", it.ID, it.Fence)
			} else if !errors.Is(err, client.ErrLeaseLost) {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}
}

const killedLease = 500 * time.Millisecond
