package storetest

import (
	"slices"
	"strings"
)

// longText is longer than its excerpt.
var longText = strings.Repeat("Many words make a long text. ", 40)

// anyTexts are texts that must come back byte for byte.
var anyTexts = map[string]string{
	"a combining mark, composed":                  "caf\u00e9",
	"a combining mark, decomposed":                "cafe\u0301",
	"a family of joined emoji":                    "👨‍👩‍👧‍👦 and 🇩🇪🇫🇷",
	"right to left with marks":                    "\u202eשָׁלוֹם\u202c, مرحبا",
	"Han and Hangul":                              "漢字かな交じり文、한국어",
	"line ends of every sort":                     "a\r\nb\nc\rd\u2028e\u0085f",
	"white space around":                          " \t text \n\n ",
	"control characters":                          "a\x01b\x1b[31mc\x7f",
	"a byte order mark":                           "\ufefftext",
	"noncharacters":                               "x\uffff\ufffe\U0010ffff",
	"the replacement character":                   "\ufffd",
	"quotes, and what looks like CQL, JSON, HTML": `'; DROP TABLE posts; -- " \ \u0000 {"a":null} <b>&amp;</b> $$`,
}

func newestFirst[K any](keys []K) []K {
	keys = slices.Clone(keys)
	slices.Reverse(keys)
	return keys
}
