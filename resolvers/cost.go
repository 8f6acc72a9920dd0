package resolvers

import (
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/graph/plan"
)

// Cost returns how many partitions an operation may read at most, before it is executed: a
// list counts what is asked of its nodes as often as its page is long. Reads that turn out
// to be the same, as those of the authors of a page, are made once and counted each, so an
// operation costs what this says or less; but for a feed with fewer posts than partitions,
// of which a page reads as many as it has posts, within a bound of the store's. A mutation counts what its command reads and
// writes, some twenty partitions, and a rename or an erasure more, for what it sets going. A subscription costs what one event does, as if it were read for
// this one alone; to begin costs no more.
//
// The variables of the operation are known. What is skipped costs nothing. The cost is
// constant where none of them says what is skipped, how long a page or a list is, or what is edited.
func Cost(op *graphql.OperationContext) (cost int, constant bool) {
	cost = costs{op}.of(op.Operation.SelectionSet, rootOf(op.Operation.Operation), spot{nodes: 1, lists: 1})
	variables := op.Operation.VariableDefinitions
	return cost, len(variables) == 0 || op.Operation.Operation != ast.Mutation && !slices.ContainsFunc(variables, decides)
}

// decides reports whether a variable may have a say in what a query costs, as a
// condition, as the length of a page, as a list.
func decides(v *ast.VariableDefinition) bool {
	return v.Type.Elem != nil || !slices.Contains(undecided, v.Type.NamedType)
}

var undecided = []string{"ID", "String", "DateTime", "SortOrder"}

const mutationCost = 20

// accountCost stands for the job that a rename or an erasure sets going: each copy of the name is written,
// each thing of the account's deleted, however many there are. What a post's deletion sets going was paid for by
// those that wrote it.
const accountCost = 100

// introspectionCost stands for time: a client's introspection reads nothing, and takes as
// long as some hundred partitions.
const introspectionCost = 100

// beyondCost is more than any limit. Sums end there, for pages of pages multiply.
const beyondCost = 1 << 30

type costs struct{ op *graphql.OperationContext }

// spot is where in a response a selection stands.
type spot struct {
	nodes  int  // how often it is resolved
	lists  int  // in how many lists those stand
	listed bool // they are rows of a list, which hold less than the object itself
	byID   bool // they are found by their ids: of a reaction that row has no name
	page   int  // they are connections, whose pages have so many nodes; 0: they are not
}

// rootOf returns the type of the operations of a kind.
func rootOf(operation ast.Operation) *ast.Definition {
	switch operation {
	case ast.Mutation:
		return schema.Mutation
	case ast.Subscription:
		return schema.Subscription
	}
	return schema.Query
}

// of returns what a selection costs that is asked of objects of a type.
func (c costs) of(set ast.SelectionSet, object *ast.Definition, at spot) int {
	total := 0
	for _, field := range plan.Fields(c.op, set, object) {
		total = min(total+c.own(field, object.Name, at), beyondCost)
		below := c.below(field, object.Name, at)
		for _, of := range objectsOf(field) {
			total = min(total+c.of(field.Selections, of, below), beyondCost)
		}
	}
	return total
}

// objectsOf returns the types that the objects may have which are a field's values.
func objectsOf(field graphql.CollectedField) []*ast.Definition {
	if len(field.Selections) == 0 {
		return nil
	}
	return schema.GetPossibleTypes(schema.Types[field.Definition.Type.Name()])
}

// apart are how many partitions those fields read each time that they are resolved, by type and name, that read more or less than
// their kind does: see [reads].
var apart = map[string]int{
	"Query.feed":      3, // a slice of the buckets' names, and two buckets where a page crosses from one to the next
	"Query.userPosts": 3, // by username: the user, too

	"Subscription.postCreated":    0, // begins where the hub stands, and events come from there
	"Subscription.postUpdated":    0,
	"Subscription.postDeleted":    0,
	"Subscription.commentCreated": 2, // when it begins: how many comments there are, or whether there is the post
	"Subscription.postChanged":    2, // and the author's account, after a rename

	"User.email":             0, // is shown to its owner alone, and comes with the user, as what follows
	"User.emailVerified":     0,
	"User.suspended":         0,
	"User.moderator":         0,
	"Post.viewerCanEdit":     0, // the viewer's account is read once, as of what follows
	"Post.viewerCanDelete":   0,
	"Comment.viewerCanEdit":  0,
	"User.viewerCanModerate": 0,
	"UserError.field":        0, // comes with the error
}

// reads returns how many partitions a field reads each time that it is resolved: one, or of a list two, for it looks where a
// page is empty whether there is what the list belongs to. Fields without a resolver come with their object.
func reads(field graphql.CollectedField, name string) int {
	own, known := apart[name]
	switch {
	case known:
		return own
	case !graph.Resolved[name]:
		return 0
	case isConnection(field):
		return 2
	}
	return 1
}

