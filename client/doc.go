// Package client calls the HTTP API of Botwork. It needs the standard library alone.
//
// A robot takes items of a queue, works on them and reports how they ended. [Robot.Run] does
// everything around the work: it waits for items, renews their leases, stops the work on an item
// that was cancelled, reports the result, and lets running items end when the program is stopped.
//
//	c, err := client.New("https://botwork.example.com", os.Getenv("BOTWORK_TOKEN"), client.Options{})
//	…
//	r := client.Robot{Client: c, Queue: "forms", Parallel: 4}
//	err = r.Run(ctx, func(ctx context.Context, it *client.Item) (any, error) {
//		var form Form
//		if err := it.Decode(&form); err != nil {
//			return nil, client.Business(err) // the data is wrong: not tried again
//		}
//		return fill(ctx, form) // an error is tried again, by the policy of the queue
//	})
//
// The methods of [Client] are the operations by themselves. They send a request again after
// network errors and when the server is busy or restarting, with a growing wait. That is safe:
// requests that create something have an Idempotency-Key, and the server recognises the end of an
// item that is reported twice.
//
// An error of the API is a [*Problem]. [errors.Is] compares its code:
//
//	if errors.Is(err, client.ErrLeaseLost) { … }
package client
