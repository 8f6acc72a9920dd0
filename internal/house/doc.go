// Package house holds the tests of the repository itself: what README.md and CONTRIBUTING.md
// say of it, and each failure says what to do. There is nothing else here.
//
//	imports_test.go   which package may import which
//	map_test.go       productmap.Queries, its tables and their files
//	commands_test.go  the mutations and their files
//	docs_test.go      dependencies, decisions, the guides, links
//	names_test.go     what comments link to, and pages name, is there
//	schema_test.go    what the descriptions of the schema say
//	clients_test.go   versions of npm's packages
//	returns_test.go   results that are read beside what changes them
//	root_test.go      what stands at the top
//	house_test.go     package comments, marks, statements
//	files_test.go     reading the repository
//
// That the README's map is current is tested where it is made, in internal/readmemap.
package house
