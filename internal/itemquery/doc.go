// Package itemquery reads filters of items as people write them: the words of the flags of
// `botwork items list`, which are also the parameters of the HTTP API.
package itemquery
