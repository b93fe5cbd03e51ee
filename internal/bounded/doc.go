// Package bounded evaluates the expressions and templates that users write,
// within a [Budget]: a number of steps, an amount of memory, and a context.
//
// The expression library bounds the lists and maps that an evaluation makes,
// but neither its texts nor its loops, and it cannot be interrupted. Compile
// therefore rewrites the tree of an expression: every pass of a loop, every
// function that makes or reads something large, and every operator on values of
// unknown size charges the budget first. What costs at most as much as the
// values that it names, such as payload.customer.name or payload.n == 1, is
// left as it is and costs nothing more.
package bounded
