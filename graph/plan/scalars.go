package plan

import "strconv"

// AppendBoolean appends what graphql.MarshalBoolean writes.
func AppendBoolean(b []byte, value bool) []byte { return strconv.AppendBool(b, value) }

// appendQuoted quotes a name, which has nothing to escape.
func appendQuoted(b []byte, name string) []byte {
	return append(append(append(b, '"'), name...), '"')
}
