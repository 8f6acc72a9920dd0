// Package rates bounds how often clients do what, by token buckets: one for each that was seen lately.
package rates
