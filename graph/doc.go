// Package graph is what gqlgen, with its plugin in plan/plangen, makes of schema.graphqls,
// and nothing else.
package graph

//go:generate go run ./plan/plangen
