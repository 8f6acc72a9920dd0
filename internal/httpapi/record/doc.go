// Package record says what became of requests: in the access log, in metrics and in traces.
//
//	record.go           one request's, which goes with its context; how much of errors is sent
//	access_log.go       its line in the log
//	metrics.go          what /metrics shows; counts and traces a store's statements
//	operation_names.go  under which names operations are counted
//	upkeep.go           what a store does by itself
//	spans.go            OpenTelemetry's spans
package record
