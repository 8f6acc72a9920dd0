// Package audit compares a store's copies with the truths that they follow from, its counts
// with the rows that they count, and its claims with their owners, while commands run. What
// differs it reports, mends, or builds anew:
//
//	[Verifying]    reads everything, reports what has drifted, repairs it
//	[Rebuilding]   writes a table of copies from the truths, then verifies it
//
// A store that can be audited is a [Store]; it is read through a [Reader]. Package blog says
// which copies follow from a truth.
package audit
