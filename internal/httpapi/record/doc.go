// Package record says what became of requests: in the access log, in metrics and in traces.
//
//	record.go           one request's, which goes with its context
//	access_log.go       its line in the log
//	metrics.go          what /metrics shows
//	operation_names.go  under which names operations are counted
//	upkeep.go           what a store does by itself
//	spans.go            OpenTelemetry's spans
//	observer.go         counts and traces a store's statements
//	bound.go            how much of errors is sent
package record
