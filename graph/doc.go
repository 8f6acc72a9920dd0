// Package graph is what gqlgen makes of schema.graphqls, and nothing else.
package graph
