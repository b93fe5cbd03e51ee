// Package bounded evaluates the expressions and templates that users write, within a
// [Budget]: a number of steps, an amount of memory, and a context.
//
// The expression library limits the lists and maps that an evaluation creates, but not
// its texts or loops, and it cannot be interrupted. Compile therefore rewrites the syntax
// tree of an expression: each iteration of a loop, each function that creates or reads
// something large, and each operator on values of unknown size first charges the budget.
// Expressions that cost at most as much as the values that they name, such as
// payload.customer.name or payload.n == 1, are not changed and have no overhead.
package bounded
