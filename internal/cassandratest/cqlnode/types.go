package cqlnode

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/datatype"
)

// dataType is a column's type. Values are kept as the protocol has them; nil is null.
type dataType struct {
	name   string
	of     []dataType // of a collection
	frozen bool
}

var plainTypes = map[string]datatype.DataType{
	"text": datatype.Varchar, "int": datatype.Int, "bigint": datatype.Bigint, "uuid": datatype.Uuid,
	"timestamp": datatype.Timestamp, "boolean": datatype.Boolean, "blob": datatype.Blob, "inet": datatype.Inet,
}

func typed(name string) dataType    { return dataType{name: name} }
func listOf(t dataType) dataType    { return dataType{name: "list", of: []dataType{t}, frozen: true} }
func (t dataType) collection() bool { return len(t.of) > 0 }
func (t dataType) wire() datatype.DataType {
	switch t.name {
	case "list":
		return datatype.NewList(t.of[0].wire())
	case "set":
		return datatype.NewSet(t.of[0].wire())
	case "map":
		return datatype.NewMap(t.of[0].wire(), t.of[1].wire())
	}
	return plainTypes[t.name]
}

func (t dataType) known() bool {
	_, plain := plainTypes[t.name]
	return plain || t.name == "list" && len(t.of) == 1 || t.name == "set" && len(t.of) == 1 || t.name == "map" && len(t.of) == 2
}

func (t dataType) String() string {
	s := t.name
	if t.collection() {
		parts := make([]string, len(t.of))
		for i, of := range t.of {
			parts[i] = of.String()
		}
		s += "<" + strings.Join(parts, ", ") + ">"
	}
	if t.frozen {
		s = "frozen<" + s + ">"
	}
	return s
}

// compare orders two values that are not null.
func (t dataType) compare(a, b []byte) int {
	switch t.name {
	case "int", "bigint", "timestamp":
		return cmp.Compare(integer(a), integer(b))
	case "uuid":
		return compareUUIDs(a, b)
	}
	return bytes.Compare(a, b)
}

// compareUUIDs goes by the version first, as Cassandra's UUIDType does. Those of version 1,
// which it orders by their time, are not used here.
func compareUUIDs(a, b []byte) int {
	if len(a) < 16 || len(b) < 16 {
		return cmp.Compare(len(a), len(b))
	}
	return cmp.Or(cmp.Compare(a[6]>>4, b[6]>>4), bytes.Compare(a, b))
}

// check refuses a value that is none of the type's.
func (t dataType) check(v []byte) error {
	want := map[string]int{"int": 4, "bigint": 8, "timestamp": 8, "uuid": 16, "boolean": 1}[t.name]
	if len(v) == 0 || want == 0 || len(v) == want { // empty is a value of every type
		return nil
	}
	return invalid("expected %d bytes for a %s (%d)", want, t, len(v))
}

func integer(b []byte) int64 {
	switch len(b) {
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	case 8:
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func encodeBigint(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
func encodeInt(n int) []byte      { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

func boolean(b bool) []byte {
	if b {
		return []byte{1}
	}
	return []byte{0}
}

// literal makes a value of what a text says.
func (t dataType) literal(v term, now time.Time) ([]byte, error) {
	switch {
	case v.form == aNull:
		return nil, nil
	case v.form == aText && t.name == "text":
		return append([]byte{}, v.text...), nil
	case v.form == aText && t.name == "timestamp":
		return parseTime(v.text)
	case v.form == aNumber:
		return t.number(v.text)
	case v.form == aUUID && t.name == "uuid":
		return hex.DecodeString(strings.ReplaceAll(v.text, "-", ""))
	case v.form == aBlob && t.name == "blob":
		return hex.DecodeString(v.text[2:])
	case v.form == aBoolean && t.name == "boolean":
		return boolean(strings.EqualFold(v.text, "true")), nil
	case v.form == aList && t.collection():
		return t.items(v.items, now)
	case v.form == aFunction && v.text == "fromjson" && len(v.items) == 1:
		return t.fromJSON(v.items[0].text)
	case v.form == aFunction && t.name == "timestamp" && (v.text == "currenttimestamp" || v.text == "totimestamp" && len(v.items) == 1 && v.items[0].text == "now"):
		return encodeBigint(now.UnixMilli()), nil
	}
	return nil, invalid("%q is no %s that is known here", v.text, t)
}

func parseTime(text string) ([]byte, error) {
	for _, form := range []string{time.DateOnly, "2006-01-02 15:04:05.000Z07:00"} {
		if at, err := time.Parse(form, text); err == nil {
			return encodeBigint(at.UnixMilli()), nil
		}
	}
	return nil, invalid("%q is no time in a form that is known here", text)
}

func (t dataType) number(digits string) ([]byte, error) {
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil:
		return nil, invalid("%q is no number", digits)
	case t.name == "int" && n == int64(int32(n)):
		return encodeInt(int(n)), nil
	case t.name == "bigint" || t.name == "timestamp":
		return encodeBigint(n), nil
	}
	return nil, invalid("the number %s is no %s", digits, t)
}

func (t dataType) items(items []term, now time.Time) ([]byte, error) {
	var values [][]byte
	for _, item := range items {
		v, err := t.of[0].literal(item, now)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	if t.name == "set" {
		slices.SortFunc(values, t.of[0].compare)
		values = slices.CompactFunc(values, bytes.Equal)
	}
	return joined(values), nil
}

// joined makes a collection of its elements; of a map they are keys and values in turn.
func joined(elements [][]byte) []byte { return joinedAs(len(elements), elements) }

func joinedAs(count int, elements [][]byte) []byte {
	b := encodeInt(count)
	for _, e := range elements {
		b = append(append(b, encodeInt(len(e))...), e...)
	}
	return b
}

// elements takes a list or a set apart.
func elements(b []byte) ([][]byte, error) {
	if len(b) < 4 {
		return nil, invalid("a collection of %d bytes", len(b))
	}
	n, b := int(integer(b[:4])), b[4:]
	var all [][]byte
	for range n {
		if len(b) < 4 || len(b)-4 < int(integer(b[:4])) || integer(b[:4]) < 0 {
			return nil, invalid("a collection that is cut short")
		}
		length := int(integer(b[:4]))
		all, b = append(all, b[4:4+length:4+length]), b[4+length:]
	}
	return all, nil
}

// invalidError is what the node answers with code Invalid: the statement can't be executed.
type invalidError struct{ message string }

func (e invalidError) Error() string { return e.message }

func invalid(format string, args ...any) error { return invalidError{fmt.Sprintf(format, args...)} }