func isConnection(field graphql.CollectedField) bool {
	return strings.HasSuffix(field.Definition.Type.Name(), "Connection")
}

// own returns what a field of an object costs by itself, wherever it is resolved.
func (c costs) own(field graphql.CollectedField, object string, at spot) int {
	switch name := object + "." + field.Name; {
	case field.Name == "__schema" || field.Name == "__type":
		return introspectionCost
	case object == "Mutation" && field.Name != "__typename":
		return c.command(field)
	case object == "Post" && ofViewer(field.Name):
		return 2 * at.lists // for a whole list; and the viewer's account
	case name == "Post.content" && !at.listed:
		return 0
	case name == "Query.nodes":
		return c.length(field, "ids")
	case object != "Query" && field.Definition.Type.Name() == "User" && c.copied(field, object, at):
		return 0
	default:
		return reads(field, name) * at.nodes
	}
}

// command returns what a mutation costs.
func (c costs) command(field graphql.CollectedField) int {
	input := c.inputOf(field)
	if field.Name == "deleteAccount" || field.Name == "updateUser" && (mentions(input, "username") || mentions(input, "displayName")) {
		return accountCost
	}
	return mutationCost
}

// copied reports whether a copy holds what is asked of a user.
func (c costs) copied(field graphql.CollectedField, object string, at spot) bool {
	asked := needsOf(askedOf(c.op, field.Selections, field.Definition.Type.Name()))
	reacted := slices.ContainsFunc(reactions, func(r reaction) bool { return r.object == object })
	return asked == needs{} || !asked.whole && !(at.byID && reacted)
}

// ofViewer reports whether a field of a post says if the viewer has reacted to it.
func ofViewer(field string) bool {
	_, ok := reactionOf(field, viewerField)
	return ok
}

// below returns where the selections of a field stand.
func (c costs) below(field graphql.CollectedField, object string, at spot) spot {
	next := spot{nodes: at.nodes, lists: at.lists}
	switch {
	case isConnection(field):
		next.page = c.page(field)
	case at.page > 0 && field.Name == "edges":
		next = spot{nodes: min(at.nodes*at.page, beyondCost), lists: at.nodes, listed: true}
	case object == "Query" && field.Name == "nodes":
		next = spot{nodes: c.length(field, "ids"), lists: 1, byID: true}
	case object == "Query" && field.Name == "node":
		next.byID = true
	case field.Name == "node": // of an edge
		next.listed = at.listed
	}
	return next
}

// page returns how many nodes a connection's page may have. Arguments that are refused
// when they are executed count as if they were not.
func (c costs) page(field graphql.CollectedField) int {
	page := blog.DefaultPage
	for _, name := range []string{"first", "last"} {
		if value := c.argument(field, name); value != nil {
			if n, err := graphql.UnmarshalInt(value); err == nil {
				page = n
			}
		}
	}
	return min(max(page, 1), blog.MaxPage)
}

func (c costs) length(field graphql.CollectedField, name string) int {
	list, isList := c.argument(field, name).([]any)
	if !isList {
		return 1 // a value stands for a list of itself
	}
	return min(len(list), maxNodes)
}

// inputOf returns the input of a mutation.
func (c costs) inputOf(field graphql.CollectedField) map[string]any {
	input, _ := c.argument(field, "input").(map[string]any)
	return input
}

// argument returns an argument's value, nil where there is none. A document that was
// validated, with variables that were, has no argument that has no value.
func (c costs) argument(field graphql.CollectedField, name string) any {
	a := field.Arguments.ForName(name)
	if a == nil {
		return nil
	}
	value, err := a.Value.Value(c.op.Variables)
	if err != nil {
		return nil
	}
	return value
}

// WriteUnits returns what an operation's commands write, in the units of which a subject has so many a day. They are
// what a command is to others, which its [Cost] does not say. The variables of the operation are known.
func WriteUnits(op *graphql.OperationContext) (units int) {
	for _, command := range plan.Fields(op, op.Operation.SelectionSet, schema.Mutation) {
		input := costs{op}.inputOf(command)
		for field, n := range writeUnits[command.Name] {
			if field == always || mentions(input, field) {
				units += n
			}
		}
	}
	return units
}

// writeUnits are those of commands, by the fields of the input that make them. Other edits and deletions have none: no
// list of others grows by them, and nothing is walked to. An attempt to have a name or an address says whether it is taken.
var writeUnits = map[string]map[string]int{
	"createPost": {always: 25}, "createComment": {always: 5},
	"likePost": {always: 1}, "unlikePost": {always: 1},
	"createUser": {"email": 500}, "updateUser": {"username": 500, "email": 500, "displayName": 25},
	"deleteAccount": {always: 500}, // the next account has another name
}

const always = ""

// mentions reports whether an input names a field, null included.
func mentions(input map[string]any, field string) bool {
	_, named := input[field]
	return named
}
