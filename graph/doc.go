// Package graph is what gqlgen, with the plugin in internal/plangen, makes of
// schema.graphqls, and nothing else.
package graph
