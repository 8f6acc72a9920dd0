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

// Cost returns how many partitions an operation may read at most, before it is executed: a list counts what is asked of
// its nodes as often as its page is long. Equal reads, as those of a page's authors, are made once and counted each, so
// an operation costs what this says or less; but for a feed with fewer posts than partitions, which reads more, within
// a bound of the store's. A mutation counts what its command reads and writes, and sets going. A subscription costs
// what one event does, as if it were read for this one alone.
//
// The variables of the operation are known. What is skipped costs nothing. The cost is
// constant where none of them says what is skipped, how long a page or a list is, or what is edited.
func Cost(op *graphql.OperationContext) (cost int, constant bool) {
	cost = costs{op}.of(op.Operation.SelectionSet, plan.Root(schema, op.Operation.Operation), spot{nodes: 1, lists: 1})
	variables := op.Operation.VariableDefinitions
	return cost, len(variables) == 0 || op.Operation.Operation != ast.Mutation && !slices.ContainsFunc(variables, decides)
}

// decides reports whether a variable may have a say in what a query costs, as a
// condition, as the length of a page, as a list.
func decides(v *ast.VariableDefinition) bool {
	return v.Type.Elem != nil || !slices.Contains(undecided, v.Type.NamedType)
}

var undecided = []string{"ID", "String", "DateTime", "SortOrder"}

const (
	mutationCost = 20

	// accountCost stands for the job that a rename or an erasure sets going, however much that writes. What a post's
	// deletion sets going was paid for by those that wrote it.
	accountCost = 100

	// introspectionCost stands for time: a client's introspection reads nothing, and takes as long.
	introspectionCost = 100

	// beyondCost is more than any limit. Sums end there, for pages of pages multiply.
	beyondCost = 1 << 30
)

type costs struct{ op *graphql.OperationContext }

// spot is where in a response a selection stands.
type spot struct {
	nodes  int  // how often it is resolved
	lists  int  // in how many lists those stand
	listed bool // they are rows of a list, which hold less than the object itself
	byID   bool // they are found by their ids: of a reaction that row has no name
	page   int  // they are connections, whose pages have so many nodes; 0: they are not
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

// rowsCounted is what it costs to count up to blog.MaxFollowsOfUser rows, in partitions read.
const rowsCounted = 5

// apart are how many partitions those fields read each time that they are resolved, by type and name, that read more or less than
// their kind does: see [reads].
var apart = map[string]int{
	"Query.home":      2*homeReads + 1, // with whom of their authors the viewer follows
	"Query.feed":      3,               // a slice of the buckets' names, and two buckets where a page crosses from one to the next
	"Query.userPosts": 3,               // by username: the user, too
	"Query.threads":   5,               // where a page ends below deleted comments, which of them have replies left; whether there is the post
	"Query.thread":    5,               // and the comment

	"User.followers":      3, // where there are none, whether there is the user, and the count
	"User.followerCount":  3,
	"User.following":      2 + rowsCounted, // and how many there are
	"User.followingCount": rowsCounted,

	"Group.members":       blog.MemberShards + 4, // whether there is the group, and the count, which looks for it, too
	"Group.newestMembers": 3,                     // likewise
	"Group.memberCount":   3,
	"Group.moderators":    blog.MaxModeratorsOfGroup,

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
		return c.effectOf(field).cost
	case object == "Post" && ofViewer(field.Name), name == "User.viewerFollows", name == "Group.viewerIsMember":
		return 2 * at.lists // for a whole list; and the viewer's account
	case name == "Post.content" && !at.listed:
		return 0
	case name == "Query.home", name == "User.bookmarks", name == "User.followers", name == "User.following",
		name == "User.groups", name == "Group.members", name == "Group.newestMembers": // and each post, user or group
		return (reads(field, name) + c.page(field)) * at.nodes
	case name == "Group.moderators":
		return reads(field, name) * at.nodes
	case name == "Query.nodes":
		return c.length(field, "ids")
	case object != "Query" && field.Definition.Type.Name() == "User" && c.copied(field, object, at):
		return 0
	default:
		return reads(field, name) * at.nodes
	}
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
	case lengths[object+"."+field.Name] > 0:
		next = spot{nodes: min(at.nodes*lengths[object+"."+field.Name], beyondCost), lists: at.nodes}
	case object == "Query" && field.Name == "nodes":
		next = spot{nodes: c.length(field, "ids"), lists: 1, byID: true}
	case object == "Query" && field.Name == "node":
		next.byID = true
	case field.Name == "node": // of an edge
		next.listed = at.listed
	}
	return next
}

// lengths are how long those lists may be that have no pages.
var lengths = map[string]int{"User.ownGroups": blog.MaxOwnGroups, "Group.moderators": blog.MaxModeratorsOfGroup}

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

// argument returns an argument's value, nil where there is none. In a document that was
// validated, with variables that were, each has one.
func (c costs) argument(field graphql.CollectedField, name string) any {
	if a := field.Arguments.ForName(name); a != nil {
		if value, err := a.Value.Value(c.op.Variables); err == nil {
			return value
		}
	}
	return nil
}

// WriteUnits returns what an operation's commands write, in the units of which a subject has so many a day. The
// variables of the operation are known.
func WriteUnits(op *graphql.OperationContext) (units int) {
	for _, command := range plan.Fields(op, op.Operation.SelectionSet, schema.Mutation) {
		units += costs{op}.effectOf(command).units
	}
	return units
}

// effect is what a command takes: partitions, and units of writing, which are what it is to others.
type effect struct{ cost, units int }

// effects are those of commands, by the fields of the input that make them. Other edits and deletions have no units: no
// list of others grows by them, and nothing is walked to. An attempt to have a name or an address says whether it is taken.
var effects = map[string]map[string]effect{
	"createPost": {always: {units: 25}}, "createComment": {always: {units: 5}},
	"likePost": {always: {units: 1}}, "unlikePost": {always: {units: 1}},
	"followUser": {always: {units: 5}}, "unfollowUser": {always: {units: 5}},
	"createGroup": {always: {units: 25}}, "joinGroup": {always: {units: 1}}, "leaveGroup": {always: {units: 1}},
	"createUser":    {"email": {units: 500}},
	"updateUser":    {"username": {accountCost, 500}, "email": {units: 500}, "displayName": {accountCost, 25}},
	"deleteAccount": {always: {accountCost, 500}}, // the next account has another name
}

const always = ""

// effectOf returns the effect of a command. Its input names a field by null, too.
func (c costs) effectOf(command graphql.CollectedField) effect {
	all := effect{cost: mutationCost}
	input, _ := c.argument(command, "input").(map[string]any)
	for field, of := range effects[command.Name] {
		if _, named := input[field]; named || field == always {
			all = effect{max(all.cost, of.cost), all.units + of.units}
		}
	}
	return all
}
