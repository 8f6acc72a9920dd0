package cqlnode

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// jsonOf writes a row as SELECT JSON does.
func jsonOf(s shown, columns []*column) []byte {
	var parts []string
	for _, c := range columns {
		held, _ := s.get(c)
		parts = append(parts, fmt.Sprintf("%q: %s", c.name, c.typ.json(held.value)))
	}
	return []byte("{" + strings.Join(parts, ", ") + "}")
}

func (t dataType) json(v []byte) string {
	switch {
	case v == nil:
		return "null"
	case t.name == "text":
		text, _ := json.Marshal(string(v))
		return string(text)
	case t.name == "boolean":
		return fmt.Sprint(v[0] == 1)
	case t.name == "uuid":
		return fmt.Sprintf(`"%x-%x-%x-%x-%x"`, v[:4], v[4:6], v[6:8], v[8:10], v[10:])
	case t.name == "timestamp":
		return time.UnixMilli(integer(v)).UTC().Format(`"2006-01-02 15:04:05.000Z"`)
	case t.name == "blob":
		return `"0x` + hex.EncodeToString(v) + `"`
	case t.collection():
		all, _ := elements(v)
		parts := make([]string, len(all))
		for i, e := range all {
			parts[i] = t.of[0].json(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(integer(v))
}

// fromJSON reads a value as a text has it.
func (t dataType) fromJSON(text string) ([]byte, error) {
	switch {
	case text == "null":
		return nil, nil
	case t.collection():
		var parts []json.RawMessage
		if err := json.Unmarshal([]byte(text), &parts); err != nil {
			return nil, invalid("%q is no %s", text, t)
		}
		all := make([][]byte, len(parts))
		for i, part := range parts {
			var err error
			if all[i], err = t.of[0].fromJSON(string(part)); err != nil {
				return nil, err
			}
		}
		return joined(all), nil
	}
	s := text
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &s) != nil {
		return nil, invalid("%q is no %s", text, t)
	}
	form := map[string]form{"uuid": aUUID, "blob": aBlob, "boolean": aBoolean, "text": aText, "timestamp": aText}[t.name]
	if form == aMarker {
		form = aNumber
	}
	return t.literal(term{form: form, text: s}, time.Time{})
}
