// Package productmap is the map of the product: query ⇄ table ⇄ file, and mutation ⇄ truth ⇄ copies. It
// follows from the declarations of package blog. The README's tables are made from it, and tests hold
// the stores and the repository's layout to it. The program does not need it.
package productmap
