// Package plan executes GraphQL operations: see docs/adr/0016-plans.md. gqlgen's own executor serves nothing but
// the tests that compare the two.
//
// A query is compiled once: its fragments are merged and its names are quoted, per type of object. The plan is
// then followed by generated code (graph/planned.go): values are appended to the answer straight from the structs
// that hold them, and resolvers are called as gqlgen calls them. The command in plangen is gqlgen with one plugin
// more, which writes that code from the data that gqlgen writes its own from, for whatever the schema has.
//
// # What holds it to gqlgen's bytes
//
// Answers, errors and their paths are gqlgen's own, byte for byte; where a resolver panicked,
// gqlgen leaves the error's location to the presenter, and a plan has it. FuzzPlansAnswerAsGqlgenDoes
// asks both executors random documents of the whole schema, of resolvers that answer, fail,
// panic and return null by chance; TestPlansAnswerAsGqlgenDoes in package resolvers does it
// with the real ones on a store. A new gqlgen that answers otherwise fails these tests; one
// that names its generated functions otherwise fails to compile.
//
// # What runs beside what
//
// gqlgen resolves each row of a list, and each field that has a resolver, in a goroutine
// of its own. Most of those end at once: the list has started what its rows will ask for
// before it returned, so that their resolvers wait for one dispatch, all for the same. So
//
//   - the rows of a list are written one after the other, and so are their fields,
//   - but where a resolver may read by itself, it runs beside its neighbours: one with
//     arguments, such as a list in a list; one below another, of which the list knew
//     nothing; one of an object that no list has returned. The rows of a list that has
//     such fields are written beside each other, too.
//
// A resolver that neither has arguments nor is started ahead by its list is right
// nevertheless; its rows wait in turn.
//
// # Contexts
//
// A resolver finds its place in the query and in the answer in its context, as gqlgen
// has it. A [Writer] makes the contexts of a list once and moves them from row to row:
// a context names the place where it was last. Only fields that have a resolver at or below them
// have one of their own. The object that a resolver is given is moved likewise: neither is
// to be kept when the resolver returns.
package plan
