// Package handlers defines what a pipeline step can do: the Handler contract and the Registry of
// kinds. The built-in kinds are in handlers/builtin, those that move the queue in handlers/queue.
//
// # The life of a handler
//
// A step names a kind and gives it parameters:
//
//	steps:
//	  - handler: HTTP
//	    with: {url: "https://example.test/orders", method: POST}
//
// What then happens:
//
//  1. New: [Kind.New] returns a parameter struct with the default values.
//  2. Decode: [Kind.Build] fills it strictly from the step's `with`. An unknown key, a value of
//     the wrong type and a missing required key are errors, all reported together.
//  3. Validate: when the struct has a Validate method, it is called. It does no I/O, so that the
//     checker can call it for a pipeline that does not run.
//  4. Handle: the work. When no parameter holds an expression, one built handler serves every run
//     of the step, from several goroutines at once: Handle must not change its receiver.
//
// Handle may run again for the same item: after a failure, and after a crash before the result
// was recorded. The documentation of each built-in kind describes how it stays safe then.
//
// # Outcomes
//
// Handle returns the step's output, which becomes the next step's input, or an error. The error
// decides what happens to the item:
//
//	any error        the attempt failed; retried while the resilience limit allows
//	Permanent(err)   no later attempt can succeed; the item is cancelled at once
//	Business(err)    the data is wrong, not the system; retried only if the
//	                 resilience policy names "business"
//	Snooze(d, why)   run the item again after d; counts no attempt
//	Break(why)       end the pipeline here, successfully
//	RetryAfter(err)  a failure with a minimum wait that the other side requested
//
// A panic is a failed attempt.
package handlers
