// Package dataset writes plausible blogs: users that write posts about gardens,
// databases, ferries and chisels, and comment on and like each other's.
//
// A [Plan] says what will stand in a store before anything is written, down to the
// last like, and is the same for the same size and seed. [Plan.Write] carries it out
// through the store's own commands, so what they promise holds for it too. The
// texts are put together from the sentences in text/.
package dataset
