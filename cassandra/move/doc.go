// Package move changes the key of a table while servers write it: a table of copies with the new key, its successor, is
// declared beside it, and takes its place in steps.
//
//	phase     written  read  how it is reached
//	old       old      old
//	both      both     old
//	filled    both     old   the new table is built from the truths
//	verified  both     old   verify has found nothing
//	new       both     new
//	dropped   new      new   then the old table is dropped
//
// Any two phases that follow each other are right beside each other, so servers need not change at once; no others are.
// The phase is a checkpoint that each server reads every few seconds, and relies on for [LeaseTime] by its own clock, which
// no other is compared with. One that can't read it any more goes by none: it refuses queries of the table, and leaves a
// command's copies to recovery. A step begins with a wait for as long, by the clock of the process that makes it, since when it has seen the
// phase in the database: then every server goes by it. A conditional write at the end fails where another has made a step
// meanwhile.
//
// What a command leaves out of a table that is not written is decided as its batch is sent, so the truth stands already: a
// fill that begins when every server writes both tables finds all that was left out.
package move
