// Package learned estimates how long items will take from the runs that succeeded
// lately: by the beginning of their natural key, their task and their pipeline.
// Workers record the runs, assignment passes and the explanations of a pass read
// the means. Everything here is a hint: a lost record changes an estimate a
// little and nothing else.
package learned
