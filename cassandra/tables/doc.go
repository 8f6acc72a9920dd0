// Package tables writes what follows from truths: a statement for each family of cells that
// package blog declares, at the stamp of the family's truth. The statements are generated, those
// too that compare copies with their truths, and those that read lists in pages.
package tables
