// Package gate decides whether this machine has room for more items: whether its processors are
// busy, and how much memory and disk space is free. It measures every two seconds and judges by the
// mean of the last ten, so that a short peak changes nothing. A gate that has closed opens when
// everything is within its bound again by a margin, and not before half a minute is over.
package gate
