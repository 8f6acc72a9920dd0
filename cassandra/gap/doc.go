// Package gap keeps gaps: long runs of dead rows in one partition of a list, written down so that
// a reader passes each in one step:
//
//	posts_by_author, newest ▷  ■ ■ · · · · · · · … · · · · ■ ■ · ■     ■ stands, · dead
//	                               └────── gap ──────────┘
//	                               high (exclusive)     low
//
// A gap must never hide a row that stands, and a row may come late into an old range: by
// recovery, by a command that is repeated under its key, by a repair. So a partition's gaps
// hang on one version, which every change of them raises by a conditional batch:
//
//	maker   making = true, version 5 │ reads the rows │ gap, IF version = 5 … 6
//	writer  writes its row           │ making, or a gap over it? raises the version, cuts the gap
//
// Either the maker reads after the row was acknowledged, and finds it; or the writer looks
// after making was set, and what the maker goes by has moved. Fresh rows need not look:
// a gap covers nothing that is younger than a minute or two, and every row is written before that, or
// its writer looks.
package gap
