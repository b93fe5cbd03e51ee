// Package pipelinetest runs tests of pipelines: YAML files that define the input of a
// pipeline, the stubs for its steps, and the expected results.
//
//	pipeline: import            # default: the file name without _test.yaml
//	defaults:                   # shared by all cases; cases override them
//	  secrets: {shopToken: abc}
//	  stubs:
//	    load: {output: {body: {status: open}}}
//	cases:
//	  - name: a draft is left alone
//	    payload: {number: A-1}
//	    item: {id: 7, attempt: 2}
//	    env: {HOST: example.test}
//	    now: 2026-01-31T12:00:00Z
//	    stubs:                  # by step; `handlers` contains stubs by handler
//	      load:                 # a list has one answer per call
//	        - {error: no route to the host, kind: timeout}
//	        - output: {body: {status: draft}}
//	    expect:
//	      outcome: succeeded    # or failed, snoozed, dropped
//	      calls:                # all calls of steps with stubs, in order
//	        - {step: load, times: 2, with: {url: https://example.test/A-1}}
//	      steps: {load: {status: done, attempts: 2}, save: not reached}
//	      output: {status: draft}
//
// A step without a stub runs if its handler is pure ([handlers.Pure]), that is, if it has
// no side effects. Delay passes on its input immediately. Any other step without a stub
// fails the case, because a test must not have side effects. Waits between attempts take
// no time, only the environment variables and secrets of the case exist, and `now` does
// not change.
//
// Expected values are compared partially: only the expected keys of a mapping, but every
// element of a list. exactOutput and exactWith compare everything. The default outcome is
// succeeded.
package pipelinetest
