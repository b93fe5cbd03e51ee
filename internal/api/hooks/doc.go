// Package hooks turns signed requests of other systems into items: webhooks of GitHub, Stripe and
// systems that sign in one of their ways.
package hooks
