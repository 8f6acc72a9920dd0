// Package hint tells an operator which setting a request looks to be in want of. The request alone
// can't tell its client, and the operator sees only that something does not work.
package hint
