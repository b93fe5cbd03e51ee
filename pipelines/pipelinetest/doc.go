// Package pipelinetest runs tests of pipelines: YAML files that say what a
// pipeline is given, what stands in for its steps, and what has to come of it.
//
//	pipeline: import            # else the file's name without _test.yaml
//	defaults:                   # what all cases share; a case's own goes over it
//	  secrets: {shopToken: abc}
//	  stubs:
//	    load: {output: {body: {status: open}}}
//	cases:
//	  - name: a draft is left alone
//	    payload: {number: A-1}
//	    item: {id: 7, attempt: 2}
//	    env: {HOST: example.test}
//	    now: 2026-01-31T12:00:00Z
//	    stubs:                  # by step; `handlers` does the same by handler
//	      load:                 # a list answers call by call
//	        - {error: no route to the host, kind: timeout}
//	        - output: {body: {status: draft}}
//	    expect:
//	      outcome: succeeded    # or failed, snoozed, dropped
//	      calls:                # of the steps with stubs, all of them, in order
//	        - {step: load, times: 2, with: {url: https://example.test/A-1}}
//	      steps: {load: {status: done, attempts: 2}, save: not reached}
//	      output: {status: draft}
//
// A step without a stub runs for real when its handler is pure ([handlers.Pure]):
// it computes and nothing else. Delay passes its input on at once. Any other step
// without a stub fails the case: a test has no effect. Waits between attempts
// take no time, environment and secrets are the case's alone, and `now` stands
// still.
//
// Expected values are compared as far as they go: of a mapping the keys that are
// named, of a list every element, in the same way. exactOutput and exactWith
// compare everything. The outcome is succeeded where nothing else is expected.
package pipelinetest
